"""Who owns a structural conflict identity: Scope, Subject and Facet together (§4.4).

Texts are never read for it, and dates never decide: a second active owner is refused whatever it says and whenever it
was written.
"""

from __future__ import annotations

from memory_custodian.rules.entry import Draft, Entry
from memory_custodian.rules.memory_index import MemoryIndex
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import REGISTRY

__all__ = ["check_owner", "key_of", "owner_of", "wider_owner"]


def key_of(draft: Draft) -> tuple[str, str, str] | None:
    """Return the identity that an entry about to be written would own; None where it owns nothing."""
    key = (draft.scope.casefold(), draft.subject.upper(), draft.facet.casefold())
    return key if draft.status == "active" and all(key) else None


def owner_of(key: tuple[str, str, str], index: MemoryIndex) -> Entry | None:
    """Return the active entry that owns an identity; what lies in the archive or the inbox owns nothing."""
    return next((entry for entry in index.entries if entry.owner_key == key and _can_own(entry)), None)


def check_owner(draft: Draft, index: MemoryIndex) -> None:
    """Refuse a second active owner, unless the draft supersedes the first; the message names it and the ways out."""
    key = key_of(draft)
    owner = owner_of(key, index) if key else None
    if owner is None or owner.id == draft.supersedes:
        return
    elsewhere = "--name" if draft.type == "area" else "--area"
    raise Refused(
        f"Active structural owner already exists: {owner.id} in {owner.file} owns Scope {draft.scope}, Subject "
        f"{draft.subject}, Facet {draft.facet}. Replace it with --supersedes {owner.id}, give another Scope with "
        f"{elsewhere}, or review whether the Subject is the right one"
    )


def wider_owner(draft: Draft, index: MemoryIndex) -> Entry | None:
    """Return the project-wide owner of the Subject and Facet of a draft that holds in one area."""
    key = key_of(draft)
    return owner_of(("project", *key[1:]), index) if key and key[0] != "project" else None


def _can_own(entry: Entry) -> bool:
    return not entry.file.startswith("archive/") and entry.file not in {REGISTRY, "inbox.md"}
