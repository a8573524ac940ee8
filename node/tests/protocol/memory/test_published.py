from __future__ import annotations

import orjson
import pytest

from csbond.protocol.memory.entry import ENTRY_TYPES
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.foreign_record import ForeignRecord, Unread
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.published import published_form, published_id, records
from csbond_tests.ledger_samples import an_entry
from csbond_tests.requirements import requirement

TIME = 1_700_000_000_001
LINE = {"id": f"mem_{TIME}_abc123", "type": "event", "content": "tea", "timestamp": TIME, "level": "warm"}


def form_of(**fields):
    entry = an_entry(**{"id_": f"mem_{TIME}_abc123", "timestamp": TIME, **fields})
    return published_form(entry_to_json(entry, LevelNames()))


def read(**fields):
    raw = {name: value for name, value in {**LINE, **fields}.items() if value is not None}
    (found,) = records(orjson.dumps(raw))
    return found


@requirement("MEM-002-2.1-published")
@pytest.mark.parametrize("kind", ENTRY_TYPES)
def test_what_is_told_in_the_published_form_is_read_as_such(kind):
    form, _ = form_of(
        type=kind,
        tags=("v0.8", "a b", "潮汐", "x"),
        links=(Link("mem_1_a", "causes"),),
        extra={"business_context": {"priority": 3}, "metadata": {"project": "P", "sessionId": "s"}, "mood": "calm"},
    )
    (found,) = records(orjson.dumps(form))
    assert isinstance(found, ForeignRecord), found
    assert found.memory["tags"] == ["v0_8", "a_b", "潮汐", "x"]
    assert found.memory["metadata"]["sessionId"] == "s"


@requirement("MEM-002-2.1-published")
def test_what_the_published_form_does_not_say_is_named():
    extra = {"business_context": {"priority": 3}, "metadata": {"project": "P"}, "mood": "calm"}
    _, lost = form_of(type="relation", tags=("v0.8",), links=(Link("mem_1_a", "causes"),), extra=extra, timestamp=5)
    assert set(lost) == {
        "visibility",
        "links",
        "business_context",
        "mood",
        "metadata.project",
        "type",
        "tags",
        "timestamp",
    }
    assert set(form_of()[1]) == {"visibility"}


def test_two_tags_that_become_one_are_one():
    form, lost = form_of(tags=("a.b", "a b"))
    assert form["tags"] == ["a_b"]
    assert "tags" in lost


@requirement("MEM-002-2.1-published")
def test_an_id_that_the_schema_does_not_take_is_formed_anew_and_always_the_same():
    assert published_id(f"mem_{TIME}_abc123") == f"mem_{TIME}_abc123"
    for given in (f"mem_{TIME}_ABC", f"mem_del_{TIME}_abc123", f"mem_{TIME}_{'x' * 40}", f"mem_{TIME}_ab"):
        formed = published_id(given)
        assert formed == published_id(given) != given
        assert formed.startswith(f"mem_{TIME}_")
        assert len(formed.rpartition("_")[2]) == 12
    form, lost = form_of(id_=f"mem_{TIME}_AB", extends=f"mem_{TIME}_CD", piece=1)
    assert form["metadata"]["parentId"] == published_id(f"mem_{TIME}_CD")
    assert "id" in lost


@requirement("MEM-002-2.1-published")
@pytest.mark.parametrize(
    "change, field",
    [
        ({"id": None}, "id"),
        ({"level": None}, "level"),
        ({"level": "HOT"}, "level"),
        ({"type": "relation"}, "type"),
        ({"type": 3}, "type"),
        ({"content": "x" * 4097}, "content"),
        ({"content": 3}, "content"),
        ({"timestamp": 1_699_999_999_999}, "timestamp"),
        ({"timestamp": 1.7e12}, "timestamp"),
        ({"source": "elsewhere"}, "source"),
        ({"tags": ["a.b"]}, "tags"),
        ({"tags": [""]}, "tags"),
        ({"tags": ["x" * 33]}, "tags"),
        ({"tags": ["x"] * 21}, "tags"),
        ({"tags": "x"}, "tags"),
        ({"embedding": [0] * 2049}, "embedding"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"mood": 1}}, "metadata.mood"),
        ({"metadata": {"checksum": "sha256:short"}}, "metadata.checksum"),
        ({"metadata": {"deleted": True}}, "metadata.deleted"),
        ({"visibility": "public"}, "visibility"),
        ({"fault_tolerance": {}}, "fault_tolerance"),
    ],
)
def test_what_the_published_schema_forbids_is_refused_by_its_name(change, field):
    found = read(**change)
    assert isinstance(found, Unread)
    assert (found.place, found.fault.field) == ("line 1", field)


def test_how_often_it_was_used_elsewhere_does_not_come_along():
    found = read(metadata={"accessCount": 9, "lastAccessed": TIME, "version": 4, "ttl": 7})
    assert found.memory["metadata"] == {"ttl": 7}
    assert read(content="x" * 4096).memory["content"] == "x" * 4096
