"""Which pieces of the memory hold a topic, and what a mode may do with each (§10.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.erasure import ForgetMode
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.parse_blocks import APART, parse
from memory_custodian.rules.protocol import CORE_FILES, GUARDS, METADATA_KEYS, MODULE_FOLDERS, REGISTRY
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject_plans import references
from memory_custodian.rules.suggestion import KILLED_LOCK
from memory_custodian.rules.templates import EXTENDED_FILES, core_template, module_template
from memory_custodian.rules.text import one_line
from memory_custodian.rules.topic_match import folded, holds
from memory_custodian.rules.value import Value

__all__ = ["GENERIC_TITLE", "Found", "Match", "is_generic_guard", "is_guard", "search", "topic_note"]

GENERIC_TITLE: Final = "Tombstone: Redacted user-requested removal"
"""The title of the guard that tells no topic."""

_METADATA: Final = tuple(f"- {key}:" for key in METADATA_KEYS)
_DATED_COPY: Final = re.compile(r"(?:(?:rules|profiles|areas)-)?(.*?)-\d{4}-\d{2}-\d{2}")

_RANDOM: Final = re.compile(r"\.[0-9a-f]{32}\.tmp$")


class Match(Value):
    """One piece that holds the topic."""

    file: str
    place: int
    """Which block of the file it is."""
    block: Block


class Found(Value):
    """Everything that holds a topic, in the order of files."""

    files: tuple[str, ...]
    """Those that were searched."""
    units: tuple[Match, ...]
    """Pieces that are removed whole."""
    guards: tuple[Match, ...]
    """Tombstones and rejected approaches: removed by hard and purge, kept by soft."""
    manual: tuple[str, ...]
    """What only a person can rewrite, each with its file: no plan is applied over it."""
    left: tuple[str, ...]
    """What this mode leaves, and says so."""


def search(snapshot: Snapshot, topic: str, mode: ForgetMode) -> Found:
    """Search the files that a mode reaches. A unit is matched whole, its heading included; scaffold lines never.

    soft and hard reach everything but the archive. hard and purge reach tombstones too; a topic in the manifest, in a
    file name or in text without limits of its own is for a person to rewrite.
    """
    wanted = folded(topic)
    files = tuple(file for file in snapshot.texts if _is_reached(file, mode))
    matches = [match for file in files for match in _matches(file, snapshot.texts[file], wanted)]
    if mode == "soft":
        note = folded(topic_note(topic))
        matches = [match for match in matches if match.file != "changelog.md" or folded(match.block.label) != note]
    units = [match for match in matches if match.block.removable and not _is_for_guards(match)]
    guards = [match for match in matches if _is_removable_guard(match)]
    rest = [match for match in matches if match not in units and match not in guards]
    if mode == "soft":
        rest = [match for match in rest if match.file != GUARDS]
    gone = units if mode == "soft" else [*units, *guards]
    named = list(_still_named(snapshot, gone))
    notes = [*_in_manifest(snapshot, wanted), *_in_names(files, wanted), *_prepared(snapshot, wanted)]
    manual = [_note(match) for match in rest if not _goes_with_its_bullets(match, snapshot.texts[match.file], gone)]
    refused = [note for _, note in named]
    return Found(
        files=files,
        units=tuple(match for match in units if match not in [match for match, _ in named]),
        guards=tuple(guards),
        manual=tuple(manual if mode == "soft" else [*manual, *refused, *notes]),
        left=(*([*refused, *notes] if mode == "soft" else ()), *_in_archive(snapshot, wanted, mode)),
    )


def topic_note(topic: str) -> str:
    """Return what a soft forgetting notes in the changelog. It is kept by the next one, like the tombstone."""
    return f"Forgot {one_line(topic)} (soft)."


def is_guard(block: Block) -> bool:
    """Whether a piece keeps something from coming back: a tombstone, or a rejected approach."""
    code = block.entry_id.split("-")[1] if block.entry_id else ""
    return code in {"TOMB", "DNU"} or (block.kind == "section" and block.label.casefold().startswith("tombstone:"))


def is_generic_guard(block: Block) -> bool:
    """Whether a piece is a guard without a topic. It tells nothing, so nothing is ever matched in it."""
    return is_guard(block) and block.label.casefold().endswith(GENERIC_TITLE.casefold())


def _prepared(snapshot: Snapshot, wanted: str) -> Iterator[str]:
    """Find what is not in place: it would come back, or stay, after a forgetting that passes it over."""
    init = snapshot.command("init")
    for texts, rest in (
        (snapshot.set_aside, "was set aside; finish that by hand, and remove the file"),
        (
            snapshot.unfinished,
            f"was cut off; `{init}` finishes it or takes it back, then preview this again; {KILLED_LOCK}",
        ),
    ):
        for file, text in texts.items():
            # Before the random digits stands the name of the file that it was prepared for.
            target = _RANDOM.sub("", file.rpartition("/")[2])[1:]
            if holds(text, wanted) or any(_in_names((target,), wanted)):
                yield f"{file}: matching content of a change that {rest}"


def _is_reached(file: str, mode: ForgetMode) -> bool:
    return file != "manifest.md" and (mode == "purge" or not file.startswith("archive/"))


def _matches(file: str, text: str, wanted: str) -> Iterator[Match]:
    if not holds(text, wanted):
        return
    scaffold = _scaffold(file)
    for place, block in enumerate(parse(text)):
        looked_at = block.text if block.removable else _without_scaffold(block.text, scaffold)
        if holds(looked_at, wanted) and not is_generic_guard(block):
            yield Match(file, place, block)


def _scaffold(file: str) -> frozenset[str]:
    """Return the lines that a new file of that name has: they are ours, and tell nothing of the project."""
    known = file in {*CORE_FILES, *EXTENDED_FILES} or file.partition("/")[0] in MODULE_FOLDERS
    return frozenset({APART, *(module_template(file).split("\n") if known else ())})


def _without_scaffold(text: str, scaffold: frozenset[str]) -> str:
    return "\n".join(line for line in text.split("\n") if line not in scaffold)


def _is_for_guards(match: Match) -> bool:
    in_archive = match.file.startswith("archive/")
    return match.file == GUARDS or (is_guard(match.block) and not in_archive)


def _is_removable_guard(match: Match) -> bool:
    """A section of do-not-use.md that is no tombstone is of a kind nobody knows, so a person decides."""
    if not _is_for_guards(match) or not match.block.removable:
        return False
    return match.block.kind != "section" or is_guard(match.block)


def _goes_with_its_bullets(match: Match, text: str, gone: list[Match]) -> bool:
    """Whether a matching heading only groups bullets that all go: then it goes too."""
    if match.block.kind != "heading":
        return False
    places = {other.place for other in gone if other.file == match.file}
    group = [place for place, block in enumerate(parse(text)) if block.group == match.block.group]
    return all(place in places for place in group if place != match.place)


def _still_named(snapshot: Snapshot, gone: list[Match]) -> Iterator[tuple[Match, str]]:
    """Find the matching Subjects that entries would still name, those of the archive included."""
    subjects = [match for match in gone if match.file == REGISTRY and match.block.entry_id.startswith("MC-SUBJ-")]
    if not subjects:
        return
    lost = {(match.file, match.block.line) for match in gone}
    staying = [entry for entry in index_of(snapshot).entries if (entry.file, entry.line) not in lost]
    for match in subjects:
        naming = [entry.id for entry in references(match.block.entry_id, staying)]
        if naming:
            yield match, f"{REGISTRY}: cannot remove {match.block.entry_id}: still named by {', '.join(naming)}"


def _in_manifest(snapshot: Snapshot, wanted: str) -> Iterator[str]:
    scaffold = frozenset(core_template("manifest.md").split("\n"))
    for number, line in enumerate(snapshot.texts["manifest.md"].split("\n")):
        ours = line in scaffold or line.startswith(_METADATA)
        if not ours and holds(line, wanted):
            yield f"manifest.md: body contains matching content (line {number + 1})"


def _in_archive(snapshot: Snapshot, wanted: str, mode: ForgetMode) -> Iterator[str]:
    """Say that an archive keeps what a mode without it takes out of memory."""
    if mode != "purge":
        count = sum(file.startswith("archive/") and holds(text, wanted) for file, text in snapshot.texts.items())
        if count:
            yield f"{count} file(s) of the archive hold matching content, and {mode} leaves them; purge reaches them"


def _in_names(files: tuple[str, ...], wanted: str) -> Iterator[str]:
    for file in files:
        stem = file.rpartition("/")[2].removesuffix(".md")
        copied = _DATED_COPY.fullmatch(stem) if file.startswith("archive/") else None
        own = copied[1] if copied else stem
        if f"{own}.md" not in {*CORE_FILES, *EXTENDED_FILES, "README.md"} and holds(own, wanted):
            yield f"{file}: file name contains matching content"


def _note(match: Match) -> str:
    return f"{match.file}: {match.block.shown_kind} contains matching content"
