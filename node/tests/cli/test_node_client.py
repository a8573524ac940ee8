"""Commands that ask the node of the home say why they cannot, and translate what it says."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from csbond.config.home import Home
from csbond.config.lock import hold_home
from csbond.config.system import SystemClock
from csbond_tests.certificates import self_signed
from csbond_tests.played_node import Played, played


def test_without_a_running_node_the_command_that_starts_it_is_said(csb, home) -> None:
    ended = csb("memory", "list", "--home", home.path)
    assert ended.status == 3
    assert ended.err == f"csb: no node runs the home {home.path} — csb serve --home {home.path}\n"


def test_a_node_that_still_starts_is_said_so(csb, home) -> None:
    with hold_home(home, SystemClock()):
        assert "a node is still starting in the home" in csb("memory", "list", "--home", home.path).err


def test_a_node_that_does_not_answer_is_unreachable(csb, home) -> None:
    with hold_home(home, SystemClock()) as held:
        held.announce("http://127.0.0.1:1")
        ended = csb("memory", "list", "--home", home.path)
    assert ended.status == 3
    assert "did not answer" in ended.err


def test_a_token_that_others_can_read_is_not_used(csb, home, node) -> None:
    home.token_file.chmod(0o644)
    ended = csb("memory", "list", "--home", home.path)
    assert ended.status == 2
    assert f"chmod 600 {home.token_file}" in ended.err
    assert node.asked == []


def test_an_error_of_the_node_keeps_its_reason_and_its_next_step(csb, home, node) -> None:
    node.answer(
        "GET /v1/memory",
        {"error": {"code": "invalid_params", "reason": "no tier", "field": "level", "next_step": "say hot"}},
        400,
    )
    assert csb("memory", "list", "--home", home.path).err == "csb: no tier — say hot\n"
    assert csb("memory", "list", "--home", home.path, "--json").error["field"] == "level"


@pytest.mark.parametrize("body", [b"", b"oops", b"[]", b'{"error": {"code": "from_the_future"}}', b'{"error": 1}'])
def test_an_error_that_is_none_is_not_guessed_at(csb, home, node, body: bytes) -> None:
    node.answer("GET /v1/memory", body, 500)
    ended = csb("memory", "list", "--home", home.path, "--json")
    assert ended.status == 3
    assert ended.error["code"] == "peer_broke_protocol"
    assert "HTTP 500" in ended.error["reason"]


def test_the_proxy_of_the_environment_is_not_asked_for_the_own_node(csb, home, node, monkeypatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    node.answer("GET /v1/principals", {"principals": []})
    assert csb("principal", "list", "--home", home.path).status == 0


@pytest.fixture
def tls_node(home: Home, tmp_path: Path) -> Iterator[tuple[Played, Path]]:
    """The played node of the home behind a certificate for another name."""
    cert, key = self_signed(tmp_path, "agent.example")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with played(context) as plays, hold_home(home, SystemClock()) as held:
        held.announce(plays.url, str(cert))
        plays.answer("GET /v1/principals", {"principals": []})
        yield plays, cert


def test_the_own_node_is_known_by_its_certificate(csb, home, tls_node) -> None:
    assert csb("principal", "list", "--home", home.path).status == 0


def test_another_certificate_at_the_address_of_the_own_node_gets_no_token(csb, home, tls_node, tmp_path: Path) -> None:
    plays, cert = tls_node
    other = tmp_path / "other"
    other.mkdir()
    cert.write_bytes(self_signed(other, "agent.example")[0].read_bytes())
    ended = csb("principal", "list", "--home", home.path)
    assert ended.status == 3
    assert "CERTIFICATE_VERIFY_FAILED" in ended.err
    assert plays.asked == []


def test_a_certificate_that_cannot_be_read_is_named(csb, home, tls_node) -> None:
    _, cert = tls_node
    cert.write_text("gone")
    ended = csb("principal", "list", "--home", home.path)
    assert ended.status == 2
    assert f"{cert} cannot be used: no certificate in PEM" in ended.err
