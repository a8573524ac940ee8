"""What loading a snapshot would do: what is new, what is there already, and what must not come back (MEM-006 §6.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import HOME_SPACE, Level, MemoryEntry, Visibility
from csbond.protocol.memory.extra_fields import without_nulls
from csbond.protocol.memory.link import Link, in_order, is_foreign
from csbond.protocol.memory.link_extra import LINK_FIELDS, without_unresolved
from csbond.protocol.memory.link_json import DECLARED_MAX, link_to_json
from csbond.protocol.memory.near_duplicates import MADE_BY
from csbond.protocol.memory.project import project_of
from csbond.protocol.memory.snapshot import SnapshotMemory
from csbond.protocol.memory.snapshot_json import memory_line, memory_to_json
from csbond.protocol.memory.snapshot_texts import texts_of
from csbond.protocol.memory.whitespace import ArchivedMemory

Here = Mapping[str, MemoryEntry | ArchivedMemory]
"""What this home has under the ids of a snapshot, softly deleted and cleared ones too."""


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """The links a memory is to have, and those of another target or relation that it is to lose."""

    entry_id: str
    links: tuple[Link, ...]
    drop: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What becomes of each memory of a snapshot, or of some of them."""

    fresh: tuple[MemoryEntry, ...] = ()
    """The new entries, whose links are set later: what they lead to may come after them."""
    same: tuple[str, ...] = ()
    """What is here and says the same; its tier and its uses are this home's."""
    replaced: tuple[tuple[MemoryEntry, MemoryEntry], ...] = ()
    """What is here with another content, and its next version."""
    conflicts: tuple[str, ...] = ()
    """What is here with another content and stays as it is."""
    deleted_here: tuple[str, ...] = ()
    """What was deleted here, softly or for good: it does not come back."""
    outlived: tuple[str, ...] = ()
    """Of what is new: those whose time to live has passed already; they start in cold."""
    links: tuple[LinkPlan, ...] = ()
    """Which links are to be set, once all entries are there."""
    unresolved_links: tuple[tuple[str, str], ...] = ()
    """Links to what is neither here nor in the file, as (source, target); the entry tells of them as declared."""


def starting_level(level: Level) -> Level:
    """The tier in which a loaded memory starts: warm or cold."""
    return Level.WARM if level is Level.HOT else level


def plan_load(
    memories: Sequence[SnapshotMemory],
    here: Here,
    there: Collection[str],
    now: int,
    *,
    replaces: bool = False,
    untouched: Collection[str] = (),
) -> LoadPlan:
    """What to do with memories of a snapshot: whole texts, since a piece is one of a text that is new here.

    `there` has the memories that links may lead to, here or in the file; `replaces` lets what the file says take the
    place of what is here with another content; `untouched` are those here whose later versions `is_untouched` says are
    of this node alone.
    """
    plans = []
    for text in texts_of(memories):
        goes_on = False
        for memory in text:
            known = here.get(memory.draft.id)
            own = memory if goes_on else replace(memory, extends="", piece=0)
            fits = known is not None and (known.id in untouched or _is_first(known))
            plans.append(_plan_of(own, known, there, now, replaces=replaces, unlinked=fits))
            goes_on = known is None and own.piece == memory.piece
    return united(plans)


def without_replaced(plan: LoadPlan, ids: Collection[str]) -> LoadPlan:
    """The plan in which those memories stay as they are here, and are named as conflicts."""
    return replace(
        plan,
        replaced=tuple(pair for pair in plan.replaced if pair[0].id not in ids),
        conflicts=(*plan.conflicts, *(known.id for known, _ in plan.replaced if known.id in ids)),
        links=tuple(each for each in plan.links if each.entry_id not in ids),
        unresolved_links=tuple(pair for pair in plan.unresolved_links if pair[0] not in ids),
    )


def united(plans: Iterable[LoadPlan]) -> LoadPlan:
    """Several plans as one."""
    all_plans = tuple(plans)
    return LoadPlan(
        fresh=tuple(each for plan in all_plans for each in plan.fresh),
        same=tuple(each for plan in all_plans for each in plan.same),
        replaced=tuple(each for plan in all_plans for each in plan.replaced),
        conflicts=tuple(each for plan in all_plans for each in plan.conflicts),
        deleted_here=tuple(each for plan in all_plans for each in plan.deleted_here),
        outlived=tuple(each for plan in all_plans for each in plan.outlived),
        links=tuple(each for plan in all_plans for each in plan.links),
        unresolved_links=tuple(each for plan in all_plans for each in plan.unresolved_links),
    )


def _plan_of(
    memory: SnapshotMemory,
    known: MemoryEntry | ArchivedMemory | None,
    there: Collection[str],
    now: int,
    *,
    replaces: bool,
    unlinked: bool,
) -> LoadPlan:
    """1. what was deleted here stays deleted; 2. what is new is loaded; 3. what says the same stays as it is, and gets
    the links that an interrupted load did not set; 4. what says something else is replaced, or named.
    """
    if isinstance(known, ArchivedMemory) or (known is not None and known.deleted_at):
        return LoadPlan(deleted_here=(memory.draft.id,))
    loaded, unresolved = _loaded(memory, there, now)
    if known is None:
        return LoadPlan(
            fresh=(loaded,),
            outlived=(loaded.id,) if _is_outlived(loaded, now) else (),
            links=(LinkPlan(loaded.id, loaded.links),) if loaded.links else (),
            unresolved_links=unresolved,
        )
    links = _link_plan(known, loaded, there)
    if _said(known) == _said(loaded):
        if links is None:
            return LoadPlan(same=(known.id,))
        if unlinked:
            return LoadPlan(same=(known.id,), links=(links,), unresolved_links=unresolved)
    if not replaces:
        return LoadPlan(conflicts=(known.id,))
    return LoadPlan(
        replaced=((known, _next_version(known, loaded, now)),),
        links=() if links is None else (links,),
        unresolved_links=unresolved,
    )


