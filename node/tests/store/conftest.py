from __future__ import annotations

import pytest

from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner, InMemoryLedger


@pytest.fixture
async def sqlite_ledger(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    yield ledger
    await ledger.close()


@pytest.fixture(params=["sqlite", "memory"])
async def ledger(request, tmp_path):
    """Every ledger there is: what is tested with this fixture holds for all of them."""
    signer = FixedSigner()
    of_kind = {"sqlite": lambda: open_ledger(tmp_path / "csbond.db", signer, "Luna"), "memory": lambda: _memory(signer)}
    opened = await of_kind[request.param]()
    yield opened
    await opened.close()


async def _memory(signer):
    return InMemoryLedger(signer, "Luna")
