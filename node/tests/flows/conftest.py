from __future__ import annotations

import pytest

from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner, InMemoryLedger
from csbond_tests.small_world import WatchedLedger, meaningful_world, small_world


@pytest.fixture
async def ledger():
    opened = InMemoryLedger()
    yield WatchedLedger(opened)
    await opened.close()


@pytest.fixture
def world(ledger):
    return small_world(ledger)


@pytest.fixture
def meaning(ledger):
    """A world whose node searches by meaning, too."""
    return meaningful_world(ledger)


@pytest.fixture
async def stored(tmp_path):
    """A world on a database, where words are found in all their forms."""
    opened = await open_ledger(tmp_path / "csb.db", FixedSigner(), "Luna")
    yield small_world(WatchedLedger(opened))
    await opened.close()