def is_untouched(earlier: Sequence[MemoryEntry], known: MemoryEntry) -> bool:
    """Whether nobody but the rule that links what is nearly the same has made all versions since the first, which has
    no links: so is what an interrupted load left.
    """
    links = [link for version in (*earlier, known) for link in version.links]
    return len(earlier) == known.version - 1 > 0 and all(link.made_by == MADE_BY for link in links)


def _is_first(known: MemoryEntry | ArchivedMemory) -> bool:
    return isinstance(known, MemoryEntry) and known.version == 1 and not known.linked


def _loaded(
    memory: SnapshotMemory, there: Collection[str], now: int
) -> tuple[MemoryEntry, tuple[tuple[str, str], ...]]:
    """A memory as a new entry of the owner, with the links that lead somewhere; the others are told as declared."""
    draft, origin = memory.draft, memory.origin
    lost = [link for link in draft.links if not (is_foreign(link.target_id) or link.target_id in there)]
    entry = MemoryEntry(
        id=draft.id,
        space=HOME_SPACE,
        type=draft.type,
        content=draft.content,
        tags=draft.tags,
        timestamp=draft.timestamp,
        source=draft.source,
        level=starting_level(draft.level),
        visibility=draft.visibility,
        origin=origin,
        ttl=draft.ttl,
        extra=_declaring(draft.extra, lost),
        kept_at=now,
        project=project_of(draft.project, origin),
        links=in_order(link for link in draft.links if link not in lost),
        used_at=now,
        extends=memory.extends,
        piece=memory.piece,
    )
    if _is_outlived(entry, now):
        entry = replace(entry, level=Level.COLD)
    return entry, tuple((draft.id, link.target_id) for link in lost)


def _is_outlived(entry: MemoryEntry, now: int) -> bool:
    return 0 < entry.ttl <= now - entry.timestamp


def _declaring(extra: Mapping[str, Any], lost: Sequence[Link]) -> Mapping[str, Any]:
    """The extra fields with links that lead nowhere, as many as there is room for."""
    if not lost:
        return extra
    declared = {**extra.get("link_metadata", {}).get("declared", {})}
    told = [*_listed(declared.get("unresolved")), *(link_to_json(link) for link in lost)]
    while told and len(orjson.dumps({"declared": {**declared, "unresolved": told}})) > DECLARED_MAX:
        told.pop()
    return {**extra, "link_metadata": {"declared": {**declared, "unresolved": told}}} if told else extra


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _next_version(known: MemoryEntry, loaded: MemoryEntry, now: int) -> MemoryEntry:
    """What is here as the file says it, of whom, for whom and as what piece it is here; its links are set later."""
    moved = loaded.level is not known.level
    return replace(
        known,
        type=loaded.type,
        content=loaded.content,
        tags=loaded.tags,
        timestamp=loaded.timestamp,
        source=loaded.source,
        level=loaded.level,
        origin=replace(loaded.origin, caller_key=known.origin.caller_key),
        ttl=loaded.ttl,
        extra=loaded.extra,
        project=loaded.project,
        version=known.version + 1,
        moved_at=now if moved else known.moved_at,
        found_at=0 if moved else known.found_at,
    )


def _said(entry: MemoryEntry) -> bytes:
    """What is compared of two entries of an id: all but what is each home's, and links.

    Each home's are the tier, for whom it is, the vector, and what the entry goes on from.
    """
    extra = {
        name: value for name, value in without_unresolved(entry.extra).items() if name not in (LINK_FIELDS, "embedding")
    }
    bare = replace(
        entry,
        level=Level.COLD,
        visibility=Visibility.PRIVATE,
        links=(),
        extra=without_nulls(extra),
        extends="",
        piece=0,
        deleted_at=0,
    )
    raw = memory_to_json(bare)
    try:
        return memory_line(raw)
    except CsbError:  # a number that no file has: it says something else than any
        return orjson.dumps(raw, option=orjson.OPT_SORT_KEYS)


def _link_plan(known: MemoryEntry, loaded: MemoryEntry, there: Collection[str]) -> LinkPlan | None:
    """What is to change of the links that are here, those told as declared counted as here; None when nothing is.

    Links by which this node itself tells what is nearly the same stay.
    """
    wanted = {link.pair: link.weight for link in loaded.links}
    before = {link.pair: link.weight for link in known.links if link.made_by != MADE_BY or link.pair in wanted}
    declared = {pair for pair in _declared_pairs(known.extra) if pair[0] in there}
    if before == {pair: weight for pair, weight in wanted.items() if pair not in declared or pair in before}:
        return None
    makers = {link.pair: link.made_by for link in known.links}
    links = tuple(replace(link, made_by=makers.get(link.pair, "")) for link in loaded.links)
    return LinkPlan(known.id, links, tuple(pair for pair in before if pair not in wanted))


def _declared_pairs(extra: Mapping[str, Any]) -> set[tuple[str, str]]:
    told = _listed(extra.get("link_metadata", {}).get("declared", {}).get("unresolved"))
    links = (link for link in told if isinstance(link, Mapping))
    return {(str(link.get("target_id")), str(link.get("relation"))) for link in links}
