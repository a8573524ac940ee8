"""`csb memory snapshot load`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from csbond.cli.entries import how_many
from csbond.cli.memory.snapshot.download import bare, downloaded, is_address
from csbond.cli.memory.snapshot.files import FOLDER, PLACE, LenientOption, limits_of, read_snapshot, snapshots_of_skill
from csbond.cli.node_client import LONG_S, NodeClient, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line
from csbond.cli.progress import progress
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.snapshot import MEDIA_TYPE

_NAMED = 10
"""Memories that are named of each kind; --json names more."""
_LINES = {
    "loaded": "loaded",
    "same": "here already",
    "replaced": "replaced",
    "deleted_here": "deleted here, and not brought back",
    "outlived": "of those loaded past their time to live: in cold, until tending deletes them",
}


def load(
    source: Annotated[
        str | None,
        typer.Argument(metavar="FILE|URL", help="A file, - for standard input, or an address to download it from."),
    ] = None,
    task: Annotated[str, typer.Option("--task", metavar="ID", help="One that came with this task of the node.")] = "",
    part: Annotated[
        int | None, typer.Option("--part", min=0, metavar="N", help="With --task: which of several, from 0.")
    ] = None,
    skill: Annotated[
        Path | None, typer.Option("--skill", metavar="DIR", help=f"All in the folder {FOLDER} of a skill.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let it take the place of what is here with another content.")
    ] = False,
    lenient: LenientOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be done, and do nothing.")] = False,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="F", help="With an address: the token to show there.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Load a snapshot into warm and cold, after both its checksums were looked at (MEM-006 §6.3).

    What is here with another content stays and is named; what was deleted here does not come back.

    Repeating: what was loaded is here already, and nothing changes but for another line of the log.
    """
    _check(source, task, part, skill, token_file)
    wishes = {"replace": replace, "lenient": lenient, "dry_run": dry_run}
    query = {name: "true" for name, wished in wishes.items() if wished}
    chosen, most = chosen_home(home), limits_of(home).bytes
    with progress(None, "Loading", shown=not as_json):
        files = list(_files(source, skill, most, token_file, home))
        with node_of(chosen, LONG_S) as node:
            answers = [_of_task(node, task, part, query)] if task else [_of_file(node, *each, query) for each in files]
    if as_json:
        print_json(answers if skill else answers[0])
        return 0
    for name, answer in zip([name for name, _ in files] or [task], answers, strict=True):
        _print(answer, f"{name}: " if skill else "")
    return 0


def _check(source: str | None, task: str, part: int | None, skill: Path | None, token_file: Path | None) -> None:
    if sum((source is not None, bool(task), skill is not None)) != 1:
        raise LocalProtocolError(
            "invalid_params",
            "one thing is loaded at a time: a file, an address, --task ID or --skill DIR",
            next_step="csb memory snapshot load --help",
            field="source",
        )
    if part is not None and not task:
        raise LocalProtocolError("invalid_params", "--part is for --task", field="part")
    if token_file and not (source and is_address(source)):
        raise LocalProtocolError("invalid_params", "--token-file is for an address", field="token_file")


def _files(
    source: str | None, skill: Path | None, most: int, token_file: Path | None, home: Path | None
) -> Iterator[tuple[str, bytes]]:
    """What to load, each with where it comes from."""
    if source is not None and is_address(source):
        yield bare(source), downloaded(source, most, token_file, home)
        return
    for file in snapshots_of_skill(skill) if skill else [Path(source)] if source is not None else []:
        yield str(file), read_snapshot(file, most)


def _of_file(node: NodeClient, name: str, raw: bytes, query: Mapping[str, str]) -> Any:
    return node.post_file(f"{PLACE}/load", raw, MEDIA_TYPE, source=name[-512:], **query)


def _of_task(node: NodeClient, task: str, part: int | None, query: Mapping[str, str]) -> Any:
    return node.post(f"{PLACE}/load", {"task_id": task} | ({} if part is None else {"part": part}), **query)


def _print(answer: Mapping[str, Any], before: str) -> None:
    counts = answer["counts"]
    if answer["dry_run"]:
        print_line(f"{before}Nothing is done; this would be:")
    for name, words in _LINES.items():
        if counts[name] or name == "loaded":
            print_line(f"{before}{how_many(counts[name])} {words}")
    if counts["conflicts"]:
        print_line(f"{before}{how_many(counts['conflicts'])} here with another content, and left as they are:")
        for memory_id in answer["conflicts"][:_NAMED]:
            print_line(f"  {memory_id}")
        print_line("To have them as the file says: add --replace")
    if counts["unresolved_links"]:
        print_line(f"{before}Links that lead nowhere here: {counts['unresolved_links']}")
