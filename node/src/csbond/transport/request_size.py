"""How much a protobuf request holds, told before anything goes through it value by value."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message as ProtoMessage

from csbond.protocol.errors import RemoteProtocolError
from csbond.transport.limits import TransportLimits

_FREE = "google.protobuf."
"""Where the types of free JSON are; every other list is one of a message."""


def check_size(request: ProtoMessage, limits: TransportLimits) -> None:
    """Nothing, unless a request holds more values or parts than the node looks at: `body_too_large`.

    Entries of lists and objects are counted, as they are in JSON; no more of them are looked at than the limit.
    """
    found, inside = 0, [request]
    while inside:
        for field, value in inside.pop().ListFields():
            if not field.is_repeated:
                inside += [value] if field.type == FieldDescriptor.TYPE_MESSAGE else []
                continue
            found += len(value)
            if found > limits.json_values:
                raise _too_large(f"the request holds more than {limits.json_values} values", "json_values")
            if len(value) > limits.message_parts and not field.full_name.startswith(_FREE):
                raise _too_large(f"{field.name} has more than {limits.message_parts} entries", "message_parts")
            inside += _messages(field, value)


def _messages(field: FieldDescriptor, entries: Any) -> list[ProtoMessage]:
    kind = field.message_type
    if kind is None:
        return []
    if not kind.GetOptions().map_entry:
        return list(entries)
    return [entry for entry in entries.values() if isinstance(entry, ProtoMessage)]


def _too_large(reason: str, setting: str) -> RemoteProtocolError:
    next_step = f"send data as a file part, or ask the owner to raise limits.{setting}"
    return RemoteProtocolError("body_too_large", reason, next_step=next_step)
