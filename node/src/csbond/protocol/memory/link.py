"""Links between memories: what a relation may be called, and which links an entry may have (MEM-001 §1.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from csbond.protocol.errors import RemoteProtocolError

RELATIONS = (
    "causes",
    "caused_by",
    "relates_to",
    "extends",
    "contradicts",
    "resolved_by",
    "supersedes",
    "derived_from",
    "cited_by",
)
"""Those this node knows: the six of MEM-001 §1.5 and three of the later drafts; other names are kept as they are."""
ORDERED = frozenset({"causes", "extends", "resolved_by", "supersedes", "derived_from"})
"""Relations that put memories in an order and therefore form no cycle; of the others a network is full of circles."""
INVERSE = {"caused_by": "causes", "cited_by": "derived_from"}
"""Relations that are another one seen from its other end."""
LINKS_MAX = 64
"""Links of one entry: more than a person reads, few enough to show with every entry."""
RELATION_MAX = 64
"""Letters of a relation's name."""
FOREIGN_TARGET_MAX = 256
"""Code points of a target that is no memory."""

_RELATION = re.compile(rf"[a-z][a-z0-9_]{{0,{RELATION_MAX - 1}}}")
_FOREIGN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """From the entry that has it to a memory, or to something that is none, such as `agent:<name>`."""

    target_id: str
    relation: str
    weight: float = 1.0
    """How strong it is, 0…1."""
    made_by: str = ""
    """"" for what a client asked for, else the rule of this node that made it."""

    @property
    def pair(self) -> tuple[str, str]:
        """What tells the links of one entry apart."""
        return self.target_id, self.relation


def checked_relation(name: object, field: str = "relation") -> str:
    """The name of a relation; `invalid_params` when it is no short name of small letters, digits and `_`."""
    if not isinstance(name, str) or not _RELATION.fullmatch(name):
        raise _refused(
            field,
            f"must be one of {', '.join(RELATIONS)}, or another name of 1 to {RELATION_MAX} "
            "small letters, digits and _ that begins with a letter",
        )
    return name


def is_foreign(target: str) -> bool:
    """Whether a target is no memory but something else's name, `<scheme>:<rest>` (CSB v1.0 §1.2.4)."""
    return not target.startswith("mem_") and _FOREIGN.fullmatch(target) is not None


def forward(source: str, link: Link) -> tuple[str, str, str]:
    """(from, relation, to) of a link of `source`, with the relations that look back turned round."""
    if link.relation in INVERSE:
        return link.target_id, INVERSE[link.relation], source
    return source, link.relation, link.target_id


def checked_links(source_id: str, links: Sequence[Link]) -> tuple[Link, ...]:
    """The links of an entry in the order they came, each target and relation once: the later weight counts.

    `invalid_params` names a link of the entry to itself, and `links` when there are too many.
    """
    for place, link in enumerate(links):
        if link.target_id == source_id:
            raise _refused(f"links[{place}].target_id", "is the entry itself; a link leads to another one")
    kept = {(link.target_id, link.relation): link for link in links}
    if len(kept) > LINKS_MAX:
        raise _refused("links", f"are {len(kept)}; an entry has at most {LINKS_MAX}")
    return tuple(kept.values())


def in_order(links: Iterable[Link]) -> tuple[Link, ...]:
    """Links as they are kept and shown: by target and relation."""
    return tuple(sorted(links, key=lambda link: (link.target_id, link.relation)))


def _refused(field: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError("invalid_params", f"{field} {reason}", field=field)
