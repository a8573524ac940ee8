"""Settings must fit together, and a node does not open itself to others unprotected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from csbond.config.memory_settings import MemorySettings
from csbond.config.settings import A2aSettings, NodeSettings, PushSettings, Settings, TlsSettings
from csbond.config.settings_rules import check_exposure, check_settings, database_file, is_loopback
from csbond.protocol.errors import LocalProtocolError

DEFAULT = Settings()
TLS = TlsSettings(cert="c.pem", key="k.pem")


def with_node(**values: Any) -> Settings:
    return replace(DEFAULT, node=replace(NodeSettings(), **values))


@pytest.mark.parametrize(
    "host",
    ["a b", "", "http://a.example", "a.example:80", "10.0.0.0/33", "10.0.0.256", "*.example", "-a", "[::1]", "茶"],
)
def test_a_webhook_host_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(LocalProtocolError, match=r"push\.allow_hosts takes host names") as refused:
        check_settings(Settings(push=PushSettings(allow_hosts=("a.example", host))))
    assert refused.value.field == "push.allow_hosts"


def test_names_addresses_and_networks_are_webhook_hosts() -> None:
    allowed = ("a.example", "localhost", "web_hook-1", "10.0.0.7", "10.0.0.7/8", "::1", "fd00::/8")
    check_settings(Settings(push=PushSettings(allow_hosts=allowed)))


@pytest.mark.parametrize(
    "uri", ["nonsense", "", "https://a.example/one two", "https://a.example/1,2", "urn:", ":a", "urn:茶"]
)
def test_a_required_extension_that_no_header_can_name_is_refused(uri: str) -> None:
    with pytest.raises(LocalProtocolError, match=r"a2a\.required_extensions takes whole URIs") as refused:
        check_settings(Settings(a2a=A2aSettings(required_extensions=(uri,))))
    assert refused.value.field == "a2a.required_extensions"


def test_uris_of_any_scheme_are_required_extensions() -> None:
    uris = ("https://ext.example/v1?x=1#y", "urn:a2a:tck:required-extension")
    check_settings(Settings(a2a=A2aSettings(required_extensions=uris)))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"])
def test_a_loopback_address_needs_no_tls(host: str) -> None:
    check_exposure(with_node(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "agent.example", "localhost.example"])
def test_any_other_address_without_tls_or_proxy_is_refused_with_the_reason(host: str) -> None:
    with pytest.raises(
        LocalProtocolError, match="without TLS tokens and memories would travel in the clear"
    ) as refused:
        check_exposure(with_node(host=host))
    assert "--tls-cert" in refused.value.next_step
    assert "trusted_proxies" in refused.value.next_step


def test_tls_or_a_declared_proxy_opens_other_addresses() -> None:
    check_exposure(replace(with_node(host="0.0.0.0"), tls=TLS))
    check_exposure(with_node(host="0.0.0.0", trusted_proxies=("10.0.0.1",)))


@pytest.mark.parametrize(
    "settings, field",
    [
        (with_node(host=""), "node.host"),
        (with_node(host="http://127.0.0.1"), "node.host"),
        (with_node(host="a b"), "node.host"),
        (with_node(base_url="agent.example"), "node.base_url"),
        (with_node(base_url="ftp://agent.example"), "node.base_url"),
        (with_node(base_url="https://agent.example/"), "node.base_url"),
        (with_node(base_url="https://user:word@agent.example"), "node.base_url"),
        (with_node(base_url="https://agent.example:port"), "node.base_url"),
        (with_node(base_url=f"https://{'a' * 64}.example"), "node.base_url"),
        (with_node(base_url="https://agent.example/\x01"), "node.base_url"),
        (with_node(base_url="https://agent.example?x"), "node.base_url"),
        (with_node(trusted_proxies=("proxy.example",)), "node.trusted_proxies"),
        (with_node(trusted_proxies=("10.0.0.1/8",)), "node.trusted_proxies"),
        (with_node(database="postgresql://localhost/csb"), "node.database"),
        (replace(DEFAULT, tls=TlsSettings(key="k.pem")), "tls.cert"),
        (replace(DEFAULT, tls=TlsSettings(client_ca="ca.pem")), "tls.client_ca"),
        (replace(DEFAULT, memory=MemorySettings(memory_level_map={"tepid": "x"})), "memory.memory_level_map"),
        (
            replace(DEFAULT, memory=MemorySettings(memory_level_map={"hot": "x", "cold": "x"})),
            "memory.memory_level_map",
        ),
        (replace(DEFAULT, memory=MemorySettings(memory_level_map={"hot": " "})), "memory.memory_level_map"),
    ],
)
def test_a_broken_rule_is_refused_by_its_setting(settings: Settings, field: str) -> None:
    with pytest.raises(LocalProtocolError) as refused:
        check_settings(settings)
    assert refused.value.field == field


@pytest.mark.parametrize("url", ["https://agent.example", "http://127.0.0.1:3100", "https://agent.example/path"])
def test_a_public_address_is_accepted(url: str) -> None:
    check_settings(with_node(base_url=url, trusted_proxies=("10.0.0.0/8", "::1")))


def test_a_database_is_a_file_of_sqlite() -> None:
    home = Path("/home/of/agent")
    assert database_file("", home) == home / "csb.db"
    assert database_file("sqlite:///other.db", home) == home / "other.db"
    assert database_file("sqlite:////data/other.db", home) == Path("/data/other.db")


@pytest.mark.parametrize(
    "url", ["csb.db", "sqlite://csb.db", "sqlite:///", "sqlite:///x?mode=ro", "mysql://u:secret@h/d"]
)
def test_any_other_database_is_refused_without_showing_a_password(url: str) -> None:
    with pytest.raises(LocalProtocolError) as refused:
        database_file(url, Path())
    assert "secret" not in refused.value.reason
    assert refused.value.next_step == "" or "sqlite:///" in refused.value.next_step


def test_a_name_is_not_taken_for_a_loopback_address() -> None:
    assert is_loopback("[::1]")
    assert not is_loopback("127.0.0.1.example")
