"""A turn and its answers as JSON: what subprocesses and HTTP endpoints are given, and what they give back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from csbond.flows.turn import Answer, Ask, Done, Fail, Found, Reject, Reply, Say, Turn, Working
from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.errors import CsbError, LocalProtocolError
from csbond.protocol.messages.message import message_to_json
from csbond.protocol.messages.part import Part, part_from_json, text_part


async def memories_of(turn: Turn, limit: int) -> tuple[Found, ...]:
    """What the node remembers that may bear on the message, best first, without the message itself."""
    text = turn.message.text.strip()
    if not limit or not text:
        return ()
    found = await turn.recall(text, limit + 1)
    return tuple(each for each in found if each.entry.origin.message_id != turn.message.id)[:limit]


def turn_to_json(turn: Turn, memories: Sequence[Found] = ()) -> dict[str, Any]:
    """The message and what is in mind; no token, key or path is in it."""
    return {
        "text": turn.message.text,
        "message": message_to_json(turn.message),
        "agent": turn.agent_name,
        "caller": {"kind": turn.caller.kind.value, "name": turn.caller.name},
        "task_id": turn.task.id,
        "thread_id": turn.task.thread_id,
        "metadata": dict(turn.metadata),
        "window": [said_to_json(message) for message in turn.window],
        "summary": dict(turn.summary) if turn.summary else None,
        "memories": [memory_to_json(found) for found in memories],
    }


def said_to_json(message: ThreadMessage) -> dict[str, Any]:
    """One earlier message of the thread."""
    return {
        "role": message.message.role,
        "name": message.sender.name,
        "said_at": moment(message.said_at),
        "text": message.message.text,
    }


def memory_to_json(found: Found) -> dict[str, Any]:
    """One memory: what was said, by whom, when."""
    entry = found.entry
    return {
        "content": entry.content,
        "type": entry.type,
        "told_by": entry.origin.speaker,
        "told_at": moment(entry.timestamp),
        "score": round(found.score, 4),
    }


def moment(milliseconds: int) -> str:
    """A time as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def answers_from_text(line: str) -> tuple[Answer, ...]:
    """The answers of one JSON text, an answer or a list of them; `invalid_agent_response` when it is neither."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise broken(f"not JSON: {fault}") from fault
    return tuple(answer_from_json(each) for each in (raw if isinstance(raw, list) else [raw]))


def answer_from_json(raw: object) -> Answer:
    """One answer: an object with exactly one of say, working, done, ask, reject, fail, reply."""
    if not isinstance(raw, Mapping):
        raise broken("an answer is an object")
    verbs = [verb for verb in _ANSWERS if verb in raw]
    if len(verbs) != 1:
        raise broken(f"an answer has exactly one of {', '.join(_ANSWERS)}")
    return _ANSWERS[verbs[0]](raw[verbs[0]], raw)


def broken(why: str) -> LocalProtocolError:
    """The error for an answer outside the contract; the caller is told no more than that."""
    return LocalProtocolError("invalid_agent_response", "The skill answered outside its contract.", next_step=why)


def _say(said: object, raw: Mapping[str, Any]) -> Say:
    metadata = raw.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise broken("metadata is an object")
    return Say(
        _parts(said),
        artifact_id=_text(raw.get("artifact_id", "answer")),
        name=_text(raw.get("name", "")),
        append=_flag(raw, "append"),
        last_chunk=_flag(raw, "last_chunk"),
        metadata=metadata,
    )


def _done(said: object, _raw: Mapping[str, Any]) -> Done:
    return Done(() if said is None or said is True else _parts(said))


_ANSWERS: dict[str, Callable[[object, Mapping[str, Any]], Answer]] = {
    "say": _say,
    "working": lambda said, _raw: Working(_text(said)),
    "done": _done,
    "ask": lambda said, raw: Ask(_parts(said), auth=_flag(raw, "auth")),
    "reject": lambda said, _raw: Reject(_text(said)),
    "fail": lambda said, _raw: Fail(_text(said)),
    "reply": lambda said, _raw: Reply(_parts(said)),
}


def _parts(said: object) -> tuple[Part, ...]:
    if isinstance(said, str):
        return (text_part(said),)
    if not isinstance(said, list) or not said or not all(isinstance(part, Mapping) for part in said):
        raise broken("what is said is a text or a list of parts")
    try:
        return tuple(part_from_json(part) for part in said)
    except (CsbError, ValueError, TypeError) as fault:
        raise broken(f"a part cannot be read: {fault}") from fault


def _text(said: object) -> str:
    if not isinstance(said, str):
        raise broken("a reason, status or name is a text")
    return said


def _flag(raw: Mapping[str, Any], name: str) -> bool:
    value = raw.get(name, False)
    if not isinstance(value, bool):
        raise broken(f"{name} is true or false")
    return value
