"""The plan of a forgetting (§10.3): what each mode takes out of the managed memory, and the guard it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_custodian.rules.changelog import logged
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry_ids import ids_in_headings, new_id
from memory_custodian.rules.entry_text import parse_entries, with_link
from memory_custodian.rules.erasure import ErasureScope, ForgetMode
from memory_custodian.rules.file_changes import budget_results, file_changes
from memory_custodian.rules.forgetting_search import Found, Match, is_generic_guard, is_guard, search
from memory_custodian.rules.forgetting_text import changelog_line, generic_guard, headline, is_topic_guard, topic_guard
from memory_custodian.rules.insertion import placed
from memory_custodian.rules.manifest import (
    migration_notice,
    project_id_of,
    protocol_state,
    protocol_version_of,
    read_manifest,
    require_writable,
)
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.plan import Gate, Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import CHANGELOG, GUARDS, REMOVED
from memory_custodian.rules.removing import without
from memory_custodian.rules.scan import scan
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.value import Value

__all__ = ["BROAD_MATCH", "plan_forget"]

BROAD_MATCH: Final = "--allow-broad-match"
_SHORT_TOPIC: Final = 4
"""A topic with fewer characters occurs inside too many other words."""
_LINKS: Final = ("Supersedes", "Superseded-By", "Promoted-To")
_LAST: Final = ("subjects.md", CHANGELOG)


class _Guard(Value):
    """The tombstone that is written, if one is."""

    said: str
    text: str = ""
    id: str = ""


def plan_forget(snapshot: Snapshot, topic: str, mode: ForgetMode, draws: Draws) -> Plan:
    """Plan to take everything that holds a topic out of what the mode reaches.

    Refuses an empty topic, one of several lines, and a secret in soft mode, whose tombstone would keep it. Blockers
    are matches that only a person can rewrite. A plan without changes says that there is nothing to do.
    """
    manifest = read_manifest(snapshot.require("manifest.md"))
    require_writable(manifest)
    snapshot.require(GUARDS)
    topic = _checked(topic, mode)
    found = search(snapshot, topic, mode)
    guard = _guard(snapshot, found, topic, mode, draws, current=protocol_state(manifest) == "current")
    texts = _texts(snapshot, found, guard, mode)
    noted = "not enabled" if CHANGELOG not in snapshot.texts else "records the topic" if mode == "soft" else "generic"
    if texts and CHANGELOG in snapshot.texts:
        text = texts.get(CHANGELOG, snapshot.texts[CHANGELOG])
        texts[CHANGELOG] = logged(text, draws.today, changelog_line(topic, mode))
    texts = {file: texts[file] for file in sorted(texts, key=lambda file: (file in _LAST, file == CHANGELOG))}
    removed = _removed(found, mode)
    changes = file_changes(snapshot, texts, {file: _summary(file, removed, guard) for file in texts})
    gates = _gates(topic, found, mode)
    lines = headline(found, topic, mode, tombstone=guard.said, changelog=noted, broad=bool(gates))
    idle = () if changes or found.manual else ("Nothing to do: no unit of this mode holds the topic.",)
    return Plan(
        command="forget",
        arguments={"topic": topic, "mode": mode},
        changes=changes,
        project_id=project_id_of(manifest) or "",
        protocol_version=protocol_version_of(manifest),
        headline=(*migration_notice(manifest, snapshot.command("migrate")), *lines, *idle),
        warnings=found.left,
        blockers=found.manual,
        gates=gates,
        budgets=budget_results(snapshot, changes),
        erasure=_scope(found, mode, guarded=GUARDS in texts, changed=bool(changes)),
        topic="" if mode == "soft" else topic,
        nonce="" if mode == "soft" else draws.nonce,
        created=(guard.id,) if guard.id else (),
    )


def _checked(topic: str, mode: ForgetMode) -> str:
    bare = topic.strip()
    if not bare or not bare.isprintable():
        raise Refused("TOPIC is empty, or has line breaks or control characters; accepted: text of one line")
    secret = next((finding.kind for finding in scan("TOPIC", bare) if finding.category == "security"), "")
    if secret and mode == "soft":
        raise Refused(
            f"TOPIC looks like a secret ({secret}), and soft keeps it in a tombstone; use --mode hard or purge"
        )
    return bare


def _removed(found: Found, mode: ForgetMode) -> tuple[Match, ...]:
    return found.units if mode == "soft" else (*found.units, *found.guards)


def _guard(snapshot: Snapshot, found: Found, topic: str, mode: ForgetMode, draws: Draws, *, current: bool) -> _Guard:
    """Decide which tombstone is written. The same one is never written twice."""
    if mode == "purge":
        return _Guard("none")
    if mode == "hard" and not _removed(found, mode):
        return _Guard("none, because nothing is removed")
    if _has_topic_guard(snapshot, topic) if mode == "soft" else _has_generic_guard(snapshot):
        return _Guard("kept: do-not-use.md has it already")
    taken = {one for text in snapshot.texts.values() for one in ids_in_headings(text)}
    guard_id = new_id("TOMB", draws.today, draws, taken) if current else ""
    if mode == "soft":
        return _Guard("new, names the topic", topic_guard(topic, guard_id, draws.today), guard_id)
    return _Guard("new, without the topic", generic_guard(guard_id), guard_id)


def _has_topic_guard(snapshot: Snapshot, topic: str) -> bool:
    """Whether an active tombstone of the topic is there."""
    text = snapshot.texts[GUARDS]
    inactive = {entry.line for entry in parse_entries(GUARDS, text) if entry.status not in {"active", ""}}
    return any(is_guard(block) and block.line not in inactive and is_topic_guard(block, topic) for block in parse(text))


def _has_generic_guard(snapshot: Snapshot) -> bool:
    return any(is_generic_guard(block) for block in parse(snapshot.texts[GUARDS]))


def _texts(snapshot: Snapshot, found: Found, guard: _Guard, mode: ForgetMode) -> dict[str, str]:
    """Return the files as they will be: without what matched, with no link to it, and with the guard."""
    removed = _removed(found, mode)
    doomed: dict[str, list[int]] = {}
    for match in removed:
        doomed.setdefault(match.file, []).append(match.place)
    texts = {file: without(snapshot.texts[file], places) for file, places in doomed.items()}
    lost = {match.block.entry_id for match in removed if match.block.entry_id}
    for file, text in snapshot.texts.items():
        reached = mode == "purge" or not file.startswith("archive/")
        if lost and reached and "MC-" in text.upper():
            linked = _relinked(file, texts.get(file, text), lost)
            if linked != text:
                texts[file] = linked
    if guard.text:
        texts[GUARDS] = placed(GUARDS, texts.get(GUARDS, snapshot.texts[GUARDS]), guard.text)
    return texts


def _relinked(file: str, text: str, lost: set[str]) -> str:
    """Let links to entries that go say so: a link that leads nowhere would look like a mistake."""
    for entry in parse_entries(file, text):
        for field in _LINKS:
            target = entry.field(field)
            if target.casefold() in {one.casefold() for one in lost}:
                text = with_link(text, entry.id, None, field, REMOVED)
    return text


def _summary(file: str, removed: Sequence[Match], guard: _Guard) -> str:
    count = sum(match.file == file for match in removed)
    parts = [f"{count} matching unit(s) out" if count else ""]
    parts.append("tombstone added" if file == GUARDS and guard.text else "")
    parts.append("change noted" if file == CHANGELOG else "")
    return ", ".join(part for part in parts if part) or "links to removed entries marked"


def _gates(topic: str, found: Found, mode: ForgetMode) -> tuple[Gate, ...]:
    matched = len(_removed(found, mode)) + len(found.manual)
    if len("".join(topic.split())) < _SHORT_TOPIC:
        return (Gate(BROAD_MATCH, f"the topic has fewer than {_SHORT_TOPIC} characters"),)
    return (Gate(BROAD_MATCH, f"{matched} units match"),) if matched > 1 else ()


def _scope(found: Found, mode: ForgetMode, *, guarded: bool, changed: bool) -> ErasureScope:
    """Say what the mode covers: also what a person has to rewrite there before anything is written."""
    places = [*(match.file for match in (*found.units, *found.guards)), *found.manual]
    return ErasureScope(
        active_memory=guarded or any(not place.startswith("archive/") for place in places),
        managed_archive=mode == "purge",
        topic_retained_in_new_records=mode == "soft" and changed,
        git_worktree_modified="on-apply" if changed else "no",
        removes_matches=bool(_removed(found, mode)),
    )
