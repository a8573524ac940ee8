from __future__ import annotations

import base64
import hashlib
import math
import struct
from dataclasses import replace

import pytest

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry import ENTRY_TYPES, Level, Visibility
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.foreign_record import ForeignName, ForeignVector
from csbond.protocol.memory.interop import (
    embedding_document,
    entry_of_interop,
    interop_document,
    interop_type,
    model_fingerprint,
    vector_of,
)
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.supplied_vector import usable
from csbond.protocol.memory.vectors import pack
from csbond_tests.ledger_samples import NOW, an_entry
from csbond_tests.requirements import requirement


def document(**fields):
    return {"mem_interop": {"version": "1.0", "agent": "Vera", "timestamp": NOW, "content": "tea", **fields}}


def record(**fields):
    return entry_of_interop(document(**fields), "line 1", "Luna")


def refused_field(raw):
    with pytest.raises(RemoteProtocolError) as refused:
        entry_of_interop(raw, "line 1", "Luna")
    return refused.value.field


@requirement("MEM-003-interop-types", "MEM-003-interop-round-trip")
@pytest.mark.parametrize("kind", ENTRY_TYPES)
def test_every_type_leaves_as_one_of_four_and_comes_back_as_it_was(kind):
    told = interop_document(an_entry(type=kind), "tea", "Luna")
    assert told["mem_interop"]["type"] == interop_type(kind)
    assert interop_type(kind) in ("event", "decision", "relation", "reflection")
    assert entry_of_interop(told, "line 1", "Luna").memory["type"] == kind


@requirement("MEM-003-interop-format")
def test_a_document_has_the_fields_of_the_source_and_the_rest_apart():
    entry = an_entry(
        tags=("a", "茶"),
        ttl=36 * 3_600_000,
        links=(Link("mem_2", "causes", 0.5, "near_duplicate"), Link("agent:清漪", "peer")),
        extra={"mood": "glad", "link_fields": {"mem_2": {"causes": {"quote": "so"}}}, "metadata": {"project": "P"}},
        visibility=Visibility.TRUSTED,
        level=Level.HOT,
        access_count=7,
    )
    told = interop_document(entry, "the whole text", "Luna")["mem_interop"]
    assert list(told) == ["version", "agent", "timestamp", "type", "content", "tags", "links", "ttl_days", "csb"]
    assert (told["ttl_days"], told["content"]) == (1.5, "the whole text")
    assert told["links"] == [
        {"target": "mem_2", "relation": "causes", "weight": 0.5, "quote": "so"},
        {"target": "agent:清漪", "relation": "peer", "weight": 1.0},
    ]
    assert told["csb"] == {
        "id": entry.id,
        "type": entry.type,
        "source": entry.source,
        "level": "hot",
        "visibility": "trusted",
        "metadata": {"project": "P", "ttl": 36 * 3_600_000},
        "mood": "glad",
    }
    assert "ttl_days" not in interop_document(an_entry(), "tea", "Luna")["mem_interop"]


@requirement("MEM-003-interop-round-trip")
def test_what_comes_back_is_what_left():
    entry = an_entry(tags=("a",), ttl=5, links=(Link("mem_1_x", "causes", 0.5),), extra={"mood": {"is": "glad"}})
    entry = replace(entry, id="mem_1_a", level=Level.COLD)
    back = entry_of_interop(interop_document(entry, entry.content, "Luna"), "line 1", "Luna")
    draft = draft_from_json(back.memory, NOW, LevelNames())
    assert (draft.id, draft.content, draft.tags, draft.ttl) == (entry.id, entry.content, entry.tags, 5)
    assert (draft.level, draft.type, draft.timestamp, draft.extra) == (
        entry.level,
        entry.type,
        entry.timestamp,
        entry.extra,
    )
    assert [(link.target, link.relation, link.weight) for link in back.links] == [("mem_1_x", "causes", 0.5)]
    assert back.name == ForeignName("Luna", key="mem_1_a")


def test_whose_it_was_and_what_only_its_document_says_leave_with_it_again():
    came = record(type="insight", colour="blue")
    assert came.memory["interop"] == {"agent": "Vera", "type": "insight", "colour": "blue"}
    again = interop_document(an_entry(type="other", extra={"interop": came.memory["interop"]}), "tea", "Luna")
    assert {name: again["mem_interop"][name] for name in ("agent", "type", "colour")} == came.memory["interop"]
    assert "interop" not in again["mem_interop"]["csb"]


@requirement("MEM-003-interop-upsert")
def test_an_id_names_a_record_and_without_one_agent_and_time_do():
    assert record().name == ForeignName("Vera", timestamp=NOW)
    assert record(csb={"id": "mem_1_a"}).name == ForeignName("Vera", key="mem_1_a")
    assert record(csb={"id": 17}).name == ForeignName("Vera", timestamp=NOW)


def test_the_exact_time_to_live_counts_before_the_days():
    assert record(ttl_days=0.5).memory["metadata"] == {"ttl": 43_200_000}
    assert record(ttl_days=90, csb={"metadata": {"ttl": 7}}).memory["metadata"] == {"ttl": 7}


