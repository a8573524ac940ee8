"""A text that is longer than one memory: told by its pieces, and as far as one answer holds it."""

from __future__ import annotations

import orjson

from csbond.protocol.memory.answer_size import ANSWER_BYTES
from csbond.protocol.messages.listing import cursor_of
from csbond_tests.memories import tell
from csbond_tests.requirements import requirement

ROOM = 1024
"""Bytes for what stands around the text."""


@requirement("MEM-001-1.3-long")
async def test_a_piece_of_a_long_text_is_shown_with_the_whole_text(owner, world):
    text = "A sentence that goes on. " * 200
    pieces = await tell(world, text)
    shown = (await owner.get(f"/v1/memory/{pieces[1].id}")).json()
    assert shown["content"] == pieces[1].content
    assert shown["text"] == text.strip()
    assert (shown["pieces"], shown["next_cursor"]) == ([piece.id for piece in pieces], "")
    assert (shown["extends"], shown["piece"]) == (pieces[0].id, 1)
    assert shown["origin"]["speaker"] == "Ann"


@requirement("MEM-003-3.1-if-match")
async def test_a_piece_is_sent_again_since_its_text_changes_by_the_other_pieces(owner, world):
    pieces = await tell(world, "A sentence that goes on. " * 200)
    place = f"/v1/memory/{pieces[0].id}"
    await owner.put(f"/v1/memory/{pieces[1].id}", json={"content": "Another end."})
    answer = await owner.get(place, headers={"If-None-Match": (await owner.get(place)).headers["etag"]})
    assert answer.status_code == 200
    assert "Another end." in answer.json()["text"]


@requirement("MEM-003-3.1-if-match", "MEM-007-7.3-everywhere")
async def test_a_piece_is_sent_again_when_the_caller_may_be_told_less_of_its_text(owner, ann, world):
    pieces = await tell(world, "A sentence that goes on. " * 200)
    for piece in pieces[:2]:
        await owner.put(f"/v1/memory/{piece.id}", json={"visibility": "public"})
    place = f"/v1/memory/{pieces[0].id}"
    known = await ann.get(place)
    assert known.json()["pieces"] == [piece.id for piece in pieces[:2]]
    await owner.put(f"/v1/memory/{pieces[1].id}", json={"visibility": "private"})
    answer = await ann.get(place, headers={"If-None-Match": known.headers["etag"]})
    assert answer.status_code == 200
    assert "pieces" not in answer.json()


async def test_a_piece_that_is_sent_back_as_it_was_read_stays_as_it_is(owner, world):
    pieces = await tell(world, "A sentence that goes on. " * 200)
    place = f"/v1/memory/{pieces[1].id}"
    read = (await owner.get(place)).json()
    answer = await owner.put(place, json=read)
    assert (answer.headers["etag"], (await owner.get(place)).json()) == ('"1"', read)


@requirement("MEM-003-3.1-bytes")
async def test_a_long_text_is_told_a_part_at_a_time_and_its_parts_make_it_whole(owner, world):
    text = "".join(f"第{number}句话说的是茶。" for number in range(8000))
    pieces = await tell(world, text)
    place = f"/v1/memory/{pieces[3].id}"
    told, cursor = "", ""
    ids: list[str] = []
    while cursor or not told:
        answer = await owner.get(place, params={"cursor": cursor})
        assert len(answer.content) <= ANSWER_BYTES + ROOM
        part = answer.json()
        assert part["content"] == pieces[3].content
        told, ids, cursor = told + part["text"], ids + part["pieces"], part["next_cursor"]
        assert answer.headers["etag"] == '"1"'
    assert (told, ids) == (text, [piece.id for piece in pieces])
    await owner.delete(place)
    restored = await owner.patch(f"{place}/restore")
    assert len(orjson.dumps(restored.json()["memory"])) <= ANSWER_BYTES + ROOM
    assert restored.json()["memory"]["next_cursor"]


async def test_a_cursor_of_another_text_leads_nowhere(owner, world):
    (first, *_), (alone,) = await tell(world, "茶" * 50_000), await tell(world, "It rained.")
    cursor = (await owner.get(f"/v1/memory/{first.id}")).json()["next_cursor"]
    for id_, wrong in ((alone.id, cursor), (first.id, "here"), (first.id, cursor_of((0, alone.id)))):
        answer = await owner.get(f"/v1/memory/{id_}", params={"cursor": wrong})
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "cursor")


@requirement("MEM-003-3.1-restore", "MEM-005-5.2-window")
async def test_a_deleted_memory_comes_back_with_every_piece_of_its_text(owner, world):
    pieces = await tell(world, "A sentence that goes on. " * 200)
    ids = [piece.id for piece in pieces]
    place = f"/v1/memory/{ids[1]}"
    before = (await owner.get(place)).json()
    await owner.delete(place)
    answer = await owner.patch(f"{place}/restore")
    assert (answer.status_code, answer.headers["etag"]) == (200, '"3"')
    assert answer.json()["restored"] == ids
    assert answer.json()["memory"] == (await owner.get(place)).json()
    assert answer.json()["memory"]["text"] == before["text"]
    assert (await owner.patch(f"{place}/restore")).json() == answer.json(), "it lives already"
    await owner.delete(place)
    world.clock.moment += 30 * 24 * 3600 * 1000
    late = await owner.patch(f"{place}/restore")
    fault = late.json()["error"]
    assert (late.status_code, fault["code"], fault["next_step"]) == (409, "not_restorable", "write it anew")
