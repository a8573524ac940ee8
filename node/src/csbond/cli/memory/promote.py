"""`csb memory promote`."""

from __future__ import annotations

from csbond.cli.entries import EntryArgument
from csbond.cli.memory.tier_move import TierOption, move_entry
from csbond.cli.options import HomeOption, JsonOption


def promote(
    entry_id: EntryArgument, to: TierOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> int:
    """Raise an entry by one tier, or to a higher one that is named (MEM-003 §3.1).

    Repeating: with --to it stays where it is; without, it goes on by one tier more until it is in the highest.
    """
    return move_entry("promote", entry_id, to, home, as_json=as_json)
