"""The file of a snapshot: which bytes, and under which checksums (MEM-006 §6.1)."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis.strategies import floats, lists

from csbond.protocol.canonical_json import canonical_bytes
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import Level, Origin
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.snapshot import SUFFIX, SnapshotEntry, SnapshotLimits
from csbond.protocol.memory.snapshot_check import checked_snapshot
from csbond.protocol.memory.snapshot_json import (
    SnapshotText,
    checksum_of,
    entry_line,
    memory_to_json,
    numbers_of,
    snapshot_bytes,
    snapshot_document,
)
from csbond.protocol.memory.vectors import pack
from csbond_tests.ledger_samples import NOW, an_entry
from csbond_tests.requirements import requirement
from csbond_tests.snapshots import HEAD, file_of, memory, three_memories


@requirement("MEM-006-6.1-format")
def test_a_snapshot_has_the_three_members_and_the_fields_of_the_source():
    document = snapshot_document(HEAD, three_memories())
    assert list(document) == ["snapshot", "memories", "metadata"]
    assert document["snapshot"] == {
        "version": "1.0",
        "created": NOW,
        "source": "Luna",
        "description": "what we know",
        "schema_version": "v1",
        "id": HEAD.id,
    }
    assert set(document["metadata"]) == {
        "totalCount",
        "levels",
        "checksum",
        "includes_links",
        "includes_embeddings",
        "file_checksum",
    }
    assert document["metadata"]["totalCount"] == 3
    assert document["metadata"]["levels"] == {"hot": 1, "warm": 1, "cold": 1}
    assert SUFFIX == ".csb-memory-snapshot"


@requirement("MEM-006-6.1-checksum")
def test_the_checksum_is_that_of_the_canonical_form_of_the_memories():
    memories = three_memories()
    expected = "sha256:" + hashlib.sha256(rfc8785.dumps(memories)).hexdigest()
    assert checksum_of(memories) == expected
    assert snapshot_document(HEAD, memories)["metadata"]["checksum"] == expected


@requirement("MEM-006-6.1-whole-file")
def test_the_second_checksum_is_that_of_all_the_rest():
    document = snapshot_document(HEAD, three_memories())
    told = document["metadata"].pop("file_checksum")
    assert told == "sha256:" + hashlib.sha256(rfc8785.dumps(document)).hexdigest()


@requirement("MEM-006-6.1-stable")
def test_the_same_memories_in_any_order_give_the_same_bytes_one_a_line_by_id():
    memories = three_memories()
    text = file_of(*memories)
    assert text == file_of(*reversed(memories))
    lines = text.decode().splitlines()
    assert [orjson.loads(line.rstrip(","))["id"] for line in lines[2:5]] == ["mem_1_a", "mem_2_b", "mem_3_c"]
    assert len(lines) == 7
    assert text.endswith(b"}\n")


@requirement("MEM-006-6.1-stable")
def test_the_bytes_of_a_document_are_the_same_when_its_parts_come_in_another_order():
    document = snapshot_document(HEAD, three_memories())
    shuffled = {name: document[name] for name in ("metadata", "memories", "snapshot")}
    shuffled["memories"] = [dict(reversed(each.items())) for each in document["memories"]]
    assert b"".join(snapshot_bytes(shuffled)) == file_of(*three_memories())


def test_a_snapshot_of_nothing_is_a_whole_file():
    document = orjson.loads(file_of())
    assert (document["memories"], document["metadata"]["totalCount"]) == ([], 0)


@requirement("MEM-006-6.1-stable")
def test_a_memory_has_no_counter_that_moves_by_itself_and_names_no_caller():
    entry = an_entry(
        last_accessed=5, access_count=7, version=3, seq=9, origin=Origin("principal:ann", "t-1", "m-1", "Ann")
    )
    raw = memory_to_json(entry)
    assert memory_to_json(replace(entry, last_accessed=6, access_count=8, version=4, seq=10, used_at=1)) == raw
    assert raw["metadata"] == {"ttl": 0}
    assert raw["origin"] == {"thread_id": "t-1", "message_id": "m-1", "speaker": "Ann"}
    assert "seq" not in raw


@requirement("MEM-006-6.1-embeddings")
def test_links_and_vectors_are_in_it_or_not_and_it_says_which():
    entry = an_entry(links=(Link("agent:bo", "relates_to", made_by="near_duplicate"),), extra={"embedding": [0.5]})
    held = SnapshotEntry(entry, pack((0.25, 1e-7)))
    bare = replace(HEAD, includes_links=False)
    whole = replace(HEAD, includes_embeddings=True, model_id="concepts-1")
    assert not {"links", "embedding"} & orjson.loads(entry_line(held, bare)).keys()
    told = orjson.loads(entry_line(held, whole))
    assert told["links"] == [{"target_id": "agent:bo", "relation": "relates_to", "weight": 1}]
    assert pack(told["embedding"]) == held.embedding
    supplied = orjson.loads(entry_line(held, replace(whole, model_id="")))
    assert supplied["embedding"] == [0.5]
    metadata = snapshot_document(whole, [told])["metadata"]
    assert (metadata["includes_links"], metadata["includes_embeddings"]) == (True, True)
    assert metadata["embedding_model"] == "concepts-1"


@pytest.mark.parametrize("numbers", [(0.1, -0.2, 3.0), (1e-7, 0.0, 1.5), (1.1754944e-38, 3.4e38), (0.0, -0.0)])
def test_the_numbers_of_a_vector_are_told_apart_and_written_canonically(numbers):
    vector = pack(numbers)
    written = numbers_of(vector)
    assert pack(written) == vector or written[-1] == 0
    assert canonical_bytes(written) == rfc8785.dumps(written)


@given(lists(floats(allow_nan=False, allow_infinity=False), max_size=6))
def test_any_list_of_fractions_has_the_canonical_form_of_the_standard(numbers):
    assert canonical_bytes(numbers) == rfc8785.dumps(numbers)


@pytest.mark.parametrize("number", [2**53, -(2**53), 1152921504606847000, 1e20, 10**19, 1e300, 0.1])
def test_a_large_number_that_comes_back_as_it_is_is_written(number):
    entry = an_entry("mem_1_a", extra={"deep": [{"n": number}], "yes": True})
    told = orjson.loads(entry_line(SnapshotEntry(entry), HEAD))
    (memory_read,) = checked_snapshot(file_of(told), SnapshotLimits(), NOW).memories
    assert memory_read.draft.extra == {"deep": [{"n": number}], "yes": True}


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**60, 2**63, 2**64 - 1])
def test_a_number_that_would_come_back_as_another_is_refused_by_its_place(number):
    entry = an_entry("mem_1_a", extra={"metadata": {"deep": [1, {"n": number}]}})
    with pytest.raises(CsbError) as info:
        entry_line(SnapshotEntry(entry), HEAD)
    assert (info.value.code.name, info.value.field) == ("invalid_params", "metadata.deep[1].n")


def test_what_is_written_line_by_line_counts_what_it_holds():
    text = SnapshotText(HEAD)
    lines = [text.first(), text.memory(b'{"id":"mem_1_a"}', Level.COLD), text.last()]
    head = text.head()
    assert (head.total, head.levels) == (1, {Level.COLD: 1})
    assert head.checksum == checksum_of([{"id": "mem_1_a"}])
    assert orjson.loads(b"".join(lines))["metadata"]["levels"] == {"hot": 0, "warm": 0, "cold": 1}


@requirement("MEM-006-6.2-git")
def test_two_files_with_one_changed_memory_differ_in_its_line_and_the_head():
    before = three_memories()
    after = [*before[:1], {**before[1], "content": "河水不冷。"}, before[2]]
    later = replace(HEAD, id="snap_1800000000009_xyz", created=NOW + 9)
    one, other = file_of(*before).splitlines(), file_of(*after, head=later).splitlines()
    differing = [place for place, (line, line_after) in enumerate(zip(one, other, strict=True)) if line != line_after]
    assert differing == [0, 3, len(one) - 1]


def test_a_memory_of_the_tests_has_the_form_that_is_shown():
    assert memory("mem_1_a")["level"] == "hot"
