"""Every route of the node in one table: who gets in, what it is for, and what repeating it does.

OpenAPI, `docs/reference/routes.md` and the guard at the door are all made from it. A route without a row, and a row
without a route, keep the node from starting (`api/guard.py`).
"""

from __future__ import annotations

from csbond.api.memory_access import MEMORY_ROUTES
from csbond.api.route_row import READS, RouteRow
from csbond.protocol.trust.access import Access
from csbond.transport.routes import JSON_RPC_PATHS

_GET, _POST, _DELETE = "GET", "POST", "DELETE"
CARD, RPC, HTTP, HTTP_V0_3 = "Agent card", "A2A JSON-RPC", "A2A HTTP+JSON", "A2A HTTP+JSON v0.3"
CONTINUITY, PRINCIPALS, NODE = "Continuity", "Principals", "Node"

_SENDS = (
    "With a token, the same messageId and message are answered by the task they began, for as long as "
    "`limits.repeat_window_s` says; another message under that id is new and takes its place. Without a token each "
    "call is a new message."
)
_CANCELS = "A task that has ended answers task_not_cancelable; nothing changes."
_SETS_WEBHOOK = "The same id of the same task is replaced by what is sent; without an id each call makes a new one."
_UPDATES_WEBHOOK = (
    "The same id of the same task is replaced by what is sent; without an id it is the task's one webhook."
)
_DROPS_WEBHOOK = "What is gone stays gone, and the answer is the same."
_RPC_REPEATING = "As the method of the call says: see the HTTP+JSON route of the same name."

_PUBLIC, _PRINCIPAL, _OWNER = Access.PUBLIC, Access.PRINCIPAL, Access.OWNER


def _cards() -> tuple[RouteRow, ...]:
    rows = (
        ("/.well-known/agent-card.json", CARD, "The signed agent card."),
        ("/", CARD, "The signed agent card, for clients that ask the bare address."),
        ("/.well-known/agent.json", CARD, "The signed agent card, at the place older clients ask."),
        ("/.well-known/jwks.json", CARD, "The public keys that sign the card."),
        ("/identity.json", NODE, "Who this agent is: name, DID, capabilities, tiers and storage (A2A-001)."),
        ("/health", NODE, "Whether the node works, and its public key (A2A-001, A2A-002)."),
        ("/openapi.json", NODE, "This description of the routes."),
    )
    return tuple(RouteRow(_GET, path, _PUBLIC, tag, summary, READS) for path, tag, summary in rows)


def _json_rpc() -> tuple[RouteRow, ...]:
    summary = "Any A2A operation as a JSON-RPC call, in the dialects v1.0, v0.3 and the drafts."
    return tuple(RouteRow(_POST, path, _PUBLIC, RPC, summary, _RPC_REPEATING) for path in JSON_RPC_PATHS)


def _operations(prefix: str, tag: str, extended_card: str) -> tuple[RouteRow, ...]:
    configs = "/tasks/{id}/pushNotificationConfigs"
    rows = (
        (_POST, "/message:send", "Send a message and wait for the answer.", _SENDS),
        (_POST, "/message:stream", "Send a message and follow the answer as server-sent events.", _SENDS),
        (_GET, "/tasks", "List the caller's tasks, newest status first.", READS),
        (_GET, "/tasks/{id}", "Show a task of the caller.", READS),
        (_POST, "/tasks/{id}:cancel", "Cancel a task of the caller.", _CANCELS),
        (_POST, "/tasks/{id}:subscribe", "Follow a running task of the caller.", READS),
        (_GET, "/tasks/{id}:subscribe", "Follow a running task of the caller.", READS),
        (_POST, configs, "Set a webhook of a task.", _UPDATES_WEBHOOK if prefix else _SETS_WEBHOOK),
        (_GET, configs, "List the webhooks of a task.", READS),
        (_GET, configs + "/{config}", "Show a webhook of a task.", READS),
        (_DELETE, configs + "/{config}", "Remove a webhook of a task.", _DROPS_WEBHOOK),
    )
    operations = tuple(
        RouteRow(method, prefix + path, _PUBLIC, tag, summary, again)
        for method, path, summary, again in rows
        if not (prefix and path == "/tasks")  # v0.3 has no list
    )
    card = RouteRow(_GET, prefix + extended_card, _OWNER, tag, "The agent card with what only the owner sees.", READS)
    return (*operations, card)


def _continuity() -> tuple[RouteRow, ...]:
    rows = (
        ("/v1/continuity/threads", "List threads, the latest first."),
        ("/v1/continuity/thread/{thread_id}", "Show a thread with its sessions and messages (CSB v1.0 §1.2.3)."),
        ("/v1/continuity/agent/{agent_name}", "Show what agents of a name said, apart by DID (CSB v1.0 §1.2.3)."),
        ("/v1/continuity/search", "Find messages that hold every term of q (CSB v1.0 §1.2.3)."),
    )
    return tuple(RouteRow(_GET, path, _PRINCIPAL, CONTINUITY, summary, READS) for path, summary in rows)


def _owners() -> tuple[RouteRow, ...]:
    adds = "The same name again is refused with already_exists; the token of the first time is not shown again."
    removes = "A name that is gone is answered with principal_not_found; nothing changes."
    talks = "Each call says it again, as a new message."
    rows = (
        (_POST, "/v1/principals", PRINCIPALS, "Name a principal; the answer holds its token, this once.", adds),
        (_GET, "/v1/principals", PRINCIPALS, "List the named principals.", READS),
        (_DELETE, "/v1/principals/{name}", PRINCIPALS, "Remove a principal; its token ends with it.", removes),
        (_POST, "/v1/talk", NODE, "Have this agent say something to another agent.", talks),
        (_GET, "/v1/status", NODE, "How the node is: counts, lag of the index, versions.", READS),
    )
    return tuple(RouteRow(method, path, _OWNER, tag, summary, again) for method, path, tag, summary, again in rows)


ROUTES: tuple[RouteRow, ...] = (
    *_cards(),
    *_json_rpc(),
    *_operations("", HTTP, "/extendedAgentCard"),
    *_operations("/v1", HTTP_V0_3, "/card"),
    *MEMORY_ROUTES,
    *_continuity(),
    *_owners(),
)
"""All of them; a route below `/{tenant}` has the row of the route without it."""
