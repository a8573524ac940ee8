"""What is due is told the same by two ledgers, whatever the memories are and however few at a time are asked."""

from __future__ import annotations

from functools import partial

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.promotion import token
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner, InMemoryLedger
from csbond_tests.ledger_samples import an_entry, in_batches, put

AN_ENTRY = st.fixed_dictionaries(
    {
        "level": st.sampled_from(Level),
        "type": st.sampled_from(("event", "lesson")),
        "source": st.sampled_from(("user", "skill")),
        "tags": st.sampled_from(((), ("a",), ("a", "b"))),
        "timestamp": st.integers(0, 6),
        "ttl": st.integers(0, 6),
        "used_at": st.integers(0, 6),
        "recent": st.sampled_from(("", token(1), token(1) * 2)),
        "moved_at": st.integers(0, 6),
        "deleted_at": st.sampled_from((0, 0, 0, 3, 5)),
        "project": st.sampled_from(("", "p", "q")),
    }
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(facts=st.lists(AN_ENTRY, max_size=12), now=st.integers(0, 8), size=st.integers(1, 4))
async def test_two_ledgers_tell_the_same_of_the_same_memories(tmp_path_factory, facts, now, size):
    sqlite = await open_ledger(tmp_path_factory.mktemp("home") / "csbond.db", FixedSigner(), "Luna")
    twin = InMemoryLedger()
    for each in (sqlite, twin):
        await each.commit(put(*(an_entry(f"mem_{number}", **fact) for number, fact in enumerate(facts))))
    for ask in (
        lambda ledger, many, last: ledger.due_for_clearing("home", now, many, last),
        lambda ledger, many, last: ledger.outlived("home", Level.COLD, now, many, last),
        lambda ledger, many, last: ledger.least_used("home", Level.HOT, now, many, last, used_until=4),
        lambda ledger, many, last: ledger.least_used("home", Level.WARM, now, many, last, project="p"),
        lambda ledger, many, last: ledger.often_used("home", 2, now, many, last),
        lambda ledger, many, last: ledger.often_used("home", 2, now, many, last, uses=1),
    ):
        told = [await in_batches(partial(ask, each), size) for each in (sqlite, twin)]
        assert told[0] == told[1]
    assert await sqlite.crowded_projects("home", 1) == await twin.crowded_projects("home", 1)
    assert await sqlite.check() == []
    await sqlite.close()
