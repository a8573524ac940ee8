"""Whether a request of A2A has every field its protobuf type requires (A2A v1.0.1 §5.7)."""

from __future__ import annotations

from functools import cache

from google.api.field_behavior_pb2 import REQUIRED, field_behavior  # type: ignore[import-untyped]
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message as ProtoMessage


def is_complete(message: ProtoMessage) -> bool:
    """Whether every required field of a message, and of all messages in it, is there and not empty.

    Says what `a2a.utils.proto_utils.validate_proto_required_fields` says, which reads the options of every field
    anew each time; what is missing is for that one to name.
    """
    required, nested = _fields(message.DESCRIPTOR)
    present = {field.name: value for field, value in message.ListFields()}
    if not required <= present.keys():
        return False
    for name, repeated in nested.items():
        inner = present.get(name)
        if inner is not None and not (all(map(is_complete, inner)) if repeated else is_complete(inner)):
            return False
    return True


@cache
def _fields(kind: Descriptor) -> tuple[frozenset[str], dict[str, bool]]:
    """The names of a type's required fields, and which fields to look into: whether each is repeated."""
    required = frozenset(
        field.name for field in kind.fields if REQUIRED in field.GetOptions().Extensions[field_behavior]
    )
    nested = {
        field.name: field.is_repeated
        for field in kind.fields
        if field.type == FieldDescriptor.TYPE_MESSAGE and _requires(field.message_type, frozenset())
    }
    return required, nested


def _requires(kind: Descriptor | None, above: frozenset[str]) -> bool:
    """Whether a type has a required field anywhere below; Google's own types have none."""
    if kind is None or kind.full_name in above or kind.full_name.startswith("google."):
        return False
    return any(
        REQUIRED in field.GetOptions().Extensions[field_behavior]
        or (field.type == FieldDescriptor.TYPE_MESSAGE and _requires(field.message_type, above | {kind.full_name}))
        for field in kind.fields
    )
