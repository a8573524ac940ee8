"""`/v1/memory/export`, `/v1/memory/import` and `/v1/memory/vector-maps` (CSB v1.0 §1.2.4)."""

from __future__ import annotations

import base64
from dataclasses import replace

import orjson
import pytest

from csbond.flows.changes import Change
from csbond.flows.limits import Limits
from csbond.flows.memory_changes import PutVectorMap
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.foreign_lines import LINES_MAX
from csbond.protocol.memory.vector_map import VectorMap
from csbond.protocol.memory.vectors import pack
from csbond_tests.import_samples import FOLDER, files, source
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW

IMPORT = "/v1/memory/import"
EXPORT = "/v1/memory/export"
MAPS = "/v1/memory/vector-maps"
NDJSON = {"Content-Type": "application/x-ndjson"}


async def imported(client, raw, form="interop", headers=NDJSON, **query):
    """The lines of an import, and its sum."""
    answer = await client.post(IMPORT, content=raw, headers=headers, params={"format": form, **query})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    lines = [orjson.loads(line) for line in answer.content.splitlines()]
    return lines[:-1], lines[-1].get("import")


async def exported(client, **body):
    answer = await client.post(EXPORT, json=body)
    assert answer.status_code == 200, answer.text
    lines = [orjson.loads(line) for line in answer.content.splitlines()]
    return lines[:-1], lines[-1]["export"]


async def refusal(client, raw, form="interop", headers=NDJSON, **query):
    answer = await client.post(IMPORT, content=raw, headers=headers, params={"format": form, **query})
    return answer.status_code, answer.json()["error"]["code"], answer.json()["error"].get("field", "")


def folder(name):
    return orjson.dumps({"files": [{"path": file.path, "text": file.text} for file in files(name)]})


@requirement("MEM-003-interop-format", "MEM-003-interop-each")
async def test_every_line_of_a_source_has_an_outcome_and_the_sum_is_all_of_them(owner):
    lines, total = await imported(owner, source("interop.ndjson"))
    assert [line["outcome"] for line in lines[:3]] == ["stored"] * 3
    refused = [line for line in lines if line["outcome"] == "refused"]
    assert [line["place"] for line in refused] == [f"line {number}" for number in range(4, 13)]
    assert refused[0]["error"]["field"] == "mem_interop.version"
    assert total == {"records": 12, "outcomes": {"stored": 3, "refused": 9}, "links": {"set": 2, "refused": 0}}
    documents, _ = await exported(owner)
    bond = next(each["mem_interop"] for each in documents if each["mem_interop"]["agent"].startswith("青烛"))
    assert (bond["type"], bond["ttl_days"], bond["timestamp"]) == ("event", 90, 1700000000000)
    assert bond["content"] == "第20天和清漪的第一次A2A对话"
    assert bond["links"] == [{"target": "agent:清漪", "relation": "peer", "weight": 0.8}]


@requirement("MEM-003-interop-round-trip", "MEM-005-report-re-ingest")
async def test_what_was_exported_is_unchanged_when_it_is_imported_again(owner):
    await owner.post("/v1/memory", json={"content": "喝茶不加糖。", "tags": ["茶"], "mood": "calm", "level": "hot"})
    await imported(owner, source("mcp.jsonl"), "mcp")
    answer = await owner.post(EXPORT)
    lines, total = await imported(owner, answer.content)
    assert {line["outcome"] for line in lines} == {"unchanged"}
    assert total["outcomes"] == {"unchanged": 5}
    assert (await owner.post(EXPORT)).content == answer.content


@requirement("MEM-003-interop-markdown", "MEM-003-interop-custodian")
@pytest.mark.parametrize("name", ["markdown", "custodian"])
async def test_a_folder_comes_as_its_files(owner, name):
    lines, total = await imported(owner, folder(name), name)
    assert total["outcomes"].get("refused", 0) == 0
    assert total["outcomes"]["stored"] == len([line for line in lines if line["outcome"] == "stored"]) > 5
    _again, total = await imported(owner, folder(name), name)
    assert set(total["outcomes"]) == {"unchanged"}


@requirement("MEM-003-interop-json")
async def test_the_fields_of_a_json_list_are_recognised_or_told(owner):
    _, total = await imported(owner, source("json-list.json"), "json")
    assert total["outcomes"] == {"stored": 4, "refused": 3}
    raw = orjson.dumps([{"uuid": "u1", "note": "A note.", "text": "not this", "when": 1767600000}])
    told = "content=note,id=uuid,timestamp=when"
    lines, _ = await imported(owner, raw, "json", map=told, agent="Vera's notes")
    entry = (await owner.get(f"/v1/memory/{lines[0]['ids'][0]}")).json()
    assert (entry["content"], entry["timestamp"], entry["imported"]) == ("A note.", 1767600000000, {"text": "not this"})
    assert await refusal(owner, raw, "json", map="body=note") == (400, "invalid_params", "map")


