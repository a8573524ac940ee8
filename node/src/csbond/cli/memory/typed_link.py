"""A link as it is typed: `ID[:RELATION[:WEIGHT]]`."""

from __future__ import annotations

from typing import Any

from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.entry_fields import is_entry_id


def typed_link(text: str) -> dict[str, Any]:
    """The link to a memory; `invalid_params` when the id or the weight is none.

    What is no memory is linked by `csb memory link`.
    """
    target_id, _, rest = text.partition(":")
    relation, _, weight = rest.partition(":")
    if not is_entry_id(target_id):
        raise _refused(text)
    return {"target_id": target_id, "relation": relation or "relates_to", "weight": _weight(text, weight or "1")}


def _weight(text: str, typed: str) -> float:
    try:
        weight = float(typed)
    except ValueError:
        raise _refused(text) from None
    if not 0 <= weight <= 1:
        raise _refused(text)
    return weight


def _refused(text: str) -> LocalProtocolError:
    return LocalProtocolError(
        "invalid_params",
        f"{text!r} is no link: write ID[:RELATION[:WEIGHT]] with the ID of a memory and a weight from 0 to 1",
        next_step="what is no memory is linked by: csb memory link ID TARGET",
        field="link",
    )
