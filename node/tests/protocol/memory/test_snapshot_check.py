"""A snapshot is believed only when it is whole (MEM-006 §6.3)."""

from __future__ import annotations

import gzip
import re

import orjson
import pytest

from csbond.protocol import json_shape
from csbond.protocol.canonical_json import canonical_bytes
from csbond.protocol.errors import CsbError
from csbond.protocol.json_shape import count_of_names, deepest_nesting
from csbond.protocol.memory.entry import Level, Origin
from csbond.protocol.memory.snapshot import SnapshotLimits
from csbond.protocol.memory.snapshot_check import checked_snapshot
from csbond.protocol.memory.snapshot_json import checksum_of, snapshot_document
from csbond_tests.ledger_samples import NOW
from csbond_tests.requirements import requirement
from csbond_tests.snapshots import HEAD, file_of, memory, resealed, three_memories

LIMITS = SnapshotLimits()
WHOLE = file_of(*three_memories())


def checked(raw, limits=LIMITS, **wishes):
    return checked_snapshot(raw, limits, NOW, **wishes)


def code_of(raw):
    try:
        checked(raw)
    except CsbError as fault:
        return fault.code.name
    return ""


def refusal(raw, limits=LIMITS, **wishes):
    with pytest.raises(CsbError) as info:
        checked(raw, limits, **wishes)
    assert info.value.code.name == "snapshot_refused"
    assert info.value.reason
    assert info.value.next_step
    return info.value


@requirement("MEM-006-verify")
def test_a_whole_file_is_read_with_all_that_it_says():
    snapshot = checked(WHOLE)
    assert (snapshot.head.id, snapshot.head.source, snapshot.head.total) == (HEAD.id, "Luna", 3)
    assert snapshot.head.levels == {Level.HOT: 1, Level.WARM: 1, Level.COLD: 1}
    assert [each.draft.id for each in snapshot.memories] == ["mem_1_a", "mem_2_b", "mem_3_c"]
    assert snapshot.memories[1].draft.ttl == 1
    assert snapshot.memories[2].draft.links[0].target_id == "mem_1_a"


@requirement("MEM-006-6.3-changed-byte", "MEM-006-6.1-whole-file")
def test_any_changed_byte_is_refused_or_changes_nothing_that_the_file_says():
    said = canonical_bytes(orjson.loads(WHOLE))
    taken = 0
    for place in range(len(WHOLE)):
        for change in (1, 0x20, 0x80):
            raw = bytearray(WHOLE)
            raw[place] ^= change
            code = code_of(bytes(raw))
            assert code in ("", "snapshot_refused")
            if not code:
                taken += 1
                assert canonical_bytes(orjson.loads(bytes(raw))) == said
    assert taken < 50


@requirement("MEM-006-6.3-changed-byte")
@pytest.mark.parametrize("cut", [0, 1, 100, len(WHOLE) - 2])
def test_a_file_that_ends_early_is_refused(cut):
    refusal(WHOLE[:cut])


def test_a_compressed_file_and_other_things_are_refused():
    for raw in (gzip.compress(WHOLE), b"[]", b"null", b"\xff\xfe", b'"text"', b'{"snapshot": NaN}'):
        refusal(raw)


@pytest.mark.parametrize(
    "field, value",
    [("snapshot", []), ("metadata", 1), ("memories", {}), ("memories", [1]), ("snapshot", None)],
)
def test_a_file_without_its_three_members_is_refused(field, value):
    document = {**orjson.loads(WHOLE), field: value}
    assert refusal(orjson.dumps(document)).field == field


@requirement("MEM-006-6.3-order")
def test_the_checksum_is_looked_at_before_what_the_memories_are():
    document = orjson.loads(WHOLE)
    document["memories"][0]["type"] = "nonsense"
    assert refusal(orjson.dumps(document)).field == "metadata.checksum"
    fault = refusal(resealed(WHOLE, memories=document["memories"]))
    assert fault.field == "memories[0].type"


@requirement("MEM-006-6.1-counts")
@pytest.mark.parametrize(
    "field, value",
    [("totalCount", 4), ("totalCount", None), ("levels", {"hot": 2, "warm": 1, "cold": 1}), ("levels", {"hot": 1})],
)
def test_a_file_whose_counts_are_not_those_of_its_memories_is_refused(field, value):
    assert refusal(resealed(WHOLE, **{f"metadata__{field}": value})).field == f"metadata.{field}"


