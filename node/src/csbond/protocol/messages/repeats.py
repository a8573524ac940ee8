"""When is a message the same message again? (A2A v1.0.1 §3.3.1)"""

from __future__ import annotations

import hashlib

import orjson

from csbond.protocol.messages.caller import Caller, CallerKind
from csbond.protocol.messages.message import Message, message_to_json


def trusts_message_id(message_id: str, caller: Caller) -> bool:
    """Whether a message id can name one message of one caller: of anybody it cannot, many share that name."""
    return caller.kind is not CallerKind.ANONYMOUS and bool(message_id)


def request_digest(message: Message) -> str:
    """What must be equal for a repeat: everything that was sent."""
    return hashlib.sha256(orjson.dumps(message_to_json(message), option=orjson.OPT_SORT_KEYS)).hexdigest()
