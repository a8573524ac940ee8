"""The operations of A2A, apart from any binding: v1.0 JSON in, a story told, v1.0 JSON out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from csbond.flows.answer_message import answer_message
from csbond.flows.cancel_task import cancel_task
from csbond.flows.follow_task import follow_task, stream_message
from csbond.flows.list_tasks import list_tasks
from csbond.flows.set_webhook import drop_webhook, one_webhook, set_webhook, webhooks_of
from csbond.flows.show_task import show_task
from csbond.flows.world import World
from csbond.protocol.errors import Refused, RemoteProtocolError
from csbond.protocol.messages.caller import CallerKind
from csbond.protocol.messages.dialects import Operation, Version, is_final
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.json_v1_0 import (
    event_to_json,
    incoming_from_json,
    push_from_json,
    push_to_json,
    task_to_json,
)
from csbond.protocol.messages.message import Message, message_to_json
from csbond.protocol.messages.modes import check_modes
from csbond.protocol.messages.task import TaskView
from csbond.protocol.messages.task_query import task_query
from csbond.transport.call import Call, check_extensions
from csbond.transport.cards import Cards
from csbond.transport.limits import TransportLimits
from csbond.transport.reach import Reach
from csbond.transport.wire import checked_params

Json = dict[str, Any]


class Operations:
    """Runs an operation for a call; every binding and dialect comes through here."""

    def __init__(self, world: World, limits: TransportLimits, cards: Cards, reach: Reach) -> None:
        self.world = world
        self.limits = limits
        self.cards = cards
        self.reach = reach
        self._unary: dict[Operation, Callable[[Json, Call], Awaitable[Json]]] = {
            Operation.SEND: self._send,
            Operation.GET: self._get,
            Operation.LIST: self._list,
            Operation.CANCEL: self._cancel,
            Operation.PUSH_CREATE: self._push_create,
            Operation.PUSH_GET: self._push_get,
            Operation.PUSH_LIST: self._push_list,
            Operation.PUSH_DELETE: self._push_delete,
            Operation.EXTENDED_CARD: self._card,
        }

    async def run(self, operation: Operation, params: Mapping[str, Any], call: Call) -> Json:
        """The result of an operation that answers once."""
        if operation is Operation.PUSH_GET and call.dialect is not Version.V1_0 and "id" not in params:
            return await self._push_get(dict(params), call)  # the first webhook of the task, as v0.3 allows
        return await self._unary[operation](checked_params(operation, params), call)

    async def stream(self, operation: Operation, params: Mapping[str, Any], call: Call) -> AsyncIterator[Json]:
        """The StreamResponses of an operation that answers with a stream."""
        known = checked_params(operation, params)
        if operation is Operation.SUBSCRIBE:
            events = follow_task(self.world, known["id"], call.caller)
        else:
            check_extensions(self.limits.required_extensions, call)
            events = stream_message(self.world, self._incoming(known, call), call.caller)
        try:
            async for event in events:
                said = event_to_json(event)
                yield said
                if call.dialect is not Version.V1_0 and is_final(said):
                    return
        finally:
            await events.aclose()  # type: ignore[attr-defined]

    def _incoming(self, params: Json, call: Call) -> IncomingMessage:
        if params.get("configuration", {}).get("taskPushNotificationConfig"):
            self._need_push()
        incoming = incoming_from_json(params, call.dialect.value)
        if call.dialect is Version.V0_3 and incoming.message.task_id:
            # v0.3 has no rule for a contextId that contradicts the taskId (v1.0.1 §3.4.3 has): the task decides.
            incoming = replace(incoming, message=replace(incoming.message, context_id=""))
        if self.limits.validate_modes:
            check_modes(incoming, self.world.skill.card.input_modes, self.world.skill.card.output_modes)
        return incoming

    async def _send(self, params: Json, call: Call) -> Json:
        check_extensions(self.limits.required_extensions, call)
        answer = await answer_message(self.world, self._incoming(params, call), call.caller)
        return {"message": message_to_json(answer)} if isinstance(answer, Message) else {"task": task_to_json(answer)}

    async def _get(self, params: Json, call: Call) -> Json:
        length = _history_length(params)
        return task_to_json(await show_task(self.world, params["id"], call.caller, length))

    async def _list(self, params: Json, call: Call) -> Json:
        query = task_query(params, call.caller.key)
        anonymous = call.caller.kind is CallerKind.ANONYMOUS
        if anonymous and self.limits.anonymous_lists == "context" and not query.context_id:
            return {"tasks": [], "nextPageToken": "", "pageSize": query.limit, "totalSize": 0}
        page = await list_tasks(self.world, query)
        return {
            "tasks": [_listed(view, query.with_artifacts) for view in page.rows],
            "nextPageToken": page.next_cursor,
            "pageSize": query.limit,
            "totalSize": page.total,
        }

    async def _cancel(self, params: Json, call: Call) -> Json:
        return task_to_json(await cancel_task(self.world, params["id"], call.caller))

    async def _push_create(self, params: Json, call: Call) -> Json:
        self._need_push()
        config = await set_webhook(self.world, push_from_json(params, call.dialect.value), call.caller)
        return push_to_json(config)

    async def _push_get(self, params: Json, call: Call) -> Json:
        self._need_push()
        return push_to_json(await one_webhook(self.world, params["taskId"], params.get("id", ""), call.caller))

    async def _push_list(self, params: Json, call: Call) -> Json:
        self._need_push()
        configs = await webhooks_of(self.world, params["taskId"], call.caller)
        return {"configs": [push_to_json(config) for config in configs]}

    async def _push_delete(self, params: Json, call: Call) -> Json:
        self._need_push()
        await drop_webhook(self.world, params["taskId"], params["id"], call.caller)
        return {}

    async def _card(self, _params: Json, call: Call) -> Json:
        if not self.limits.extended_card:
            raise Refused("unsupported_operation", "this node has no extended card")
        if call.caller.kind is not CallerKind.OWNER:
            raise Refused(
                "extended_card_not_configured",
                "the extended card is shown to the owner of this node alone, after authentication",
                next_step="send the owner's token as Authorization: Bearer",
            )
        return self.cards.extended(call.base_url or self.reach.address)

    def _need_push(self) -> None:
        if not self.limits.push:
            raise Refused("push_not_supported", "push notifications are not supported by this node")


def _listed(view: TaskView, with_artifacts: bool) -> Json:
    raw = task_to_json(view)
    if with_artifacts:
        raw.setdefault("artifacts", [])
    return raw


def _history_length(params: Json) -> int | None:
    length = params.get("historyLength")
    if length is not None and length < 0:
        raise RemoteProtocolError("invalid_params", "historyLength must not be negative", field="historyLength")
    return length
