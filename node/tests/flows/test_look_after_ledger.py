from __future__ import annotations

import pytest

from csbond.flows.look_after_ledger import look_after_ledger
from csbond.protocol.errors import Unavailable
from csbond_tests.memories import remember


async def test_a_ledger_that_is_looked_after_holds_what_it_held(stored) -> None:
    entry = await remember(stored, "The river was cold.")
    await look_after_ledger(stored)
    assert (await stored.ledger.entry(entry.id)).content == "The river was cold."


async def test_a_ledger_that_is_closed_says_so(stored) -> None:
    await stored.ledger.close()
    with pytest.raises(Unavailable, match="closed"):
        await look_after_ledger(stored)
