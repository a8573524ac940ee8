"""Why a change was undone for a link in it, and whose link that is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from csbond.protocol.errors import Refused
from csbond.protocol.memory.fresh_links import OrderTooLong
from csbond.protocol.memory.link import Link

_PLACE = re.compile(r"links\[([0-9]+)\]")


class LinkRefused(Refused):
    """`memory_not_found` or `link_cycle`, known only when the links were set: nothing of the change is kept."""

    def __init__(self, fault: Refused, source_id: str, links: Sequence[Link]) -> None:
        super().__init__(fault.code.name, fault.reason, next_step=fault.next_step, field=fault.field)
        self.source_id = source_id
        """The entry whose link it is."""
        self.undecided = isinstance(fault, OrderTooLong)
        """Whether nobody could tell beside the others of the change: by itself it may be found good."""
        self.links = links
        """Those that were to be set, in whose order the field has its place."""

    @property
    def link(self) -> Link | None:
        """The one that is refused; None when it is all of them."""
        found = _PLACE.match(self.field)
        return self.links[int(found[1])] if found else None

    def among(self, sent: Sequence[Link]) -> LinkRefused:
        """The same, with the place of the link among those that a client sent."""
        found = _PLACE.match(self.field)
        if not found:
            return self
        pair = self.links[int(found[1])].pair
        place = next((place for place, link in enumerate(sent) if link.pair == pair), None)
        field = "links" if place is None else f"links[{place}]{self.field[found.end() :]}"
        fault = Refused(self.code.name, self.reason, next_step=self.next_step, field=field)
        return LinkRefused(fault, self.source_id, sent)
