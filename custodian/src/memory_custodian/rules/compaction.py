"""The plan that brings one memory file within its budget, without judging what anything means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_custodian.rules.archive import archive_path, with_archive
from memory_custodian.rules.budgets import DECISION_TOKENS, BudgetState, budget_of, budget_state, token_count
from memory_custodian.rules.changelog import logged
from memory_custodian.rules.decision_length import is_long_decision
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry_text import parse_entries, written_size
from memory_custodian.rules.file_changes import budget_results, file_changes
from memory_custodian.rules.manifest import (
    migration_notice,
    module_path,
    project_id_of,
    protocol_version_of,
    read_manifest,
    require_writable,
)
from memory_custodian.rules.parse_blocks import groups, parse
from memory_custodian.rules.plan import Gate, Plan
from memory_custodian.rules.problems import Refused, Unavailable
from memory_custodian.rules.protocol import CHANGELOG
from memory_custodian.rules.removing import without
from memory_custodian.rules.scan import redact
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.unit_key import duplicates
from memory_custodian.rules.value import Value

__all__ = ["ARCHIVE_OLDEST", "plan_target"]

ARCHIVE_OLDEST: Final = "--archive-oldest"
_SHOWN_LONG: Final = 10
_NEVER_ARCHIVED: Final = ("brief.md", "do-not-use.md")
_DEDUPLICATED: Final = ("constraints.md", "preferences.md")
_CUT_AT_THE_END: Final = ("decisions.md", "changelog.md")


class _Unit(Value):
    """What is archived or kept whole: an entry, or a heading with all its bullets."""

    places: tuple[int, ...]
    text: str
    tokens: int
    superseded: bool
    long: bool


class _Target(Value):
    """The file that is compacted."""

    file: str
    text: str
    limit: int
    units: tuple[_Unit, ...]


class _Cut(Value):
    """What goes, and why."""

    superseded: tuple[_Unit, ...] = ()
    repeated: tuple[int, ...] = ()
    oldest: tuple[_Unit, ...] = ()
    kept: tuple[_Unit, ...] = ()

    @property
    def archived(self) -> tuple[_Unit, ...]:
        """Everything that goes to the archive, in the order of the file."""
        return tuple(sorted((*self.superseded, *self.oldest), key=lambda unit: unit.places))

    @property
    def places(self) -> set[int]:
        """The blocks that go."""
        return {place for unit in self.archived for place in unit.places} | set(self.repeated)


def plan_target(snapshot: Snapshot, target: str, draws: Draws) -> Plan:
    """Plan to bring a file within its budget: superseded entries go first, then what the file's kind allows.

    Repeated bullets of constraints and preferences are dropped; decisions and changelog keep their newest part, and
    archiving decisions has to be agreed to. Everything else is for a person to shorten. Refuses a target without a
    budget; `Unavailable` where it does not exist.
    """
    manifest = read_manifest(snapshot.require("manifest.md"))
    require_writable(manifest)
    file, limit = _checked(target)
    if file not in snapshot.texts:
        raise Unavailable(f"{file} is missing in {snapshot.memory_dir}; there is nothing to compact")
    text = snapshot.texts[file]
    chosen = _Target(file, text, limit, _units(file, text))
    cut = _cut(chosen)
    texts = _texts(snapshot, file, cut, draws.today)
    summaries = {name: _summary(name, file, cut) for name in texts}
    changes = file_changes(snapshot, texts, summaries)
    long = [unit for unit in cut.kept if unit.long]
    blocked = bool(cut.oldest and long)
    return Plan(
        command="compact",
        arguments={"target": file},
        changes=changes,
        project_id=project_id_of(manifest) or "",
        protocol_version=protocol_version_of(manifest),
        headline=(
            *migration_notice(manifest, snapshot.command("migrate")),
            *_headline(chosen, cut, texts, draws.today),
        ),
        blockers=(f"{file}: shorten the kept long decisions first: {len(long)} over {DECISION_TOKENS} tokens",)
        if blocked
        else (),
        gates=(Gate(ARCHIVE_OLDEST, f"{len(cut.oldest)} decisions in force leave what tasks load"),)
        if cut.oldest and file != CHANGELOG
        else (),
        budgets=budget_results(snapshot, changes),
    )


def _checked(target: str) -> tuple[str, int]:
    file = module_path(target)
    limit = budget_of(file) if file else None
    if file is None or limit is None:
        raise Refused(
            "--target has no budget to keep; accepted: brief.md, decisions.md, constraints.md, do-not-use.md, "
            "preferences.md, changelog.md, or a module of rules/, profiles/ or areas/"
        )
    return file, limit


def _units(file: str, text: str) -> tuple[_Unit, ...]:
    superseded = {entry.line for entry in parse_entries(file, text) if entry.status == "superseded"}
    blocks = parse(text)
    places = {id(block): place for place, block in enumerate(blocks)}
    return tuple(
        _Unit(
            places=tuple(places[id(block)] for block in group),
            text="".join(block.text for block in group),
            tokens=sum(token_count(block.text) for block in group),
            superseded=group[0].line in superseded,
            long=is_long_decision(group[0]),
        )
        for group in groups(blocks)
        if group[0].kind not in {"title", "preamble"}
    )


def _cut(target: _Target) -> _Cut:
    """Choose what goes, no more than the budget asks for; the last of a file is the oldest."""
    file, text, limit, units = target
    over = token_count(text) - limit
    if over <= 0 or file in _NEVER_ARCHIVED:
        return _Cut(kept=units)
    superseded = []
    for unit in reversed(units):
        if over > 0 and unit.superseded:
            superseded.append(unit)
            over -= unit.tokens
    kept = [unit for unit in units if unit not in superseded]
    if over <= 0:
        return _Cut(superseded=tuple(superseded), kept=tuple(kept))
    if file in _DEDUPLICATED:
        return _Cut(superseded=tuple(superseded), repeated=tuple(duplicates(parse(text))), kept=tuple(kept))
    oldest: list[_Unit] = []
    while file in _CUT_AT_THE_END and over > 0 and len(kept) > 1:
        oldest.append(kept.pop())
        over -= oldest[-1].tokens
    return _Cut(superseded=tuple(superseded), oldest=tuple(oldest), kept=tuple(kept))


def _texts(snapshot: Snapshot, file: str, cut: _Cut, today: str) -> dict[str, str]:
    if not cut.places:
        return {}
    sections = [unit.text for unit in cut.archived]
    texts = with_archive(snapshot.texts, file, today, sections) if sections else {}
    texts[file] = without(snapshot.texts[file], cut.places)
    if file != CHANGELOG and CHANGELOG in snapshot.texts:
        said = f"Compacted {file}: {len(cut.archived)} archived, {len(cut.repeated)} repeated removed."
        texts[CHANGELOG] = logged(snapshot.texts[CHANGELOG], today, said)
    return texts


def _headline(target: _Target, cut: _Cut, texts: dict[str, str], today: str) -> list[str]:
    file, text, limit, units = target
    tokens = token_count(text)
    lines = ["# Target Compaction Plan", f"Target: {file}", f"Current tokens: {tokens}/{limit} max"]
    long = [unit for unit in units if unit.long]
    lines += _long_lines(long)
    if not cut.places:
        return [*lines, *_unchanged(file, budget_state(tokens, limit), long=bool(long))]
    projected = token_count(texts[file])
    if cut.repeated:
        lines.append(f"Action: remove {len(cut.repeated)} exact duplicate bullet(s)")
    if cut.archived:
        what = "superseded entries" if not cut.oldest else "the oldest entries"
        lines += [
            f"Action: archive {what}",
            f"Keep entries: {len(cut.kept)}",
            f"Archive entries: {len(cut.archived)}",
            f"Archive path: {archive_path(file, today)}",
        ]
    lines.append(f"Projected tokens: {projected}/{limit} max")
    if cut.oldest and file != CHANGELOG:
        lines.append("Semantic review required: read what would be archived; old is not the same as settled.")
    if projected > limit:
        lines.append("Manual review required: it stays over its budget; shorten or merge what is left.")
    return lines


def _unchanged(file: str, state: BudgetState, *, long: bool) -> list[str]:
    if state == "OVER BUDGET":
        return [f"Manual review required: shorten or merge the entries of {file}; nothing can be archived unread."]
    if long:
        return ["Manual review required: shorten long decisions semantically; nothing is cut by machine."]
    return [f"Status: {state}"]


def _long_lines(long: Sequence[_Unit]) -> list[str]:
    if not long:
        return []
    lines = [f"Long decision entries: {len(long)} over {DECISION_TOKENS} tokens"]
    for unit in long[:_SHOWN_LONG]:
        heading = unit.text.split("\n", 1)[0].removeprefix("## ")
        lines.append(f"- {redact(heading)}: {written_size(unit.text)} tokens")
    more = len(long) - _SHOWN_LONG
    return [*lines, f"- and {more} more"] if more > 0 else lines


def _summary(name: str, file: str, cut: _Cut) -> str:
    if name == file:
        return f"{len(cut.archived)} archived, {len(cut.repeated)} repeated bullet(s) out"
    if name.startswith("archive/"):
        return "says what the archive is" if name.endswith("README.md") else f"{len(cut.archived)} section(s) added"
    return "change noted"