@requirement("MEM-006-6.1-counts")
def test_a_tier_of_which_there_is_none_may_be_left_out_of_the_counts():
    assert checked(resealed(file_of(memory("mem_1_a")), metadata__levels={"hot": 1})).head.total == 1


@requirement("MEM-006-6.3-schema")
@pytest.mark.parametrize("field", ["version", "schema_version"])
@pytest.mark.parametrize("value", ["2.0", "v2", "0.9", "", 1, None, "1.0.0; rm"])
def test_a_snapshot_of_another_major_version_is_refused(field, value):
    assert refusal(resealed(WHOLE, **{f"snapshot__{field}": value})).field == f"snapshot.{field}"


@pytest.mark.parametrize(
    "field, value",
    [
        ("snapshot__id", 5),
        ("snapshot__source", "x" * 300),
        ("snapshot__description", "nul \x00"),
        ("snapshot__created", -1),
        ("metadata__includes_links", "yes"),
        ("metadata__embedding_model", []),
    ],
)
def test_a_head_that_cannot_be_read_is_refused_by_the_name_of_its_field(field, value):
    assert refusal(resealed(WHOLE, **{field: value})).field == field.replace("__", ".")


@requirement("MEM-006-6.3-schema")
def test_of_the_same_version_what_is_unknown_of_a_memory_is_kept():
    raw = file_of(memory("mem_1_a", mood={"calm": 1}, metadata={"depth": 3}))
    assert checked(resealed(raw, snapshot__version="1.7")).memories[0].draft.extra == {
        "mood": {"calm": 1},
        "metadata": {"depth": 3},
    }


@requirement("MEM-006-6.1-whole-file")
def test_a_name_in_the_head_that_nobody_knows_is_refused_unless_it_is_let_pass():
    raw = resealed(WHOLE, snapshot__editor="x", signature="y")
    fault = refusal(raw)
    assert (fault.field, "leniently" in fault.next_step) == ("signature", True)
    assert set(checked(raw, lenient=True).unknown) == {"signature", "snapshot.editor"}