@requirement("MEM-002-2.1-published")
async def test_the_published_form_is_told_and_read_as_it_stands(owner):
    _, total = await imported(owner, source("published.ndjson"), "published")
    assert total["outcomes"] == {"stored": 1, "refused": 7}
    await owner.post("/v1/memory", json={"content": "A dot.", "tags": ["v0.8"], "business_context": {"priority": 3}})
    documents, total = await exported(owner, format="published")
    assert {"tags", "visibility", "business_context"} <= set(total["lost"])
    assert all(
        set(each) <= {"id", "type", "content", "tags", "timestamp", "source", "level", "metadata"} for each in documents
    )


@requirement("MEM-001-1.3-import-4096")
async def test_contents_of_the_published_length_are_taken_when_that_is_asked_for(owner):
    lines = [
        {"mem_interop": {"agent": "V", "timestamp": n, "type": "event", "content": "字" * n}} for n in (4096, 4097)
    ]
    told, _ = await imported(owner, b"\n".join(map(orjson.dumps, lines)), content_max=4096)
    assert [line["outcome"] for line in told] == ["pieces", "refused"]
    assert told[1]["error"]["field"] == "content"
    assert (await refusal(owner, b"", content_max=100))[:2] == (400, "invalid_params")


@pytest.mark.parametrize(
    "path", ["../out.md", "/etc/passwd", "a/../../b.md", "C:\\x.md", "a//b.md", "..", "", "a\\..\\b"]
)
@requirement("MEM-003-interop-markdown")
async def test_a_path_that_leads_out_of_the_folder_is_refused(owner, path):
    raw = orjson.dumps({"files": [{"path": "good.md", "text": "x"}, {"path": path, "text": "x"}]})
    assert await refusal(owner, raw, "markdown") == (400, "invalid_params", "files[1].path")
    assert (await exported(owner))[0] == []


@pytest.mark.parametrize(
    "raw, form, expected",
    [
        (b"[" * 100_000, "json", (400, "parse_error", "")),
        (b'{"memories": 3}', "json", (400, "invalid_params", "body")),
        (b"[" + b"1," * 2_000_001 + b"1]", "json", (413, "body_too_large", "")),
        (b"\n" * (LINES_MAX + 1), "mcp", (413, "body_too_large", "")),
        (b"not json", "markdown", (400, "parse_error", "")),
        (b'{"files": []}', "markdown", (400, "invalid_params", "files")),
        (b'{"files": [{"path": "a", "text": 1}]}', "custodian", (400, "invalid_params", "files[0]")),
        (
            b'{"files": [{"path": "a", "text": ""}, {"path": "a", "text": ""}]}',
            "markdown",
            (400, "invalid_params", "files"),
        ),
        (b"", "json", (400, "parse_error", "")),
        (b"", "tar", (400, "invalid_params", "format")),
    ],
    ids=[
        "deeply nested",
        "no list",
        "two million values",
        "half a million lines",
        "no JSON",
        "no files",
        "no text",
        "a path twice",
        "nothing",
        "an unknown format",
    ],
)
async def test_a_source_that_is_none_is_refused_before_anything_is_written(owner, ledger, raw, form, expected):
    assert await refusal(owner, raw, form) == expected
    assert ledger.changes == []


@requirement("MEM-003-interop-each")
async def test_a_line_that_nests_too_deep_or_is_no_character_spoils_no_other(owner):
    good = orjson.dumps({"mem_interop": {"agent": "V", "timestamp": 1, "type": "event", "content": "Good."}})
    bad = [b"[" * 70 + b"]" * 70, b'"\\ud83d"', b"\xff\xfe", b"1e999", b"{" * 2000, b"null", b'{"mem_interop": null}']
    lines, total = await imported(owner, b"\n".join([*bad, good, b"", b"  "]))
    assert [line["outcome"] for line in lines] == ["refused"] * 7 + ["stored"]
    assert [line["error"]["code"] for line in lines[:5]] == ["parse_error"] * 5
    assert total["records"] == 8


async def test_an_empty_source_has_no_records(owner):
    assert await imported(owner, b"") == ([], {"records": 0, "outcomes": {}, "links": {"set": 0, "refused": 0}})


