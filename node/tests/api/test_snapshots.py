"""`/v1/memory/snapshot` (MEM-003 §3.1, MEM-006)."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import orjson
import pytest

from csbond.flows.changes import AppendMessage, Change, KeepThread
from csbond.flows.load_snapshot import SOURCE_MAX
from csbond.protocol.memory.snapshot import MEDIA_TYPE, SUFFIX
from csbond.protocol.messages.part import Part, PartKind
from csbond_tests.ledger_samples import a_message, a_thread
from csbond_tests.requirements import requirement
from csbond_tests.snapshots import file_of, memory, resealed, three_memories

PLACE = "/v1/memory/snapshot"
FILE = {"Content-Type": MEDIA_TYPE}
RAW = file_of(*three_memories())


async def load(client, raw=RAW, headers=FILE, **query):
    return await client.post(f"{PLACE}/load", content=raw, headers=headers, params=query)


async def brought(world, *parts, task="task-1"):
    """Let somebody say something with these parts, in a task."""
    said = a_message(f"m-{task}", parts=parts, task_id=task, caller_key="anonymous")
    await world.ledger.commit(Change("home", (KeepThread(a_thread("thread-1", "anonymous")), AppendMessage(said))))


def code_of(answer):
    return answer.status_code, answer.json()["error"]["code"], answer.json()["error"].get("field")


@requirement("MEM-003-3.1-snapshot")
async def test_a_snapshot_is_made_listed_shown_and_deleted(owner):
    for number in range(3):
        await owner.post("/v1/memory", json={"content": f"tea {number}", "tags": ["tea"], "level": "hot"})
    made = await owner.post(PLACE, json={"description": "tea", "filter": {"tag": "tea", "text": "2"}})
    assert made.status_code == 201
    head = made.json()
    assert (head["totalCount"], head["levels"]["hot"], head["description"]) == (1, 1, "tea")
    assert made.headers["location"] == f"{PLACE}/{head['id']}"
    assert (await owner.get("/v1/memory/snapshots")).json()["snapshots"] == [head]
    file = await owner.get(f"{PLACE}/{head['id']}")
    assert file.headers["content-type"].startswith(MEDIA_TYPE)
    assert file.headers["content-disposition"] == f'attachment; filename="{head["id"]}{SUFFIX}"'
    assert [each["content"] for each in file.json()["memories"]] == ["tea 2"]
    assert file.json()["metadata"]["checksum"] == head["checksum"]
    assert (await owner.delete(f"{PLACE}/{head['id']}")).json() == {"id": head["id"], "deleted": True}
    assert code_of(await owner.get(f"{PLACE}/{head['id']}"))[:2] == (404, "snapshot_not_found")


@requirement("MEM-003-3.1-snapshot")
async def test_snapshots_are_listed_page_by_page(owner, world):
    ids = []
    for _ in range(3):
        ids.append((await owner.post(PLACE)).json()["id"])
        world.clock.advance(5)
    first = (await owner.get("/v1/memory/snapshots?limit=2")).json()
    rest = (await owner.get("/v1/memory/snapshots", params={"cursor": first["next_cursor"]})).json()
    assert [each["id"] for each in first["snapshots"] + rest["snapshots"]] == ids[::-1]
    assert (first["total"], rest["next_cursor"]) == (3, "")


@requirement("MEM-006-6.3-order", "MEM-006-6.3-log")
async def test_a_file_is_loaded_and_the_log_says_so(owner):
    answer = await load(owner, source="https://agent.example/x")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["counts"]["loaded"], told["loaded"]) == (3, ["mem_1_a", "mem_2_b", "mem_3_c"])
    assert (await owner.get("/v1/memory/mem_2_b")).json()["content"] == "河水很冷。"
    (line,) = (await owner.get("/v1/memory/snapshot-log")).json()["loads"]
    assert (line["id"], line["source"]) == (told["log_id"], "https://agent.example/x")
    assert line["counts"] == told["counts"]


@requirement("MEM-006-6.3-conflict")
async def test_a_conflict_is_named_and_settled_by_the_owner(owner):
    await load(owner)
    await owner.put("/v1/memory/mem_3_c", json={"content": "We did not swim."})
    told = (await load(owner)).json()
    assert (told["conflicts"], told["counts"]["same"]) == (["mem_3_c"], 2)
    assert (await load(owner, dry_run="true", replace="true")).json()["replaced"] == ["mem_3_c"]
    assert (await owner.get("/v1/memory/mem_3_c")).json()["content"] == "We did not swim."
    assert (await load(owner, replace="true")).json()["replaced"] == ["mem_3_c"]
    assert (await owner.get("/v1/memory/mem_3_c")).json()["content"] == "We swam."


@requirement("MEM-006-verify")
async def test_a_file_is_verified_and_not_loaded(owner, ledger):
    answer = await owner.post(f"{PLACE}/verify", content=RAW, headers=FILE)
    assert (answer.json()["valid"], answer.json()["snapshot"]["totalCount"]) == (True, 3)
    assert ledger.changes == []
    spoiled = await owner.post(f"{PLACE}/verify", content=RAW.replace(b"cold", b"warm", 1), headers=FILE)
    assert code_of(spoiled) == (400, "snapshot_refused", "metadata.checksum")


async def test_a_name_that_nobody_knows_is_let_pass_where_the_owner_says_so(owner):
    raw = resealed(RAW, snapshot__editor="x")
    assert code_of(await load(owner, raw)) == (400, "snapshot_refused", "snapshot.editor")
    assert (await load(owner, raw, lenient="true")).json()["unknown"] == ["snapshot.editor"]


@pytest.mark.parametrize(
    "headers", [FILE, {"Content-Type": "application/json"}, {"Content-Type": f"{MEDIA_TYPE}; charset=utf-8"}]
)
async def test_a_file_comes_as_what_it_is_or_as_json(owner, headers):
    assert (await load(owner, headers=headers)).status_code == 200


@requirement("MEM-006-6.3-changed-byte")
@pytest.mark.parametrize(
    "raw, headers, status, code",
    [
        (b"", FILE, 400, "snapshot_refused"),
        (b"{", FILE, 400, "snapshot_refused"),
        (RAW[:-9], FILE, 400, "snapshot_refused"),
        (b"[]", FILE, 400, "snapshot_refused"),
        (b"{}", {"Content-Type": "application/json"}, 400, "snapshot_refused"),
        (RAW, {"Content-Type": "text/plain"}, 415, "content_type_not_supported"),
        (b'{"task_id": 5}', {}, 400, "invalid_params"),
        (b'{"task_id": "t", "part": -1}', {}, 400, "invalid_params"),
        (b'{"task_id": "t", "url": "http://x"}', {}, 400, "invalid_params"),
        (b'{"task_id": "t"}', {}, 404, "task_not_found"),
    ],
)
async def test_what_is_no_snapshot_is_refused_and_nothing_is_written(owner, ledger, raw, headers, status, code):
    assert code_of(await load(owner, raw, headers))[:2] == (status, code)
    assert ledger.changes == []


async def test_a_body_beyond_the_limit_is_refused(served, owner_of):
    limits = replace(served.world.limits, snapshot_bytes=1000)
    few = replace(served.world.limits, snapshot_memories=2)
    large = RAW + b" " * 70_000
    async with owner_of(replace(served, world=replace(served.world, limits=limits))) as owner:
        assert code_of(await load(owner, large))[:2] == (413, "body_too_large")
        assert code_of(await load(owner))[:2] == (400, "snapshot_refused")
    async with owner_of(replace(served, world=replace(served.world, limits=few))) as owner:
        assert code_of(await load(owner)) == (400, "snapshot_refused", "memories")


async def test_a_snapshot_longer_than_other_bodies_may_be_is_loaded(owner):
    memories = [memory(f"mem_1_{number}", "river " * 300) for number in range(60)]
    raw = file_of(*memories)
    assert len(raw) > 64 * 1024
    assert (await load(owner, raw)).json()["counts"]["loaded"] == 60


@pytest.mark.parametrize(
    "body, field",
    [
        ({"description": 5}, "description"),
        ({"description": "x" * 513}, "description"),
        ({"filter": {"level": "lukewarm"}}, "filter.level"),
        ({"filter": {"deleted": True}}, "filter.deleted"),
        ({"filter": {"who": "ann"}}, "filter.who"),
        ({"filter": 5}, "filter"),
        ({"links": 1}, "links"),
        ({"embeddings": "yes"}, "embeddings"),
        ({"embedding": True}, "embedding"),
    ],
)
async def test_a_wish_that_cannot_be_met_is_named(owner, ledger, body, field):
    assert code_of(await owner.post(PLACE, json=body)) == (400, "invalid_params", field)
    assert ledger.changes == []


async def test_a_source_that_is_too_long_is_refused(owner):
    assert code_of(await load(owner, source="x" * (SOURCE_MAX + 1)))[:2] == (400, "invalid_params")


@requirement("MEM-006-6.2-artifact")
@pytest.mark.parametrize(
    "part",
    [
        Part(PartKind.FILE, RAW, MEDIA_TYPE, "what.json"),
        Part(PartKind.FILE, RAW, "application/octet-stream", f"snap_1{SUFFIX}"),
        Part(PartKind.DATA, orjson.loads(RAW)),
        Part(PartKind.TEXT, RAW.decode(), MEDIA_TYPE),
    ],
)
async def test_a_snapshot_that_came_with_a_task_is_loaded_by_the_owners_order(owner, world, part):
    await brought(world, Part(PartKind.TEXT, "hello"), part)
    answer = await owner.post(f"{PLACE}/load", json={"task_id": "task-1"})
    assert answer.json()["counts"]["loaded"] == 3, answer.text
    assert (await owner.get("/v1/memory/snapshot-log")).json()["loads"][0]["source"] == "task:task-1"


@requirement("MEM-006-6.2-artifact")
async def test_of_several_snapshots_of_a_task_one_is_named(owner, world):
    other = file_of(memory("mem_9_z"))
    await brought(world, Part(PartKind.FILE, RAW, MEDIA_TYPE), Part(PartKind.FILE, other, MEDIA_TYPE))
    for body in ({"task_id": "task-1"}, {"task_id": "task-1", "part": 2}):
        assert code_of(await owner.post(f"{PLACE}/load", json=body)) == (400, "invalid_params", "part")
    answer = await owner.post(f"{PLACE}/load", json={"task_id": "task-1", "part": 1})
    assert answer.json()["loaded"] == ["mem_9_z"]


@requirement("MEM-006-6.2-artifact")
async def test_an_address_that_came_with_a_task_is_not_opened_and_a_task_without_one_has_none(owner, world):
    await brought(world, Part(PartKind.URL, "http://127.0.0.1:9/x", MEDIA_TYPE), task="task-1")
    await brought(world, Part(PartKind.TEXT, "hello"), task="task-2")
    assert code_of(await owner.post(f"{PLACE}/load", json={"task_id": "task-1"})) == (400, "invalid_params", "part")
    answer = await owner.post(f"{PLACE}/load", json={"task_id": "task-2"})
    assert code_of(answer)[:2] == (404, "snapshot_not_found")


async def test_snapshots_are_for_the_owner_alone(ann, editor, anybody, owner):
    head = (await owner.post(PLACE)).json()
    for client, status in ((ann, 403), (editor, 403), (anybody, 401)):
        for method, path in (
            ("POST", PLACE),
            ("GET", "/v1/memory/snapshots"),
            ("GET", f"{PLACE}/{head['id']}"),
            ("DELETE", f"{PLACE}/{head['id']}"),
            ("POST", f"{PLACE}/load"),
            ("POST", f"{PLACE}/verify"),
            ("GET", "/v1/memory/snapshot-log"),
        ):
            assert (await client.request(method, path, json={})).status_code == status, (method, path)


async def test_what_the_routes_take_and_answer_is_what_the_document_says(owner, anybody):
    document = (await anybody.get("/openapi.json")).json()

    def check(name, value):
        jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", **document}).validate(value)

    await owner.post("/v1/memory", json={"content": "tea", "embedding": [0.5]})
    body = {"description": "x", "filter": {"level": "warm"}, "embeddings": True, "links": False}
    check("SnapshotWrite", body)
    head = (await owner.post(PLACE, json=body)).json()
    check("Snapshot", head)
    check("SnapshotPage", (await owner.get("/v1/memory/snapshots")).json())
    check("SnapshotDocument", (await owner.get(f"{PLACE}/{head['id']}")).json())
    check("SnapshotFile", orjson.loads(RAW))
    check("SnapshotFile", {"task_id": "t", "part": 0})
    check("SnapshotVerified", (await owner.post(f"{PLACE}/verify", content=RAW, headers=FILE)).json())
    check("SnapshotLoaded", (await load(owner)).json())
    check("SnapshotLog", (await owner.get("/v1/memory/snapshot-log")).json())
    check("SnapshotDeleted", (await owner.delete(f"{PLACE}/{head['id']}")).json())
    operations = document["paths"][f"{PLACE}/{{id}}"]["get"]["responses"]["200"]["content"]
    assert list(operations) == [MEDIA_TYPE]
    assert MEDIA_TYPE in document["paths"][f"{PLACE}/load"]["post"]["requestBody"]["content"]
