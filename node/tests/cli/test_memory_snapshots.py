"""`csb memory snapshot`: memories as files that travel (MEM-006 §6.2)."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from csbond.cli.memory.snapshot import download
from csbond.cli.output import moment
from csbond.cli.told_fault import told_fault
from csbond.protocol.errors import EXIT_STATUS, REGISTRY, CsbError
from csbond.protocol.memory.snapshot import MEDIA_TYPE, SUFFIX
from csbond_tests.ledger_samples import NOW
from csbond_tests.memory_answers import rows
from csbond_tests.played_node import NO_ADDRESSES, played
from csbond_tests.requirements import requirement
from csbond_tests.served_node import served
from csbond_tests.snapshots import HEAD, LOADED, SHOWN, VERIFIED, file_of, three_memories

RAW = file_of(*({**memory, "timestamp": 1_700_000_000_000} for memory in three_memories()))
ID = HEAD.id
PLACE = "/v1/memory/snapshot"
LOAD = f"POST {PLACE}/load"
REFUSED = EXIT_STATUS[REGISTRY["snapshot_refused"].exit]


def counted(**counts: int) -> dict[str, Any]:
    return {**LOADED, "counts": {**LOADED["counts"], **counts}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"known{SUFFIX}"
    path.write_bytes(RAW)
    return path


@requirement("MEM-003-3.1-commands", "MEM-003-3.1-snapshot", "MEM-006-6.1-embeddings")
def test_create_says_what_the_snapshot_is_of(csb, home, node) -> None:
    node.answer(f"POST {PLACE}", {**SHOWN, "totalCount": 2}, 201)
    wishes = ["--description", "tea", "--tag", "tea", "--embeddings", "--no-links"]
    ended = csb("memory", "snapshot", "create", *wishes, "--home", home.path)
    assert ended.out == f"{ID} holds 2 memories\nTo have it as a file: csb memory snapshot get {ID}\n"
    assert node.last.body == {"description": "tea", "embeddings": True, "links": False, "filter": {"tag": "tea"}}
    assert csb("memory", "snapshot", "create", "--home", home.path, "--json").json["id"] == ID
    assert node.last.body == {"description": "", "embeddings": False, "links": True}


@requirement("MEM-003-3.1-commands", "MEM-003-3.1-snapshot")
def test_list_shows_a_line_a_snapshot(csb, home, node) -> None:
    heads = [
        SHOWN,
        {**SHOWN, "includes_embeddings": True, "includes_links": False},
        {**SHOWN, "embedding_model": "m-1"},
    ]
    page = {"snapshots": heads, "total": 4, "next_cursor": "abc"}
    node.answer("GET /v1/memory/snapshots", page)
    made = moment(NOW)
    assert rows(csb("memory", "snapshot", "list", "--home", home.path))[1:] == [
        f"{ID} {made} 0 yes no what we know",
        f"{ID} {made} 0 no supplied what we know",
        f"{ID} {made} 0 yes m-1 what we know",
        "There is more: add --after abc",
    ]
    assert csb("memory", "snapshot", "list", "--home", home.path, "--json").json == page
    node.answer("GET /v1/memory/snapshots", {"snapshots": [], "total": 0, "next_cursor": ""})
    assert csb("memory", "snapshot", "list", "--home", home.path).out == "Nothing yet.\n"


@requirement("MEM-003-3.1-commands", "MEM-006-6.1-format")
def test_get_writes_the_file_as_it_is(csb, home, node, tmp_path, monkeypatch) -> None:
    node.answer(f"GET {PLACE}/{ID}", RAW)
    monkeypatch.chdir(tmp_path)
    ended = csb("memory", "snapshot", "get", ID, "--home", home.path)
    assert ended.out == f"{ID}{SUFFIX} holds the snapshot {ID}\n"
    assert (tmp_path / f"{ID}{SUFFIX}").read_bytes() == RAW
    named = tmp_path / "git" / "known.json"
    named.parent.mkdir()
    ended = csb("memory", "snapshot", "get", ID, "-o", named, "--home", home.path, "--json")
    assert ended.json == {"id": ID, "file": str(named), "bytes": len(RAW)}
    assert named.read_bytes() == RAW
    gone = {"error": {"code": "snapshot_not_found", "reason": "there is none"}}
    node.answer(f"GET {PLACE}/{ID}", gone, 404)
    assert csb("memory", "snapshot", "get", ID, "--home", home.path, "--json").error["code"] == "snapshot_not_found"
    assert csb("memory", "snapshot", "get", "a/b", "--home", home.path, "--json").error["code"] == "snapshot_not_found"


def test_get_writes_to_standard_output(csb, home, node, monkeypatch) -> None:
    node.answer(f"GET {PLACE}/{ID}", RAW)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8"))
    csb("memory", "snapshot", "get", ID, "-o", "-", "--home", home.path)
    assert written.getvalue() == RAW


@requirement("MEM-006-verify", "MEM-003-3.1-commands")
def test_verify_needs_no_node_and_is_done_by_the_one_of_the_home_that_is_named(csb, home, node, file) -> None:
    ended = csb("memory", "snapshot", "verify", file)
    assert ended.status == 0
    assert "Luna" in ended.out
    assert "3 memories" in ended.out
    assert "1 hot, 1 warm, 1 cold" in ended.out
    assert node.asked == []
    assert csb("memory", "snapshot", "verify", file, "--json").json["snapshot"]["totalCount"] == 3
    node.answer(f"POST {PLACE}/verify", VERIFIED)
    assert csb("memory", "snapshot", "verify", file, "--lenient", "--home", home.path, "--json").json == VERIFIED
    assert (node.last.path, node.last.headers["Content-Type"]) == (f"{PLACE}/verify?lenient=true", MEDIA_TYPE)
    assert node.last.body == orjson.loads(RAW)


@requirement("MEM-006-verify", "MEM-006-6.3-changed-byte")
def test_verify_tells_of_a_changed_file(csb, file) -> None:
    file.write_bytes(RAW.replace(b"cold", b"warm", 1))
    ended = csb("memory", "snapshot", "verify", file, "--json")
    assert (ended.status, ended.error["code"], ended.error["field"]) == (
        REFUSED,
        "snapshot_refused",
        "metadata.checksum",
    )


@requirement("MEM-003-3.1-commands")
def test_load_sends_the_file_and_tells_what_became_of_its_memories(csb, home, node, file) -> None:
    counts = dict(zip(LOADED["counts"], range(1, 8), strict=True))
    node.answer(LOAD, {**counted(**counts), "conflicts": ["mem_1_a"]})
    ended = csb("memory", "snapshot", "load", file, "--home", home.path)
    assert ended.out.splitlines() == [
        "1 memory loaded",
        "2 memories here already",
        "3 memories replaced",
        "5 memories deleted here, and not brought back",
        "6 memories of those loaded past their time to live: in cold, until tending deletes them",
        "4 memories here with another content, and left as they are:",
        "  mem_1_a",
        "To have them as the file says: add --replace",
        "Links that lead nowhere here: 7",
    ]
    assert node.last.body == orjson.loads(RAW)
    assert node.last.headers["Content-Type"] == MEDIA_TYPE
    csb("memory", "snapshot", "load", file, "--replace", "--lenient", "--dry-run", "--home", home.path)
    query = node.last.path.partition("?")[2]
    assert {"replace=true", "lenient=true", "dry_run=true"} < set(query.split("&"))


def test_a_dry_run_says_that_nothing_is_done(csb, home, node, file) -> None:
    node.answer(LOAD, {**LOADED, "dry_run": True})
    ended = csb("memory", "snapshot", "load", file, "--dry-run", "--home", home.path)
    assert ended.out == "Nothing is done; this would be:\n0 memories loaded\n"


def test_load_reads_standard_input(csb, home, node, monkeypatch) -> None:
    node.answer(LOAD, LOADED)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RAW)))
    assert csb("memory", "snapshot", "load", "-", "--home", home.path, "--json").json == LOADED
    assert node.last.body == orjson.loads(RAW)


@requirement("MEM-006-6.2-artifact")
def test_load_names_the_task_that_brought_it(csb, home, node) -> None:
    node.answer(LOAD, LOADED)
    assert csb("memory", "snapshot", "load", "--task", "task-1", "--home", home.path).status == 0
    assert node.last.body == {"task_id": "task-1"}
    csb("memory", "snapshot", "load", "--task", "task-1", "--part", "0", "--replace", "--home", home.path)
    assert (node.last.body, node.last.path) == ({"task_id": "task-1", "part": 0}, f"{PLACE}/load?replace=true")


@requirement("MEM-006-6.2-skill")
def test_load_takes_all_in_the_folder_of_a_skill(csb, home, node, tmp_path) -> None:
    folder = tmp_path / "skill" / "snapshots"
    folder.mkdir(parents=True)
    files = [folder / f"{name}{SUFFIX}" for name in ("b", "a")]
    for file in files:
        file.write_bytes(RAW)
    (folder / "README.md").write_text("what these are")
    node.answer(LOAD, counted(loaded=3))
    ended = csb("memory", "snapshot", "load", "--skill", tmp_path / "skill", "--home", home.path)
    assert ended.out.splitlines() == [f"{file}: 3 memories loaded" for file in sorted(files)]
    assert len(node.asked) == 2
    assert (
        len(csb("memory", "snapshot", "load", "--skill", tmp_path / "skill", "--home", home.path, "--json").json) == 2
    )
    for folder_without in (tmp_path, home.path):
        ended = csb("memory", "snapshot", "load", "--skill", folder_without, "--home", home.path, "--json")
        assert ended.error["field"] == "skill"


@requirement("MEM-006-6.2-http")
def test_load_downloads_from_the_address_that_the_owner_names(csb, home, node) -> None:
    node.answer(LOAD, LOADED)
    with played() as elsewhere:
        elsewhere.answer("GET /known", RAW)
        url = f"{elsewhere.url}/known?signature=secret"
        assert csb("memory", "snapshot", "load", url, "--home", home.path, "--json").json == LOADED
        assert "Authorization" not in elsewhere.last.headers
    assert node.last.body == orjson.loads(RAW)
    assert "known" in node.last.path
    assert "secret" not in node.last.path


@requirement("MEM-006-6.2-http")
def test_a_download_follows_to_the_same_place_and_to_no_other(csb, home, node) -> None:
    node.answer(LOAD, LOADED)
    with played() as elsewhere, played() as third:
        elsewhere.redirect("GET /moved", f"{elsewhere.url}/known")
        elsewhere.answer("GET /known", RAW)
        assert csb("memory", "snapshot", "load", f"{elsewhere.url}/moved", "--home", home.path).status == 0
        elsewhere.redirect("GET /away", f"{third.url}/known")
        ended = csb("memory", "snapshot", "load", f"{elsewhere.url}/away", "--home", home.path, "--json")
        assert ended.error["code"] == "peer_broke_protocol"
        assert third.asked == []
        elsewhere.redirect("GET /round", f"{elsewhere.url}/round")
        ended = csb("memory", "snapshot", "load", f"{elsewhere.url}/round", "--home", home.path, "--json")
        assert ended.error["code"] == "peer_broke_protocol"
        assert len(elsewhere.asked) == 3 + download.REDIRECTS_MAX + 1
    assert [asked.path.partition("?")[0] for asked in node.asked] == [f"{PLACE}/load"]


@requirement("MEM-006-6.2-http")
def test_a_download_is_bounded(csb, home, node) -> None:
    settings = home.settings_file
    settings.write_text(settings.read_text().replace("[limits]", "[limits]\nsnapshot_bytes = 100", 1))
    with played() as elsewhere:
        elsewhere.answer("GET /known", RAW)
        ended = csb("memory", "snapshot", "load", f"{elsewhere.url}/known", "--home", home.path, "--json")
    assert ended.error["code"] == "body_too_large"
    assert node.asked == []


@requirement("MEM-006-6.2-http")
@pytest.mark.parametrize(
    "url, code",
    [
        ("http://", "invalid_params"),
        ("https://user:secret@agent.example/x", "invalid_params"),
        ("http://127.0.0.1:0/x", "invalid_params"),
        ("http://[::1/x", "invalid_params"),
        ("http://127.0.0.1/\x01", "invalid_params"),
        ("http://xn--/x", "invalid_params"),
        (f"http://{'a' * 64}.example/x", "invalid_params"),
        ("http://.:80/x", "invalid_params"),
        ("http://127.0.0.1:99999/x", "invalid_params"),
        ("http://127.0.0.1:1/x", "peer_unreachable"),
    ],
)
def test_an_address_that_is_none_and_one_that_does_not_answer_are_told(csb, home, node, url: str, code: str) -> None:
    ended = csb("memory", "snapshot", "load", url, "--home", home.path, "--json")
    assert ended.error["code"] == code
    assert "secret" not in ended.err


@requirement("MEM-006-6.2-http")
def test_a_download_that_is_refused_is_told(csb, home, node) -> None:
    with played() as elsewhere:
        elsewhere.answer("GET /known", {"error": {"code": "unauthenticated", "reason": "no token"}}, 401)
        ended = csb("memory", "snapshot", "load", f"{elsewhere.url}/known", "--home", home.path, "--json")
    assert ended.error["code"] == "unauthenticated"


@requirement("MEM-006-6.2-http")
@pytest.mark.parametrize(
    "place",
    [*NO_ADDRESSES, "http://u:p@{host}/known"],
)
def test_a_download_follows_to_nothing_that_is_no_address_and_with_no_password(csb, home, node, place: str) -> None:
    with played() as elsewhere:
        host = elsewhere.url.removeprefix("http://")
        elsewhere.answer("GET /known", RAW)
        elsewhere.redirect("GET /moved", place.format(host=host))
        ended = csb("memory", "snapshot", "load", f"{elsewhere.url}/moved", "--home", home.path, "--json")
        assert len(elsewhere.asked) == 1
    assert ended.error["code"] == "peer_broke_protocol"
    assert node.asked == []


@requirement("MEM-006-6.2-http")
def test_no_more_is_read_of_what_is_no_file_than_tells_what_is_wrong(csb, home, node, monkeypatch) -> None:
    read: list[httpx.Response] = []

    def watched(url: str, response: httpx.Response) -> CsbError:
        read.append(response)
        return told_fault(url, response)

    monkeypatch.setattr(download, "told_fault", watched)
    with played() as elsewhere:
        elsewhere.answer("GET /known", b" " * (download.FAULT_BYTES + 70_000), 404)
        asked = ("memory", "snapshot", "load", f"{elsewhere.url}/known", "--home", home.path, "--json")
        assert csb(*asked).error["code"] == "peer_broke_protocol"
        assert [len(each.content) for each in read] == [download.FAULT_BYTES]
        monkeypatch.setattr(download, "WHOLE_S", -1.0)
        assert csb(*asked).error["code"] == "peer_unreachable"
        assert len(read) == 1


@requirement("MEM-006-6.2-http")
def test_the_token_of_a_file_goes_to_the_address_it_is_for(csb, home, node, tmp_path) -> None:
    node.answer(LOAD, LOADED)
    token = tmp_path / "token"
    token.write_text("secret")
    token.chmod(0o600)
    with played() as elsewhere:
        elsewhere.answer("GET /known", RAW)
        csb("memory", "snapshot", "load", f"{elsewhere.url}/known", "--token-file", token, "--home", home.path)
        assert elsewhere.last.headers["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    "arguments, field",
    [
        ([], "source"),
        (["x", "--task", "t"], "source"),
        (["--task", "t", "--skill", "s"], "source"),
        (["x", "--part", "1"], "part"),
        (["x", "--token-file", "t"], "token_file"),
        (["/nowhere/x"], "file"),
    ],
)
def test_one_thing_is_loaded_at_a_time(csb, home, node, arguments: list[str], field: str) -> None:
    ended = csb("memory", "snapshot", "load", *arguments, "--home", home.path, "--json")
    assert (ended.status, ended.error["code"], ended.error["field"]) == (2, "invalid_params", field)
    assert node.asked == []


def test_a_file_longer_than_a_snapshot_may_be_is_not_sent(csb, home, node, file) -> None:
    settings = home.settings_file
    settings.write_text(settings.read_text().replace("[limits]", "[limits]\nsnapshot_bytes = 100", 1))
    assert csb("memory", "snapshot", "load", file, "--home", home.path, "--json").error["field"] == "file"
    assert node.asked == []


@requirement("MEM-006-6.3-log", "MEM-003-3.1-commands")
def test_log_shows_what_was_loaded_and_from_where(csb, home, node) -> None:
    load = {
        "loaded_at": NOW,
        "agent": "Luna",
        "source": "https://agent.example/x",
        "checksum": "sha256:" + "ab" * 32,
        "counts": dict(zip(LOADED["counts"], range(1, 8), strict=True)),
        "conflicts": ["mem_1_a"],
    }
    page = {"loads": [load], "total": 2, "next_cursor": "abc"}
    node.answer("GET /v1/memory/snapshot-log", page)
    assert rows(csb("memory", "snapshot", "log", "--home", home.path))[1:] == [
        f"{moment(NOW)} Luna 1 2 3 4 5 sha256:abababababab https://agent.example/x",
        "There is more: add --after abc",
    ]
    assert csb("memory", "snapshot", "log", "--home", home.path, "--json").json == page


@requirement("MEM-003-3.1-commands")
def test_delete_lets_a_snapshot_go(csb, home, node) -> None:
    node.answer(f"DELETE {PLACE}/{ID}", {"id": ID, "deleted": True})
    assert csb("memory", "snapshot", "delete", ID, "--home", home.path).out == f"{ID} is deleted; its memories stay\n"
    assert csb("memory", "snapshot", "delete", ID, "--home", home.path, "--json").json["deleted"] is True


@requirement("MEM-006-6.2-artifact", "MEM-006-poison")
def test_a_snapshot_is_sent_to_another_node_and_loaded_there_by_its_owner_alone(csb, home, node, tmp_path) -> None:
    node.answer(f"GET {PLACE}/{ID}", RAW)
    ended, found = asyncio.run(_sent(csb, home, tmp_path))
    assert ended.status == 0, ended.err
    before, told, after = found
    assert before == []
    assert told["counts"]["loaded"] == 3
    assert after == ["mem_1_a", "mem_2_b", "mem_3_c"]


async def _sent(csb: Any, home: Any, place: Path) -> Any:
    async with served(place / "bo") as other:
        ended = await asyncio.to_thread(csb, "memory", "snapshot", "send", ID, other.url, "--home", home.path)
        async with other.client(other.token) as owner:
            ids = ["mem_1_a", "mem_2_b", "mem_3_c"]
            before = sorted(await other.world.ledger.entries_by_id(ids))
            (task,) = {message.task_id for message in await _messages(other)}
            told = (await owner.post(f"{PLACE}/load", json={"task_id": task})).json()
            return ended, (before, told, sorted(await other.world.ledger.entries_by_id(ids)))


async def _messages(other: Any) -> list[Any]:
    threads = await other.world.ledger.threads(None, None, None, 9)
    (thread,) = threads.rows
    return [
        message
        for message in await other.world.ledger.thread_messages(thread.id, thread.caller_key, None, 9)
        if any(part.media_type == MEDIA_TYPE for part in message.message.parts)
    ]