def test_how_often_it_was_used_elsewhere_does_not_come_along():
    csb = {"metadata": {"accessCount": 9, "lastAccessed": NOW, "version": 4, "deleted": True, "mood": "calm"}}
    assert record(csb=csb, links=None).memory["metadata"] == {"mood": "calm"}


@pytest.mark.parametrize(
    "raw, field",
    [
        (document(version="2.0"), "mem_interop.version"),
        (document(agent=""), "agent"),
        (document(agent="x" * 257), "agent"),
        (document(agent=None), "agent"),
        (document(timestamp=-1), "timestamp"),
        (document(timestamp="now"), "timestamp"),
        (document(timestamp=2**60), "timestamp"),
        (document(timestamp=True), "timestamp"),
        (document(csb=[]), "mem_interop.csb"),
        (document(ttl_days="90"), "ttl_days"),
        (document(ttl_days=-1), "ttl_days"),
        (document(ttl_days=1e300), "ttl_days"),
        (document(links={}), "links"),
        (document(links=["mem_1"]), "links[0]"),
        (document(links=[{"relation": "x"}]), "links[0].target"),
        (document(links=[{"target": "a:b", "weight": 1.1}]), "links[0].weight"),
        (document(links=[{"target": "a:b", "relation": 3}]), "links[0].relation"),
        (document(embedding=[1, 2]), "embedding"),
        ({"mem_interop": []}, "mem_interop"),
        ({}, "mem_interop"),
    ],
)
def test_what_is_no_document_is_refused_by_its_field(raw, field):
    assert refused_field(raw) == field


@requirement("MEM-003-interop-vector")
def test_a_vector_travels_as_little_endian_floats_in_base64():
    told = embedding_document(pack((1.0, -2.5)), "use-1")
    assert base64.b64decode(told["vector"]) == struct.pack("<2f", 1.0, -2.5)
    assert (told["dimension"], told["model"]) == (2, "use-1")
    assert told["model_fingerprint"] == model_fingerprint("use-1", 2)
    assert vector_of(told) == ForeignVector(pack((1.0, -2.5)), 2, "use-1", model_fingerprint("use-1", 2))
    without = {name: value for name, value in told.items() if name != "model_fingerprint"}
    assert vector_of(without) == vector_of(told)


@requirement("MEM-003-interop-fingerprint")
def test_a_fingerprint_is_the_digest_of_the_configuration_in_canonical_form():
    told = b'{"csb":"v1","dimension":2,"model":"use-1","normalised":true}'
    assert model_fingerprint("use-1", 2) == hashlib.sha256(told).hexdigest()
    assert len({model_fingerprint("a", 2), model_fingerprint("a", 3), model_fingerprint("b", 2)}) == 3
    assert model_fingerprint("a", 2, normalised=False) != model_fingerprint("a", 2)


@requirement("MEM-003-interop-dimension", "MEM-003-interop-vector")
@pytest.mark.parametrize(
    "change, field",
    [
        ({"dimension": 0}, "embedding.dimension"),
        ({"dimension": 2049}, "embedding.dimension"),
        ({"dimension": True}, "embedding.dimension"),
        ({"dimension": "2"}, "embedding.dimension"),
        ({"dimension": 3}, "embedding.vector"),
        ({"vector": "not base64!"}, "embedding.vector"),
        ({"vector": None}, "embedding.vector"),
        ({"vector": base64.b64encode(struct.pack("<2f", 1, math.nan)).decode()}, "embedding.vector"),
        ({"vector": base64.b64encode(struct.pack("<2f", math.inf, 1)).decode()}, "embedding.vector"),
        ({"model": ""}, "embedding.model"),
        ({"model": "x" * 257}, "embedding.model"),
        ({"model_fingerprint": 3}, "embedding.model_fingerprint"),
        ({"model_fingerprint": "sha256:"}, "embedding.model_fingerprint"),
    ],
)
def test_a_vector_that_is_none_is_refused_by_its_field(change, field):
    raw = document(embedding=embedding_document(pack((1.0, 2.0)), "use-1") | change)
    assert refused_field(raw) == field


@requirement("MEM-003-interop-dimension")
def test_any_dimension_up_to_2048_is_taken_and_one_of_another_model_kept_apart():
    for dimension in (1, 768, 2048):
        vector = vector_of(embedding_document(pack([0.5] * dimension), "other"))
        assert usable(vector, "use-1", 512) == "apart"
        assert usable(vector, "", 0) == "apart"
    own = vector_of(embedding_document(pack([0.5] * 4), "use-1"))
    assert usable(own, "use-1", 4) == "own"
    for wrong, field in (
        (replace(own, dimension=3), "dimension"),
        (replace(own, fingerprint="x"), "model_fingerprint"),
    ):
        with pytest.raises(RemoteProtocolError) as refused:
            usable(wrong, "use-1", 4)
        assert refused.value.field == f"embedding.{field}"
