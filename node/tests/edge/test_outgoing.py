"""Outgoing calls verify certificates: `csb talk`, `csb send` and webhooks, from real nodes to real servers."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from csbond_tests.certificates import Authority
from csbond_tests.played_node import Played, played
from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode, csb, new_home, running

SETTINGS = """
[memory]
semantic = "off"
[push]
allow_hosts = ["127.0.0.1"]
[skill]
kind = "echo"
"""


@pytest.fixture(scope="module")
def peer(folder: Path, trusted: Authority) -> Iterator[RunningNode]:
    """Another agent, with a certificate of the authority."""
    pair = trusted.issue(folder, "127.0.0.1")
    with running(new_home(folder / "peer", SETTINGS, name="Bo"), "--tls-cert", pair.cert, "--tls-key", pair.key) as bo:
        yield bo


@pytest.fixture(scope="module")
def believing(folder: Path, trusted: Authority) -> Iterator[RunningNode]:
    """A node that trusts the authority."""
    with running(new_home(folder / "believing", f'{SETTINGS}[tls]\ntrust_ca = "{trusted.file}"\n')) as node:
        yield node


@pytest.fixture(scope="module")
def doubting(folder: Path) -> Iterator[RunningNode]:
    """A node that trusts whom the system trusts."""
    with running(new_home(folder / "doubting", SETTINGS)) as node:
        yield node


@contextmanager
def webhook(folder: Path, signed_by: Authority) -> Iterator[Played]:
    """A server that takes notifications, with a certificate."""
    (folder / "hook").mkdir(exist_ok=True)
    pair = signed_by.issue(folder / "hook", "127.0.0.1")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pair.cert, pair.key)
    with played(tls) as server:
        server.answer("POST /hook", {})
        yield server


def send_with_webhook(node: RunningNode, url: str) -> None:
    """Send a message whose task notifies a webhook."""
    message = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "hello"}]}
    body = {"message": message, "configuration": {"taskPushNotificationConfig": {"url": url}}}
    sent = httpx.post(f"{node.url}/message:send", json=body, headers={"a2a-version": "1.0"})
    assert sent.status_code == 200, sent.text


def until_noted(node: RunningNode, words: str) -> None:
    """Keep the node answering until its log holds the words."""
    for _ in range(400):
        if words in node.said():
            return
        httpx.get(f"{node.url}/health")
    raise AssertionError(node.said())


@requirement("EDGE-004")
def test_an_agent_whose_authority_is_unknown_is_not_talked_to_and_the_reason_is_told(
    doubting: RunningNode, peer: RunningNode
) -> None:
    for command in ("talk", "send"):
        ended = csb(doubting.home, command, peer.url, "hello")
        assert ended.status == 3
        assert "certificate" in ended.err
        assert "Traceback" not in ended.err
    assert "tls.trust_ca" in csb(doubting.home, "talk", peer.url, "hello").err


@requirement("EDGE-004")
def test_with_trust_ca_it_is_talked_to(believing: RunningNode, peer: RunningNode) -> None:
    assert csb(believing.home, "talk", peer.url, "hello").out == "Bo: hello\n"
    assert "hello" in csb(believing.home, "send", peer.url, "hello").out


@requirement("EDGE-004")
def test_a_name_that_is_not_in_the_certificate_is_no_more_trusted_than_a_stranger(
    believing: RunningNode, peer: RunningNode
) -> None:
    ended = csb(believing.home, "talk", peer.url.replace("127.0.0.1", "localhost"), "hello")
    assert ended.status == 3
    assert "certificate" in ended.err


@requirement("EDGE-004", "A2A-PUSH-007")
def test_a_webhook_whose_authority_is_unknown_hears_nothing_and_the_log_says_why(
    doubting: RunningNode, folder: Path, trusted: Authority
) -> None:
    with webhook(folder, trusted) as server:
        send_with_webhook(doubting, f"{server.url}/hook")
        until_noted(doubting, "deliver_notification: peer_unreachable: the certificate of the webhook at 127.0.0.1")
        assert server.asked == []
    assert "hello" not in doubting.said()


@requirement("EDGE-004")
def test_with_trust_ca_its_webhooks_hear_and_those_of_strangers_still_do_not(
    believing: RunningNode, folder: Path, trusted: Authority, unknown: Authority
) -> None:
    with webhook(folder, trusted) as known, webhook(folder, unknown) as strange:
        send_with_webhook(believing, f"{strange.url}/hook")
        until_noted(believing, "the certificate of the webhook at 127.0.0.1")
        send_with_webhook(believing, f"{known.url}/hook")
        for _ in range(400):
            if known.asked:
                break
            httpx.get(f"{believing.url}/health")
        assert known.asked[0].path == "/hook"
        assert strange.asked == []


@requirement("EDGE-004")
def test_a_trust_ca_that_holds_no_certificate_keeps_the_node_from_starting(tmp_path: Path) -> None:
    home = new_home(tmp_path / "home", f'{SETTINGS}[tls]\ntrust_ca = "{tmp_path}/nothing.pem"\n')
    ended = csb(home, "serve", "--port", "0")
    assert ended.status == 2
    assert f"{tmp_path}/nothing.pem" in ended.err
    assert "Traceback" not in ended.err
