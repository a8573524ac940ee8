from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.errors import Refused
from csbond.protocol.memory.deletion import DAY_MS, DeletionPolicy, checked_restorable, due_for_clearing
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond_tests.requirements import requirement

THEN = 1_700_000_000_000
POLICY = DeletionPolicy()
ENTRY = MemoryEntry("mem_1_a", "home", "event", "x", (), THEN, "user", Level.WARM)
DELETED = replace(ENTRY, deleted_at=THEN)


@requirement("MEM-005-5.2-window", "MEM-003-3.1-restore")
@pytest.mark.parametrize("later", [0, 30 * DAY_MS - 1])
def test_within_30_days_a_memory_can_be_restored(later):
    checked_restorable(DELETED, THEN + later, POLICY)
    assert not due_for_clearing(DELETED, THEN + later, POLICY)


@requirement("MEM-005-5.2-window", "MEM-005-5.2-cleared", "MEM-003-3.1-restore")
@pytest.mark.parametrize("later", [30 * DAY_MS, 31 * DAY_MS])
def test_afterwards_not_and_the_answer_says_since_when(later):
    assert due_for_clearing(DELETED, THEN + later, POLICY)
    with pytest.raises(Refused) as refusal:
        checked_restorable(DELETED, THEN + later, POLICY)
    assert refusal.value.code.name == "not_restorable"
    assert "until 2023-12-14T22:13:20Z" in refusal.value.reason
    assert "30 days" in refusal.value.reason


@requirement("MEM-005-5.2-window")
def test_how_long_is_a_setting():
    policy = DeletionPolicy(restore_ms=1000)
    checked_restorable(DELETED, THEN + 999, policy)
    with pytest.raises(Refused):
        checked_restorable(DELETED, THEN + 1000, policy)


def test_a_living_memory_is_never_due():
    checked_restorable(ENTRY, THEN + 400 * DAY_MS, POLICY)
    assert not due_for_clearing(ENTRY, THEN + 400 * DAY_MS, POLICY)


@requirement("MEM-005-5.5-queue")
def test_what_is_kept_back_can_be_restored_for_as_long_as_it_is_there():
    checked_restorable(DELETED, THEN + 400 * DAY_MS, POLICY, kept_back=True)
