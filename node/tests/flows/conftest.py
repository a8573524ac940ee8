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


@pytest.fixture(params=["in memory", "on disk"])
async def either(request, tmp_path):
    """A world in memory, and one on a database: what is said of it is true of both."""
    disk = request.param == "on disk"
    opened = await open_ledger(tmp_path / "csb.db", FixedSigner(), "Luna") if disk else InMemoryLedger()
    yield small_world(WatchedLedger(opened))
    await opened.close()
