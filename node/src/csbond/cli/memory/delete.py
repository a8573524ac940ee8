"""`csb memory delete`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.confirm import confirmed
from csbond.cli.entries import EntryArgument
from csbond.cli.memory.removed import print_erased
from csbond.cli.node_client import LONG_S, node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line
from csbond.protocol.errors import EXIT_STATUS, Exit, LocalProtocolError


def delete(
    entry_id: EntryArgument,
    hard: Annotated[bool, typer.Option("--hard", help="Erase it for good: no byte of it is left.")] = False,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="WHY", help="With --hard: kept in the archive.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --hard: do not ask.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Forget an entry softly, with every piece of its text: no search finds it any more (MEM-005 §5.2).

    With --hard it is erased from every file of the home, and cannot be restored.

    Repeating: what is deleted stays deleted, and the answer is the same.
    """
    place = path_of("/v1/memory", entry_id, absent="memory_not_found")
    if hard:
        return _erase(entry_id, f"{place}/hard", reason, home, yes=yes, as_json=as_json)
    if yes or reason is not None:
        name = "yes" if yes else "reason"
        raise LocalProtocolError(
            "invalid_params", f"--{name} is for --hard; what is deleted can be restored", field=name
        )
    with node_of(chosen_home(home)) as node:
        answer = node.delete(place)
    if as_json:
        print_json(answer if answer is not None else {"id": entry_id, "deleted": True})
    else:
        print_line(f"{entry_id} is deleted")
    return 0


def _erase(entry_id: str, place: str, reason: str | None, home: Path | None, *, yes: bool, as_json: bool) -> int:
    with node_of(chosen_home(home), LONG_S) as node:
        if not yes and not confirmed(f"Erase {entry_id} for good, with every piece of its text?"):
            print_json({"id": entry_id, "erased": False}) if as_json else print_line("Nothing is erased")
            return EXIT_STATUS[Exit.NEGATIVE]
        answer = node.delete(place, **({} if reason is None else {"reason": reason}))
    if as_json:
        print_json(answer)
        return 0
    print_line(f"{entry_id} is erased")
    print_erased(answer)
    return 0
