from __future__ import annotations

import pytest

from csbond.protocol.memory.promotion import token
from csbond.protocol.memory.use import Use, after_use
from csbond_tests.aged_memories import NOW, aged


def test_uses_are_counted_onto_those_that_are_known() -> None:
    entry = aged(used=(1.0,), last_accessed=NOW - 5)
    after = after_use(entry, Use(entry.id, NOW, 2, token(NOW - 1) + token(NOW)))
    assert (after.last_accessed, after.used_at, after.access_count) == (NOW, NOW, entry.access_count + 2)
    assert after.recent == entry.recent + token(NOW - 1) + token(NOW)
    assert after.version == entry.version


def test_a_use_of_before_makes_nothing_older() -> None:
    entry = aged(used=(0.0,), last_accessed=NOW)
    after = after_use(entry, Use(entry.id, NOW - 10, 1, token(NOW - 10)))
    assert (after.last_accessed, after.used_at) == (NOW, NOW)


@pytest.mark.parametrize("level, found, noted", [("cold", True, NOW), ("cold", False, 0), ("warm", True, 0)])
def test_being_found_is_noted_of_a_cold_memory_alone(level: str, found: bool, noted: int) -> None:
    entry = aged(level)
    assert after_use(entry, Use(entry.id, NOW, 1, token(NOW), found)).found_at == noted
