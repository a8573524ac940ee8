"""`csb memory demote`."""

from __future__ import annotations

from csbond.cli.entries import EntryArgument
from csbond.cli.memory.tier_move import TierOption, move_entry
from csbond.cli.options import HomeOption, JsonOption


def demote(entry_id: EntryArgument, to: TierOption = None, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Lower an entry by one tier, or to a lower one that is named (MEM-003 §3.1).

    Repeating: with --to it stays where it is; without, it goes on by one tier more until it is in the lowest.
    """
    return move_entry("demote", entry_id, to, home, as_json=as_json)
