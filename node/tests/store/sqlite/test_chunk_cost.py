from __future__ import annotations

from itertools import pairwise

from csbond_tests.ledger_samples import a_chunk, a_task, home, saved


async def test_statements_and_bytes_of_a_chunk_do_not_grow_with_the_answer(sqlite_ledger):
    await sqlite_ledger.commit(saved(a_task()))
    costs = []
    for _ in range(200):
        counts = sqlite_ledger.statement_counts()
        await sqlite_ledger.commit(home(a_chunk("sixteen letters ")))
        costs.append((counts.statements.total(), counts.bytes))
    assert len(set(costs)) == 1
    statements, written = costs[0]
    assert statements <= 7
    assert written <= 200


async def test_the_log_grows_by_the_same_for_the_last_chunks_as_for_the_first(sqlite_ledger, tmp_path):
    log = tmp_path / "csbond.db-wal"
    await sqlite_ledger.commit(saved(a_task()))
    sizes = [log.stat().st_size]
    for _ in range(400):
        await sqlite_ledger.commit(home(a_chunk("x" * 100)))
        sizes.append(log.stat().st_size)
    grown = [after - before for before, after in pairwise(sizes)]
    assert sum(grown[-100:]) <= 1.2 * sum(grown[:100])


async def test_a_streamed_answer_shares_its_groups(sqlite_ledger):
    await sqlite_ledger.commit(saved(a_task()))
    counts = sqlite_ledger.statement_counts()
    for _ in range(200):
        await sqlite_ledger.append_chunk_soon(home(a_chunk("x")))
    await sqlite_ledger.commit(saved(a_task(version=2)))
    assert counts.statements["append_chunk"] == 200
    assert counts.statements["commit"] <= 10