def test_what_the_source_itself_asks_for_is_enough():
    memories = [{"id": "mem_1700000000000_abc", "type": "event", "content": "a", "timestamp": 1, "level": "warm"}]
    document = {
        "snapshot": {
            "version": "1.0",
            "created": 1700000000000,
            "source": "x",
            "description": "",
            "schema_version": "v1",
        },
        "memories": memories,
        "metadata": {
            "totalCount": 1,
            "levels": {"hot": 0, "warm": 1, "cold": 0},
            "checksum": checksum_of(memories),
            "includes_links": True,
            "includes_embeddings": True,
        },
    }
    snapshot = checked(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    assert (snapshot.head.id, snapshot.memories[0].draft.content) == ("", "a")


@pytest.mark.parametrize(
    "field, value",
    [
        ("id", None),
        ("id", "elsewhere"),
        ("content", ""),
        ("content", "x" * 2049),
        ("tags", ["x" * 33]),
        ("timestamp", NOW + 10 * 60_000),
        ("level", "lukewarm"),
        ("embedding", [1.0] * 2049),
        ("origin", []),
        ("origin", {"speaker": 1}),
        ("origin", {"speaker": "x" * 300}),
        ("extends", "nowhere"),
        ("piece", -1),
        ("links", [{"target_id": "mem_1_a", "relation": "x", "weight": 2}]),
    ],
)
def test_a_memory_that_cannot_be_read_is_named_by_its_place(field, value):
    memories = [memory("mem_1_a"), {**memory("mem_2_b"), field: value}]
    raw = orjson.dumps({**orjson.loads(WHOLE), "memories": memories})
    document = orjson.loads(raw)
    levels = {"hot": 2 if field != "level" else 1, "warm": 0, "cold": 0}
    document["metadata"] = {"totalCount": 2, "levels": levels, "checksum": checksum_of(memories)}
    assert refusal(orjson.dumps(document)).field.startswith("memories[1].")


def test_an_id_that_comes_twice_is_refused():
    fault = refusal(file_of(memory("mem_1_a"), memory("mem_1_a", "another")))
    assert fault.field == "memories[1].id"


def test_a_file_beyond_the_limits_is_refused_before_it_is_read():
    refusal(WHOLE, SnapshotLimits(memories=20_000, bytes=len(WHOLE) - 1))
    assert refusal(WHOLE, SnapshotLimits(memories=2)).field == "memories"
    deep = b'{"snapshot":' + b"[" * 5000 + b"]" * 5000 + b"}"
    refusal(deep)


def test_what_was_deleted_where_it_was_made_is_left_aside():
    raw = file_of(memory("mem_1_a"), memory("mem_2_b", metadata={"deleted": True, "deleteTime": 5}))
    assert [each.draft.id for each in checked(raw).memories] == ["mem_1_a"]


def test_where_a_memory_came_from_is_read_and_of_whom_is_not():
    origin = {"caller": "principal:eve", "thread_id": "t-1", "message_id": "m-1", "speaker": "Eve"}
    raw = file_of(memory("mem_1_a", origin=origin, extends="mem_0_z", piece=2))
    (found,) = checked(raw).memories
    assert (found.origin, found.extends, found.piece) == (Origin("owner", "t-1", "m-1", "Eve"), "mem_0_z", 2)


def test_vectors_of_a_named_model_are_left_aside_and_supplied_ones_are_kept():
    memories = [memory("mem_1_a", embedding=[0.5, 0.25])]
    assert checked(file_of(*memories)).memories[0].draft.extra == {"embedding": [0.5, 0.25]}
    document = snapshot_document(HEAD, memories)
    document["metadata"]["embedding_model"] = "concepts-1"
    del document["metadata"]["file_checksum"]
    assert checked(orjson.dumps(document)).memories[0].draft.extra == {}


@pytest.mark.parametrize("value", [[], {}, None, False, 0, 1, ["mem_1_a"], "mem_1", "\ud7ff"])
def test_what_goes_on_from_something_else_than_a_memory_is_refused(value):
    assert refusal(file_of(memory("mem_1_a", extends=value, piece=1))).field == "memories[0].extends"


@requirement("MEM-006-6.3-changed-byte")
@pytest.mark.parametrize("read_as", [b"9007199254740993", b"9007199254740991", b"9007199254740994"])
def test_a_changed_byte_of_a_large_number_is_refused(read_as):
    raw = file_of(memory("mem_1_a", n={"m": 2**53}))
    assert code_of(raw) == ""
    assert refusal(raw.replace(b"9007199254740992", read_as)).field in ("memories[0].n.m", "metadata.checksum")


@requirement("MEM-006-6.3-changed-byte")
@pytest.mark.parametrize(
    "said, twice",
    [
        (b'"content":', b'"content":"Another.","content":'),
        (b'"type":', b'"typ\\u0065":"lesson","type":'),
        (b'"snapshot":', b'"snapshot":{},"snapshot":'),
        (b'"memories":', b'"memories":[],"memories":'),
        (b'"totalCount":', b'"totalCount":9,"totalCount":'),
        (b'"ttl":', b'"ttl":9,"ttl":'),
    ],
)
def test_a_name_that_comes_twice_in_one_object_is_refused(said, twice):
    raw = file_of(memory("mem_1_a", 'says "a": {"b":1} and \\', source="user", **{"a:b": {":": ':"'}}))
    assert code_of(raw) == ""
    assert said in raw
    assert "twice" in refusal(raw.replace(said, twice, 1)).reason


def test_a_file_of_more_lists_and_objects_than_memories_have_is_refused_before_it_is_read():
    limits = SnapshotLimits(memories=2)
    raw = b'{"memories":[' + b",".join([b"{},[]"] * 64) + b"]}"
    assert "lists and objects" in refusal(raw, limits).reason


@pytest.mark.parametrize("part", [1, 2, 3, 7])
def test_a_text_that_is_cut_up_part_by_part_has_the_same_shape(part, monkeypatch):
    told = deepest_nesting(WHOLE), count_of_names(WHOLE)
    monkeypatch.setattr(json_shape, "_PART", part)
    assert (deepest_nesting(WHOLE), count_of_names(WHOLE)) == told == (5, len(re.findall(rb'":', WHOLE)))
