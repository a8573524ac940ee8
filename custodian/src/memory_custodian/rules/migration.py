"""The move of an older project to protocol 0.6 (§11): what is there is kept, and nothing is made up.

1. A newer or invalid protocol and malformed metadata are refused. 2. The manifest gets its metadata. 3. It gets the
trust boundary and a whole index. 4. subjects.md is made. 5. A decision with certain limits gets an ID, fields and
legacy-unverified. 6. Other sections and prose are reported. 7. Bullets stay, and a checklist names by ID or place what
only a person can give a Subject. 8. A second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.changelog import logged
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry_forms_0_5 import clear_decision, dated_title
from memory_custodian.rules.entry_ids import ids_in_headings, new_id
from memory_custodian.rules.file_changes import budget_results, file_changes
from memory_custodian.rules.manifest import (
    Manifest,
    precedes,
    project_id_of,
    protocol_state,
    protocol_version_of,
    read_manifest,
    require_writable,
)
from memory_custodian.rules.manifest_edit import with_implementation_decisions, with_index, with_metadata, with_trust
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.protocol import CHANGELOG, MANIFEST, METADATA_KEYS, PROTOCOL_VERSION, REGISTRY
from memory_custodian.rules.scan import redact
from memory_custodian.rules.scope import is_scope
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import core_template, metadata_values, module_template
from memory_custodian.rules.value import Value

__all__ = ["migration_arguments", "plan_migration"]

_WITH_DECISIONS: Final = "0.5"
"""The first protocol whose generated implementation route loads decisions.md."""
_OWNING_FILES: Final = ("constraints.md", "do-not-use.md")
_BULLET_FILES: Final = ("constraints.md", "preferences.md", "do-not-use.md", "inbox.md")


class _Marked(Value):
    """A file after step 5."""

    text: str
    created: tuple[tuple[str, str], ...]
    """ID and title of each decision that was marked."""
    by_hand: tuple[int, ...]
    """The lines of what is left to a person."""


def migration_arguments(memory_dir: str) -> dict[str, str]:
    """Return what a pending preview of `migrate` is found by."""
    return {"memory_dir": memory_dir}


def plan_migration(snapshot: Snapshot, draws: Draws, version: str) -> Plan:
    """Return the plan of `migrate` for the program of a version; without changes where the project is current.

    A current project gets only what is missing of metadata, trust boundary, index and registry. Refuses a manifest
    that is missing, of a newer or invalid protocol, or has repeated or malformed metadata.
    """
    before = snapshot.require(MANIFEST)
    manifest = read_manifest(before)
    require_writable(manifest)
    project_id = project_id_of(manifest) or draws.project_id()
    older = protocol_state(manifest) != "current"
    after, notes = _manifest(snapshot, manifest, version, project_id)
    marked = dict(_marked_files(snapshot, read_manifest(after).indexed, draws)) if older else {}
    texts = {file: found.text for file, found in marked.items() if found.text != snapshot.texts[file]}
    texts |= {REGISTRY: core_template(REGISTRY)} if REGISTRY not in snapshot.texts else {}
    texts |= {MANIFEST: after} if after != before else {}
    created = [one for found in marked.values() for one in found.created]
    if texts and CHANGELOG in snapshot.texts:
        said = f"Migrated project memory to protocol {PROTOCOL_VERSION}." if older else "Completed the metadata of 0.6."
        texts[CHANGELOG] = logged(snapshot.texts[CHANGELOG], draws.today, said)
    changes = file_changes(snapshot, texts, _summaries(texts, marked))
    return Plan(
        command="migrate",
        arguments=migration_arguments(snapshot.memory_dir),
        changes=changes,
        project_id=project_id,
        protocol_version=protocol_version_of(manifest),
        headline=_headline(texts, notes, [*map(" ".join, created), *(_unmarked(snapshot, marked) if older else ())]),
        warnings=tuple(_warnings(snapshot, marked)) if older else (),
        budgets=budget_results(snapshot, changes),
        context={"created": tuple(entry_id for entry_id, _ in created)},
        created=tuple(entry_id for entry_id, _ in created),
    )


def _manifest(snapshot: Snapshot, manifest: Manifest, version: str, project_id: str) -> tuple[str, tuple[str, ...]]:
    """Return the manifest after migration, and a line on each thing that was done to it.

    From 0.5 on a route without decisions is meant so, and an index names what is enabled.
    """
    steps: list[str] = []
    text = snapshot.texts[MANIFEST]
    values = _metadata(manifest, version, project_id)
    routed = with_implementation_decisions if precedes(manifest, _WITH_DECISIONS) else str
    for sentence, after in (
        (f"metadata of protocol {PROTOCOL_VERSION}", lambda text: with_metadata(text, values)),
        ("trust boundary", with_trust),
        ("load decisions.md for implementation", routed),
        ("index of optional modules", lambda text: with_index(text, tuple(snapshot.texts))),
    ):
        changed = after(text)
        steps += [f"- {MANIFEST}: {sentence}"] if changed != text else []
        text = changed
    return text, tuple(steps)


def _metadata(manifest: Manifest, version: str, project_id: str) -> Mapping[str, str]:
    """Return the values to write: all nine for an older project, only those that are missing for a current one."""
    known = {key: value for key, value in manifest.metadata if value and key in METADATA_KEYS}
    made = {**metadata_values(version, project_id), "initialized_with": known.get("initialized_with", "unknown")}
    return {**made, **known} if protocol_state(manifest) == "current" else made


def _marked_files(snapshot: Snapshot, indexed: Sequence[str], draws: Draws) -> Iterator[tuple[str, _Marked]]:
    """Mark the decisions of decisions.md and of the areas that the migrated index names."""
    taken = {found for text in snapshot.texts.values() for found in ids_in_headings(text)}
    for file in ["decisions.md", *(file for file in indexed if file.startswith("areas/"))]:
        if file in snapshot.texts and is_scope(_scope(file)):
            yield file, _marked(file, snapshot.texts[file], draws, taken)


def _scope(file: str) -> str:
    return "project" if file == "decisions.md" else f"area:{file[len('areas/') : -len('.md')]}"


def _marked(file: str, text: str, draws: Draws, taken: set[str]) -> _Marked:
    code, scope = "DEC" if file == "decisions.md" else "AREA", _scope(file)
    pieces: list[str] = []
    created: list[tuple[str, str]] = []
    by_hand: list[int] = []
    for block in parse(text):
        after = None
        if clear_decision(block):
            old = dated_title(block.label)
            entry_id = new_id(code, old.date or draws.today, draws, taken)
            after = _as_entry(block, entry_id, old.title, scope)
            if after:
                taken.add(entry_id)
                created.append((entry_id, old.title))
        if after is None and _is_for_a_person(file, block):
            by_hand.append(block.line)
        pieces.append(after or block.text)
    return _Marked("".join(pieces), tuple(created), tuple(by_hand))


def _as_entry(block: Block, entry_id: str, title: str, scope: str) -> str | None:
    """Return the section as an entry, with every line below its heading as it was; None where a reader would cut it."""
    _, _, rest = block.text.partition("\n")
    fields = f"Status: active\nScope: {scope}\nEvidence:\n- legacy-unverified\n"
    text = f"## {entry_id} — {title}\n\n{fields}\n{rest.lstrip(chr(10))}"
    read = parse(text)
    return text if len(read) == 1 and read[0].kind == "entry" else None


def _is_for_a_person(file: str, block: Block) -> bool:
    """Whether it is a section or prose whose limits or meaning migration cannot be certain of."""
    if block.kind in {"section", "heading"}:
        return not block.label.casefold().startswith("tombstone:")
    prose = block.text.strip()
    return block.kind in {"body", "lead"} and bool(prose) and prose not in module_template(file)


def _warnings(snapshot: Snapshot, marked: Mapping[str, _Marked]) -> Iterator[str]:
    for file, found in marked.items():
        for line in found.by_hand:
            yield f"Manual migration recommended: {file}:{line} is not certainly one decision, and stays as it is"
    files = [file for file in (*marked, *_BULLET_FILES) if _has_bullets(snapshot.texts.get(file, ""))]
    if files:
        yield f"Bullets stay as they are, and are still read as entries of the old form: {', '.join(files)}"
    if any(found.created for found in marked.values()):
        yield "Subject and Facet of the marked decisions have to be assigned by hand; the checklist names them"


def _has_bullets(text: str) -> bool:
    return any(block.kind == "bullet" for block in parse(text))


def _unmarked(snapshot: Snapshot, marked: Mapping[str, _Marked]) -> Iterator[str]:
    """Yield the place and words of what stays as it is, and of whose kind new entries need a Subject."""
    for file in (*_OWNING_FILES, *(file for file in marked if file.startswith("areas/"))):
        for block in parse(snapshot.texts.get(file, "")):
            said = block.kind in {"bullet", "section"} if file in _OWNING_FILES else block.kind == "bullet"
            if said or block.label.casefold().startswith("tombstone:"):
                yield f"{file}:{block.line} {block.label}"


def _headline(texts: Mapping[str, str], notes: tuple[str, ...], assigned: list[str]) -> tuple[str, ...]:
    if not texts:
        return ("MemoryCustodian migrate: no changes needed",)
    lines = ["MemoryCustodian migrate plan:", *notes]
    lines += [f"- {REGISTRY}: registry created"] if REGISTRY in texts else []
    if assigned:
        lines += ["Subject and Facet to assign by hand:", *(redact(f"- {one}") for one in assigned)]
    return tuple(lines)


def _summaries(texts: Mapping[str, str], marked: Mapping[str, _Marked]) -> dict[str, str]:
    sentences = {MANIFEST: "metadata and sections of the protocol", REGISTRY: "empty registry", CHANGELOG: "logged"}
    numbers = {file: f"{len(found.created)} decision(s) get an ID" for file, found in marked.items()}
    return {file: sentences.get(file) or numbers[file] for file in texts}
