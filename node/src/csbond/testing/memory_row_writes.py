"""What each write of memory does to the rows of the in-memory ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from csbond.flows.memory_changes import ClaimKey, PutEntry, SetLinks
from csbond.protocol.errors import Refused
from csbond.protocol.memory.fresh_links import check_link_count, check_orders
from csbond.protocol.memory.link import Link, forward, is_foreign
from csbond.protocol.memory.link_order import reach_along, walk_of
from csbond.testing.memory_rows import Rows, kept_json, words_of


def put_entry(rows: Rows, write: PutEntry, seq: int) -> None:
    """Insert an entry, or update it and keep what it was."""
    entry = replace(write.entry, extra=kept_json(write.entry.extra), seq=seq, text_seq=seq, links=(), linked=False)
    known = rows.entries.get(entry.id)
    if entry.version == 1:
        if known or entry.id in rows.archive:
            raise Refused("already_exists", f"there is a memory {entry.id} already", field="id")
    elif known is None or known.version != entry.version - 1 or write.entry.seq not in (0, seq, known.seq):
        raise Refused(
            "version_conflict",
            f"the memory {entry.id} is not at version {entry.version - 1}, or lost what it said of another one",
        )
    else:
        shown = rows.shown(known)
        kept = replace(shown, text_seq=0, linked=bool(shown.links), used_at=0, recent="", found_at=0)
        kept = replace(kept, moved_at=0, spared_until=0)
        rows.put(rows.versions, (entry.id, known.version), kept)
        entry = replace(
            entry,
            space=known.space,
            linked=known.linked,
            last_accessed=known.last_accessed,
            access_count=known.access_count,
            kept_at=known.kept_at,
            used_at=known.used_at,
            recent=known.recent,
            spared_until=known.spared_until,
            found_at=known.found_at if known.level is entry.level else 0,
            text_seq=seq if entry.content != known.content else known.text_seq,
        )
    rows.put(rows.entries, entry.id, entry)
    if entry.deleted_at:
        rows.drop(rows.entry_words, entry.id)
    else:
        rows.put(rows.entry_words, entry.id, words_of(entry))


def set_links(rows: Rows, write: SetLinks, _: int) -> None:
    """Let an entry have links, and drop others; those that are not named stay."""
    source_id = write.source_id
    _need_living(rows, source_id, "source_id")
    wanted = {(link.target_id, link.relation): link for link in write.links}
    known = {key[1:] for key in rows.links if key[0] == source_id}
    gone = (known & set(write.drop)) - wanted.keys()
    for pair in gone:
        rows.drop(rows.links, (source_id, *pair))
    fresh: dict[int, tuple[Link, str]] = {}
    for place, (pair, link) in enumerate(wanted.items()):
        if pair not in known and not is_foreign(link.target_id):
            _need_living(rows, link.target_id, f"links[{place}].target_id")
            fresh[place] = link, link.target_id
        rows.put(rows.links, (source_id, *pair), replace(link, weight=float(link.weight)))
    source = rows.entries[source_id]
    if wanted and not source.linked:
        rows.put(rows.entries, source_id, replace(source, linked=True))
    if not wanted.keys() <= known:
        check_link_count(len(known | wanted.keys()) - len(gone))
    check_orders(source_id, fresh, lambda relation: reach_along(_edges(rows, relation)), walk_of(rows.linked))


def claim_key(rows: Rows, write: ClaimKey, _: int) -> None:
    """Keep which entry a write made, unless its name is taken."""
    if (write.caller_key, write.name) in rows.requests:
        raise Refused("already_exists", "the name of this write is taken", next_step="ask for what it made")
    rows.put(rows.requests, (write.caller_key, write.name), (write.digest, write.entry_id, write.seen_at))


def _need_living(rows: Rows, entry_id: str, field: str) -> None:
    entry = rows.entries.get(entry_id)
    if entry is None or entry.deleted_at:
        raise Refused("memory_not_found", f"there is no memory {entry_id} for the link", field=field)


def _edges(rows: Rows, relation: str) -> Iterator[tuple[str, str]]:
    for (source_id, *_), link in rows.links.items():
        start, of_relation, end = forward(source_id, link)
        if of_relation == relation and not is_foreign(link.target_id):
            yield start, end
