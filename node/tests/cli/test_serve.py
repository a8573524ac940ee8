"""`csb serve` refuses what would be unsafe, holds the home, and hands the settings on."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from csbond import asgi
from csbond.config.home import Home
from csbond.config.lock import RunRecord, running_node
from csbond.config.settings import Settings


@dataclass
class Serving:
    """Takes the place of the server: notes what it was given and says that it is up."""

    given: list[tuple[Home, Settings]] = field(default_factory=list)
    seen: list[RunRecord | None] = field(default_factory=list)

    def __call__(self, home: Home, settings: Settings, on_ready: Callable[[str], None]) -> int:
        self.given.append((home, settings))
        on_ready("http://127.0.0.1:3100")
        self.seen.append(running_node(home))
        return 0


@pytest.fixture
def serving(monkeypatch) -> Serving:
    serving = Serving()
    monkeypatch.setattr(asgi, "run_server", serving)
    return serving


def test_one_calm_line_says_where_the_node_is(csb, home, serving) -> None:
    ended = csb("serve", "--home", home.path)
    assert (ended.status, ended.out, ended.err) == (0, "Heng is at home at http://127.0.0.1:3100\n", "")


def test_with_json_the_line_is_a_document(csb, home, serving) -> None:
    assert csb("serve", "--home", home.path, "--json").json == {
        "name": "Heng",
        "url": "http://127.0.0.1:3100",
        "public_url": "http://127.0.0.1:3100",
        "pid": os.getpid(),
    }


def test_the_address_it_has_outside_is_said_beside_the_one_it_listens_at(csb, home, serving) -> None:
    home.settings_file.write_text('[node]\nbase_url = "https://agent.example"\n')
    assert csb("serve", "--home", home.path).out == (
        "Heng is at home at http://127.0.0.1:3100, known as https://agent.example\n"
    )
    assert csb("serve", "--home", home.path, "--json").json["public_url"] == "https://agent.example"


def test_while_it_runs_others_find_it_and_afterwards_they_do_not(csb, home, serving) -> None:
    csb("serve", "--home", home.path)
    (seen,) = serving.seen
    assert (seen.pid, seen.url) == (os.getpid(), "http://127.0.0.1:3100")
    assert running_node(home) is None


@pytest.mark.parametrize("wanted", ["true", "false"])
def test_spans_are_made_only_where_the_settings_want_them(csb, home, serving, monkeypatch, wanted: str) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "anything")
    home.settings_file.write_text(f"[a2a]\ntracing = {wanted}\n")
    csb("serve", "--home", home.path)
    assert os.environ["OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"] == wanted


def test_a_second_process_is_refused_with_the_first_one_s_address(csb, home, node, serving) -> None:
    ended = csb("serve", "--home", home.path)
    assert ended.status == 3
    assert f"process {os.getpid()} already runs the home {home.path} at {node.url}" in ended.err
    assert serving.given == []


def test_the_command_line_says_it_instead_of_the_settings(csb, home, serving, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    home.settings_file.write_text('[node]\nport = 1\nhost = "::1"\ndescription = "kept"\n')
    csb(
        *("serve", "--home", home.path, "--host", "0.0.0.0", "--port", "0", "--database", "sqlite:///other.db"),
        *("--tls-cert", "cert.pem", "--tls-key", "key.pem"),
    )
    ((_, settings),) = serving.given
    assert (settings.node.host, settings.node.port, settings.node.description) == ("0.0.0.0", 0, "kept")
    assert settings.node.database == f"sqlite:///{tmp_path}/other.db"
    assert settings.tls.cert == str(tmp_path / "cert.pem")
    assert settings.tls.key == str(tmp_path / "key.pem")


def test_an_address_others_reach_is_refused_without_tls_or_proxy(csb, home, serving) -> None:
    ended = csb("serve", "--home", home.path, "--host", "0.0.0.0")
    assert ended.status == 2
    assert "without TLS tokens and memories would travel in the clear" in ended.err
    assert serving.given == []


def test_a_declared_proxy_opens_an_address(csb, home, serving) -> None:
    home.settings_file.write_text('[node]\nhost = "0.0.0.0"\ntrusted_proxies = ["10.0.0.1"]\n')
    assert csb("serve", "--home", home.path).status == 0


@pytest.mark.parametrize("url", ["postgresql://u:secret@db.example/csb", "csb.db", "sqlite:///"])
def test_a_database_that_is_not_spoken_is_refused_with_those_that_are(csb, home, serving, url: str) -> None:
    ended = csb("serve", "--home", home.path, "--database", url)
    assert ended.status == 2
    assert "secret" not in ended.err
    assert serving.given == []


@pytest.mark.parametrize("text", ["[node]\nprot = 1", "port = 1", "[node"])
def test_settings_that_are_not_accepted_are_refused_by_file(csb, home, serving, text: str) -> None:
    home.settings_file.write_text(text)
    ended = csb("serve", "--home", home.path)
    assert ended.status == 2
    assert str(home.settings_file) in ended.err
    assert serving.given == []


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_a_port_that_is_none_is_misuse(csb, home, serving, port: str) -> None:
    assert csb("serve", "--home", home.path, "--port", port).status == 2
