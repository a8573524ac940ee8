"""Lists and searches tell what was asked for, and never everything at once."""

from __future__ import annotations

import pytest

from csbond.flows.write_memory import MemoryRequest, write_memory
from csbond.protocol.memory.answer_size import ANSWER_BYTES
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

ROOM = 1024
"""Bytes for what stands around the rows."""
MANY = 10_000


async def keep(world, count, text, **fields):
    """So many memories with the text and a number, each under an id of its own: that is written fastest."""
    raws = [
        {"id": f"mem_1_{number}", "content": f"第{number}条：{text}", "timestamp": NOW - number, **fields}
        for number in range(count)
    ]
    drafts = [draft_from_json(raw, world.clock.now(), LevelNames()) for raw in raws]
    await write_memory(world, [MemoryRequest(draft) for draft in drafts], OWNER, INTENT)


@requirement("MEM-003-3.1-bytes", "MEM-005-report-11-everything-at-once")
async def test_with_ten_thousand_memories_no_answer_tells_everything(owner, world):
    await keep(world, MANY, "茶" * 700)
    listed = await owner.get("/v1/memory", params={"limit": 100})
    assert len(listed.content) <= ANSWER_BYTES + ROOM
    page = listed.json()
    assert (page["total"], 0 < len(page["memories"]) < 100, bool(page["next_cursor"])) == (MANY, True, True)
    found = await owner.post("/v1/memory/search", json={"query": "茶茶", "limit": 100})
    assert len(found.content) <= ANSWER_BYTES + ROOM
    answer = found.json()
    assert (answer["total"], len(answer["results"]) + answer["left_off"]) == (100, 100)
    assert answer["left_off"] > 0


@requirement("MEM-003-3.1-bytes")
async def test_a_list_that_ends_earlier_goes_on_where_it_ended(owner, world):
    await keep(world, 120, "长" * 2000)
    contents: list[str] = []
    cursor = ""
    while cursor or not contents:
        page = (await owner.get("/v1/memory", params={"limit": 100, "cursor": cursor})).json()
        contents += [entry["content"] for entry in page["memories"]]
        cursor = page["next_cursor"]
    assert [content.partition("条")[0] for content in contents] == [f"第{number}" for number in range(120)]


@requirement("MEM-003-3.1-bytes")
async def test_one_memory_that_is_larger_than_an_answer_is_told_all_the_same(owner):
    note = "n" * 62_000
    for number in range(2):
        await owner.post("/v1/memory", json={"content": f"number {number}", "timestamp": NOW - number, "note": note})
    page = (await owner.get("/v1/memory")).json()
    assert [entry["content"] for entry in page["memories"]] == ["number 0"]
    rest = (await owner.get("/v1/memory", params={"cursor": page["next_cursor"]})).json()
    assert ([entry["content"] for entry in rest["memories"]], rest["next_cursor"]) == (["number 1"], "")


@requirement("MEM-003-3.1-bytes")
async def test_versions_that_end_earlier_go_on_where_they_ended(owner):
    place = f"/v1/memory/{(await owner.post('/v1/memory', json={'content': 'number 1'})).json()['id']}"
    for number in range(2, 25):
        await owner.put(place, json={"content": f"number {number}: " + "长" * 2000})
    numbers: list[int] = []
    cursor = ""
    while cursor or not numbers:
        page = (await owner.get(f"{place}/versions", params={"limit": 100, "cursor": cursor})).json()
        numbers += [each["metadata"]["version"] for each in page["versions"]]
        cursor = page["next_cursor"]
    assert numbers == list(range(23, 0, -1))


@requirement("MEM-003-3.1-bytes", "MEM-003-3.1-batch-each")
async def test_a_batch_names_by_their_ids_those_it_has_no_room_to_tell(owner):
    ids = []
    for number in range(4):
        body = {"content": f"number {number}", "note": "n" * 25_000}
        ids.append((await owner.post("/v1/memory", json=body)).json()["id"])
    memories = [{"content": ""}, *({"content": f"number {number}"} for number in range(4))]
    answer = await owner.post("/v1/memory/batch", json={"memories": memories})
    assert len(answer.content) <= ANSWER_BYTES + ROOM
    refused, *kept = answer.json()["results"]
    assert (refused["error"]["field"], "id" in refused) == ("content", False)
    assert [each["id"] for each in kept] == ids
    assert ["memory" in each for each in kept] == [True, True, False, False]
    assert [each["memory"]["id"] for each in kept[:2]] == ids[:2]
    assert answer.json()["left_off"] == 2


@requirement("MEM-003-3.1-filters")
@pytest.mark.parametrize(
    "params, contents",
    [
        ({"project": "ＬＩＧＨＴ house"}, {"Lamp tea."}),
        ({"since": str(NOW - 10)}, {"Lamp tea.", "Own tea.", "Told tea."}),
        ({"until": str(NOW - 10)}, {"Old tea.", "Own tea."}),
        ({"since": str(NOW - 10), "until": str(NOW - 10)}, {"Own tea."}),
        ({"text": "tea lamp"}, {"Lamp tea."}),
        ({"text": "tea", "type": "lesson"}, {"Old tea."}),
        ({"link_target": "agent:bo"}, {"Own tea."}),
        ({"link_target": "agent:bo", "type": "lesson"}, set()),
        ({"thread": "t-1"}, {"Told tea."}),
        ({"level": "cold", "source": "system"}, {"Old tea."}),
    ],
)
async def test_a_list_and_a_search_are_narrowed_by_every_part_of_a_filter(owner, world, params, contents):
    await tell(world, "Told tea.")
    for body in (
        {"content": "Lamp tea.", "metadata": {"project": "light-house"}},
        {"content": "Own tea.", "timestamp": NOW - 10, "links": [{"target_id": "agent:bo"}]},
        {"content": "Old tea.", "timestamp": NOW - 9000, "type": "lesson", "level": "cold", "source": "system"},
    ):
        assert (await owner.post("/v1/memory", json=body)).status_code == 201
    page = (await owner.get("/v1/memory", params=params)).json()
    assert {entry["content"] for entry in page["memories"]} == contents
    assert page["total"] == len(contents)
    found = (await owner.post("/v1/memory/search", json={"query": "tea", **params})).json()
    assert {entry["content"] for entry in found["results"]} == contents


@requirement("MEM-005-report-no-namespace")
@pytest.mark.parametrize(
    "params, field",
    [
        *(({name: ""}, name) for name in ("level", "type", "tag", "source", "project", "link_target", "since", "text")),
        ({"thread": " "}, "thread"),
        ({"project": " - "}, "project"),
        ({"deleted": "perhaps"}, "deleted"),
        ({"since": "5", "until": "4"}, "since"),
        ({"since": str(NOW + 360_000)}, "since"),
        ({"since": "yesterday"}, "since"),
        ({"link_target": "tea"}, "link_target"),
        ({"user_id": "ann"}, "user_id"),
    ],
)
async def test_an_empty_or_unknown_part_of_a_filter_never_means_everything(owner, params, field):
    await owner.post("/v1/memory", json={"content": "tea"})
    for answer in (
        await owner.get("/v1/memory", params=params),
        await owner.post("/v1/memory/search", json={"query": "tea", **params}),
    ):
        assert answer.status_code == 400, answer.text
        assert (answer.json()["error"]["code"], answer.json()["error"]["field"]) == ("invalid_params", field)


async def test_what_was_deleted_is_no_part_of_a_search(owner):
    answer = await owner.post("/v1/memory/search", json={"query": "tea", "deleted": True})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "deleted")