async def test_a_source_may_be_longer_than_other_bodies_but_not_endless(served, owner_of):
    limits = Limits(import_bytes=100_000)
    short = replace(served, world=replace(served.world, limits=limits))
    async with owner_of(short) as owner:
        line = orjson.dumps({"mem_interop": {"agent": "V", "timestamp": 1, "type": "event", "content": "x" * 80_000}})
        lines, _ = await imported(owner, line)
        assert lines[0]["outcome"] == "pieces"
        assert (await refusal(owner, b" " * 100_001))[:2] == (413, "body_too_large")


async def test_a_source_of_another_media_type_is_refused(owner):
    image = {"Content-Type": "image/png"}
    assert (await refusal(owner, b"x", headers=image))[:2] == (415, "content_type_not_supported")


@requirement("MEM-003-interop-each")
async def test_what_ends_an_import_early_is_its_last_line(owner, ledger):
    line = b'{"type":"entity","name":"N%d","entityType":"t","observations":["o"]}'
    raw = b"\n".join(line % number for number in range(300))
    commit = ledger.commit
    calls = []

    async def full(change):
        calls.append(change)
        if len(calls) > 1:
            raise Unavailable("storage_full", "the disk is full")
        return await commit(change)

    ledger.commit = full
    answer = await owner.post(IMPORT, content=raw, headers=NDJSON, params={"format": "mcp"})
    lines = [orjson.loads(each) for each in answer.content.splitlines()]
    assert [each["outcome"] for each in lines[:-1]] == ["stored"] * 50
    assert lines[-1]["error"]["code"] == "storage_full"


async def test_a_fault_of_the_node_is_told_without_what_it_was(owner, world, ledger):
    await owner.post("/v1/memory", json={"content": "tea"})
    documents = await ledger.entries_by_id([])
    assert documents == {}

    async def broken(entry_id):
        raise RuntimeError("a secret of the node")

    ledger.entry_pieces = broken
    for number in range(3):
        await owner.post("/v1/memory", json={"content": f"tea {number}"})
    answer = await owner.post(EXPORT)
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert "secret" not in answer.text


@requirement("MEM-003-3.1-owner")
@pytest.mark.parametrize("method, place", [("POST", EXPORT), ("POST", f"{IMPORT}?format=mcp"), ("GET", MAPS)])
async def test_principals_neither_import_nor_export(editor, method, place):
    answer = await editor.request(method, place)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


async def test_an_export_holds_what_fits_its_filter(owner):
    for content, tags in (("tea", ["a"]), ("milk", ["b"])):
        await owner.post("/v1/memory", json={"content": content, "tags": tags})
    documents, total = await exported(owner, filter={"tag": "a"})
    assert [each["mem_interop"]["content"] for each in documents] == ["tea"]
    assert total["memories"] == 1
    for body, field in (
        ({"filters": {}}, "filters"),
        ({"filter": {"tags": "a"}}, "filter.tags"),
        ({"format": "xml"}, "format"),
    ):
        answer = await owner.post(EXPORT, json=body)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@requirement("MEM-003-interop-map")
async def test_without_a_model_of_its_own_a_node_fits_no_map_and_says_why(owner):
    await imported(owner, source("interop.ndjson"))
    shown = (await owner.get(MAPS)).json()
    fingerprint = "sha256_of_model_config"
    assert shown["models"] == [
        {"fingerprint": fingerprint, "model": "text-embedding-3-small", "dimension": 2, "vectors": 1}
    ]
    answer = await owner.post(MAPS, json={"fingerprint": fingerprint})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "vector_map_refused")
    assert "semantic" in answer.json()["error"]["next_step"]
    assert (await owner.post(MAPS, json={"fingerprint": ""})).status_code == 400


@requirement("MEM-003-interop-map")
async def test_a_map_is_told_whole_to_who_asks_for_it(owner, ledger):
    matrix = pack((1.0, 2.0))
    kept = VectorMap("f1", "own", 2, 1, matrix, 60, 0.25, NOW)
    await ledger.commit(Change("home", (PutVectorMap(kept), PutVectorMap(replace(kept, from_fingerprint="f2")))))
    told = (await owner.get(MAPS, params={"matrix": "f1"})).json()["maps"]
    assert [each.get("matrix") for each in told] == [base64.b64encode(matrix).decode(), None]
    assert [each["error"] for each in (await owner.get(MAPS)).json()["maps"]] == [0.25, 0.25]


def test_the_samples_are_there():
    assert sorted(path.name for path in FOLDER.iterdir() if path.is_dir()) == ["custodian", "markdown"]
