"""`/v1/talk`: the owner lets this node speak to another agent."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, json_body, served
from csbond.flows.send_message import send_message
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.message import message_to_json


async def talk(request: Request) -> Response:
    """Say a text to the agent at a url, in a thread; the answer and the thread it is kept in."""
    body = await json_body(request)
    if not isinstance(body, dict):
        raise RemoteProtocolError("invalid_params", "the body must be an object with url and text")
    url, text, thread = (_text(body, name) for name in ("url", "text", "thread"))
    talked = await send_message(served(request).world, url, text, thread, caller_of(request))
    return Json(
        {
            "thread_id": talked.thread_id,
            "name": talked.peer_name,
            "said": message_to_json(talked.said),
            "answer": message_to_json(talked.answer),
            "text": talked.answer.text,
        }
    )


def _text(body: dict[str, object], name: str) -> str:
    value = body.get(name, "" if name == "thread" else None)
    if not isinstance(value, str):
        raise RemoteProtocolError("invalid_params", f"{name} must be a text", field=name)
    return value


OPERATIONS = (Operation("POST", "/v1/talk", talk, body="TalkWrite", answer="Talk"),)
