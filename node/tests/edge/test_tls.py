"""A node with a certificate of its own: shown, renewed, and asked of clients, over HTTP and gRPC."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import grpc
import httpx
import pytest
from a2a.types import a2a_pb2 as pb
from a2a.types.a2a_pb2_grpc import A2AServiceStub
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from csbond_tests.certificates import Authority, Pair
from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode, csb, free_port, new_home, running

SETTINGS = """
[memory]
semantic = "off"
[a2a]
grpc_port = {grpc_port}
[skill]
kind = "echo"
"""


@pytest.fixture(scope="module")
def pair(trusted: Authority, folder: Path) -> Pair:
    """The files of the certificate in force; tests that change them put a good pair back."""
    return trusted.issue(folder, "127.0.0.1")


@pytest.fixture(scope="module")
def node(pair: Pair, folder: Path, grpc_port: int) -> Iterator[RunningNode]:
    home = new_home(folder / "secured", SETTINGS.format(grpc_port=grpc_port))
    with running(home, "--tls-cert", pair.cert, "--tls-key", pair.key) as secured:
        yield secured


def shown_by(port: int | None, trust: ssl.SSLContext, name: str | None = "127.0.0.1") -> bytes:
    """The certificate that a new connection is shown."""
    with (
        socket.create_connection(("127.0.0.1", port or 0), timeout=10) as plain,
        trust.wrap_socket(plain, server_hostname=name) as secured,
    ):
        return secured.getpeercert(binary_form=True) or b""


def certificate_in(path: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert(path.read_text(encoding="ascii"))


def port_of(node: RunningNode) -> int | None:
    return urlsplit(node.url).port


def say(port: int, credentials: grpc.ChannelCredentials, text: str) -> str:
    """What the echo says over gRPC."""
    with grpc.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
        message = pb.Message(message_id="m-1", role=pb.ROLE_USER, parts=[pb.Part(text=text)])
        request = pb.SendMessageRequest(message=message)
        sent = A2AServiceStub(channel).SendMessage(request, timeout=20, metadata=[("a2a-version", "1.0")])
    answer: str = sent.task.artifacts[0].parts[0].text
    return answer


def credentials(trusted: Authority, client: Pair | None = None) -> grpc.ChannelCredentials:
    own = (client.key.read_bytes(), client.cert.read_bytes()) if client else (None, None)
    return grpc.ssl_channel_credentials(trusted.file.read_bytes(), *own)


@requirement("EDGE-001")
def test_it_answers_those_who_trust_its_authority_and_nobody_in_the_clear(
    node: RunningNode, pair: Pair, trusted: Authority, unknown: Authority
) -> None:
    assert node.url.startswith("https://127.0.0.1:")
    with httpx.Client(verify=trusted.trust()) as client:
        assert client.get(f"{node.url}/health").json()["status"] == "ok"
        card = client.get(f"{node.url}/.well-known/agent-card.json").json()
    addresses = {each["protocolBinding"]: each["url"] for each in card["supportedInterfaces"]}
    assert (addresses["JSONRPC"], addresses["HTTP+JSON"]) == (node.url, node.url)
    assert shown_by(port_of(node), trusted.trust()) == certificate_in(pair.cert)
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(f"{node.url}/health", verify=unknown.trust())
    with pytest.raises(httpx.HTTPError):
        httpx.get(f"{node.url}/health".replace("https", "http"))


@requirement("EDGE-001")
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize("version, spoken", [("TLSv1_1", False), ("TLSv1_2", True), ("TLSv1_3", True)])
def test_no_older_tls_than_1_2_is_spoken(node: RunningNode, trusted: Authority, version: str, spoken: bool) -> None:
    trust = trusted.trust()
    trust.set_ciphers("DEFAULT:@SECLEVEL=0")
    trust.minimum_version = trust.maximum_version = ssl.TLSVersion[version]
    if spoken:
        assert shown_by(port_of(node), trust)
        return
    with pytest.raises((ssl.SSLError, ConnectionError)):
        shown_by(port_of(node), trust)


@requirement("EDGE-001", "FAULT-35")
def test_grpc_is_spoken_with_the_same_certificate_and_the_card_says_where(
    node: RunningNode, grpc_port: int, trusted: Authority, unknown: Authority
) -> None:
    assert say(grpc_port, credentials(trusted), "hello") == "hello"
    with pytest.raises(grpc.RpcError) as refused:
        say(grpc_port, credentials(unknown), "hello")
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    with grpc.insecure_channel(f"127.0.0.1:{grpc_port}") as channel, pytest.raises(grpc.RpcError):
        A2AServiceStub(channel).GetTask(pb.GetTaskRequest(id="t"), timeout=20)
    with httpx.Client(verify=trusted.trust()) as client:
        card = client.get(f"{node.url}/.well-known/agent-card.json").json()
    urls = {
        each["protocolVersion"]: each["url"]
        for each in card["supportedInterfaces"]
        if each["protocolBinding"] == "GRPC"
    }
    assert urls == {"1.0": f"127.0.0.1:{grpc_port}", "0.3": f"https://127.0.0.1:{grpc_port}"}


@requirement("EDGE-001")
def test_its_own_commands_reach_it(node: RunningNode) -> None:
    ended = csb(node.home, "status", "--json")
    assert (ended.status, ended.err) == (0, "")


@requirement("EDGE-002")
def test_after_sighup_new_connections_get_the_renewed_certificate_and_open_ones_go_on(
    node: RunningNode, pair: Pair, grpc_port: int, trusted: Authority, folder: Path
) -> None:
    with httpx.Client(verify=trusted.trust()) as client:
        client.get(f"{node.url}/health").raise_for_status()
        before = certificate_in(pair.cert)
        renewed = certificate_in(trusted.issue(folder, "127.0.0.1").cert)
        assert shown_by(port_of(node), trusted.trust()) == before != renewed
        node.hang_up()
        client.get(f"{node.url}/health").raise_for_status()
        trust = trusted.trust()
        trust.check_hostname = False
        assert shown_by(port_of(node), trust) == shown_by(port_of(node), trust, name=None) == renewed
        client.get(f"{node.url}/health").raise_for_status()
    assert shown_by(grpc_port, http2(trusted)) == renewed
    assert say(grpc_port, credentials(trusted), "still here") == "still here"


def http2(trusted: Authority) -> ssl.SSLContext:
    trust = trusted.trust()
    trust.set_alpn_protocols(["h2"])
    return trust


def no_certificate(pair: Pair) -> None:
    pair.cert.write_text("nothing", encoding="ascii")


def a_certificate_of_another_key(pair: Pair) -> None:
    pair.key.write_text((pair.cert.parent / "unknown.key").read_text(encoding="ascii"), encoding="ascii")


def a_key_with_a_password(pair: Pair) -> None:
    key = load_pem_private_key(pair.key.read_bytes(), None)
    pair.key.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"nobody is there to type it"))
    )


def no_file(pair: Pair) -> None:
    pair.cert.unlink()


@requirement("EDGE-002")
@pytest.mark.parametrize(
    "broken", [no_certificate, a_certificate_of_another_key, a_key_with_a_password, no_file], ids=lambda f: f.__name__
)
def test_what_is_broken_leaves_the_old_certificate_in_force_and_is_noted(
    node: RunningNode,
    pair: Pair,
    grpc_port: int,
    trusted: Authority,
    unknown: Authority,
    folder: Path,
    broken: Callable[[Pair], None],
) -> None:
    trusted.issue(folder, "127.0.0.1")
    node.hang_up()
    with httpx.Client(verify=trusted.trust()) as client:
        client.get(f"{node.url}/health").raise_for_status()
    shown, noted = shown_by(port_of(node), trusted.trust()), node.said().count("renew_certificate: setting_invalid")
    assert shown == certificate_in(pair.cert)
    broken(pair)
    node.hang_up()
    for _ in range(100):
        assert shown_by(port_of(node), trusted.trust()) == shown
        if node.said().count("renew_certificate: setting_invalid") > noted:
            break
    else:
        raise AssertionError(node.said())
    assert shown_by(grpc_port, http2(trusted)) == shown
    assert "Traceback" not in node.said()
    trusted.issue(folder, "127.0.0.1")


@requirement("EDGE-003")
def test_with_a_client_ca_a_handshake_without_its_certificate_is_refused(
    folder: Path, trusted: Authority, unknown: Authority, tmp_path: Path
) -> None:
    pair, client, stranger = (
        trusted.issue(tmp_path, "127.0.0.1"),
        trusted.issue(tmp_path, "client"),
        unknown.issue(tmp_path, "stranger"),
    )
    port = free_port()
    settings = f'{SETTINGS.format(grpc_port=port)}[tls]\ncert = "{pair.cert}"\nkey = "{pair.key}"\n'
    home = new_home(tmp_path / "home", f'{settings}client_ca = "{trusted.file}"\n')
    with running(home) as node:
        for own in (None, stranger):
            trust = trusted.trust()
            if own:
                trust.load_cert_chain(own.cert, own.key)
            with pytest.raises(httpx.TransportError):
                httpx.get(f"{node.url}/health", verify=trust)
            with pytest.raises(grpc.RpcError):
                say(port, credentials(trusted, own), "hello")
        trust = trusted.trust()
        trust.load_cert_chain(client.cert, client.key)
        assert httpx.get(f"{node.url}/health", verify=trust).json()["name"] == "Luna"
        assert say(port, credentials(trusted, client), "hello") == "hello"
        assert csb(home, "status").status == 0
        assert "Traceback" not in node.said()
