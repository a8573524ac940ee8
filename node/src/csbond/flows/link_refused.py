"""Why a change was undone for a link in it, and whose link that is."""

from __future__ import annotations

from csbond.protocol.errors import Refused


class LinkRefused(Refused):
    """`memory_not_found` or `link_cycle`, known only when the links were set: nothing of the change is kept."""

    def __init__(self, fault: Refused, source_id: str) -> None:
        super().__init__(fault.code.name, fault.reason, next_step=fault.next_step, field=fault.field)
        self.source_id = source_id
        """The entry whose link it is."""
