from __future__ import annotations

from typing import Any

import pytest
from starlette.requests import Request

from csbond.transport.reach import Reach
from csbond_tests.requirements import requirement

HERE = "http://127.0.0.1:3100"
OUTSIDE = {"x-forwarded-host": "agent.example"}


def asked(headers: dict[str, str] | list[tuple[str, str]], by: Any = ("10.0.0.7", 4711)) -> Request:
    """A request by the machine at an address."""
    pairs = list(headers.items()) if isinstance(headers, dict) else headers
    raw = [(name.encode(), value.encode()) for name, value in pairs]
    return Request({"type": "http", "headers": raw, "client": by})


def reached(request: Request, *, fixed: bool = False, proxies: tuple[str, ...] = ("10.0.0.0/8", "fd00::/8")) -> str:
    return Reach(HERE, proxies, fixed=fixed).base_url(request)


@requirement("FAULT-13")
@pytest.mark.parametrize(
    "headers, address",
    [
        (OUTSIDE, "https://agent.example"),
        (OUTSIDE | {"x-forwarded-proto": "http"}, "http://agent.example"),
        (OUTSIDE | {"x-forwarded-proto": "HTTP"}, "http://agent.example"),
        (OUTSIDE | {"x-forwarded-proto": "javascript"}, "https://agent.example"),
        (OUTSIDE | {"x-forwarded-prefix": "/bo"}, "https://agent.example/bo"),
        (OUTSIDE | {"x-forwarded-prefix": "/bo/"}, "https://agent.example/bo"),
        (OUTSIDE | {"x-forwarded-prefix": "/a/b-c.d~e_f"}, "https://agent.example/a/b-c.d~e_f"),
        (OUTSIDE | {"x-forwarded-prefix": "/"}, "https://agent.example"),
        ({"x-forwarded-host": "agent.example:8443"}, "https://agent.example:8443"),
        ({"x-forwarded-host": "[2001:db8::1]:8443"}, "https://[2001:db8::1]:8443"),
        ({"x-forwarded-host": "192.0.2.1"}, "https://192.0.2.1"),
        ({"x-forwarded-proto": "https"}, HERE),
        ({}, HERE),
    ],
)
def test_a_trusted_proxy_says_which_address_was_asked(headers: dict[str, str], address: str) -> None:
    assert reached(asked(headers)) == address


@requirement("FAULT-13")
@pytest.mark.parametrize(
    "headers",
    [
        [("x-forwarded-host", "evil.example, agent.example")],
        [("x-forwarded-host", "evil.example"), ("x-forwarded-host", "agent.example")],
    ],
)
def test_what_the_client_wrote_before_the_proxy_does_not_count(headers: list[tuple[str, str]]) -> None:
    assert reached(asked([*headers, ("x-forwarded-proto", "http,https")])) == "https://agent.example"


@requirement("FAULT-13")
@pytest.mark.parametrize(
    "host",
    [
        "",
        " ",
        "evil.example/path",
        "user@evil.example",
        "evil example",
        'evil"example',
        "a" * 300,
        "x:123456",
        "evil.example?q",
        "evil.example#f",
        "-evil.example",
        "[evil]",
        "evil.example:",
        "evil\\.example",
    ],
)
def test_what_is_no_host_counts_for_nothing(host: str) -> None:
    assert reached(asked({"x-forwarded-host": host})) == HERE


@requirement("FAULT-13")
@pytest.mark.parametrize("prefix", ["bo", "//evil.example", "/../x y", "/a?b", "/a#b", "/%2e", "/a\\b"])
def test_what_is_no_path_counts_for_nothing(prefix: str) -> None:
    assert reached(asked(OUTSIDE | {"x-forwarded-prefix": prefix})) == "https://agent.example"


@requirement("FAULT-13")
@pytest.mark.parametrize("by", [("192.0.2.9", 1), ("2001:db8::1", 1), ("::ffff:192.0.2.9", 1), ("testclient", 1), None])
def test_nobody_else_is_believed(by: Any) -> None:
    assert reached(asked(OUTSIDE, by)) == HERE


@pytest.mark.parametrize("by", ["10.1.2.3", "::ffff:10.1.2.3", "fd00::7"])
def test_a_proxy_is_known_by_its_address_in_either_family(by: str) -> None:
    assert reached(asked(OUTSIDE, (by, 1))) == "https://agent.example"


def test_without_declared_proxies_nobody_is_believed() -> None:
    assert reached(asked(OUTSIDE), proxies=()) == HERE


def test_an_address_that_is_set_is_always_it() -> None:
    assert reached(asked(OUTSIDE), fixed=True) == HERE
