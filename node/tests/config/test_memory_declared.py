from __future__ import annotations

from csbond.config.identity import as_served, identity_document, new_identity
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.level_names import level_names
from csbond_tests.requirements import requirement

LUNA = new_identity("Luna", "🌙", "", b"\x07" * 32, 0)


@requirement("MEM-001-1.2-declared")
def test_the_names_of_the_tiers_are_declared_in_identity_json():
    assert identity_document(LUNA)["memory_level_map"] == {"hot": "hot", "warm": "warm", "cold": "cold"}
    declared = identity_document(as_served(LUNA, {"hot": "active"}))["memory_level_map"]
    assert declared == {"hot": "active", "warm": "warm", "cold": "cold"}
    assert level_names(declared).name(Level.HOT) == "active"


@requirement("MEM-002-2.3-storage")
def test_the_storage_is_declared_in_identity_json():
    assert identity_document(LUNA)["memory_storage"] == "sqlite"
