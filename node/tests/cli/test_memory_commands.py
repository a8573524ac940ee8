"""Every route of `/v1/memory` has its command."""

from __future__ import annotations

import io
import sys

import pytest

from csbond.api.access import ROUTES
from csbond.api.memory_access import MEMORY
from csbond_tests.memory_answers import AT, ENTRY, ID, NETWORK, STATS
from csbond_tests.requirements import requirement
from csbond_tests.snapshots import LOADED, VERIFIED

PAGE = {"memories": [], "total": 0, "next_cursor": ""}
TENDED = {"as_of": 1, "dry_run": False, "steps": {}, "moves": [], "reviews": [], "left_off": 0}
RULES = {
    "selective_forgetting": {
        "enabled": True,
        "rules": [],
        "default_action": "protect",
        "protected_tags": [],
        "human_only": False,
    }
}
PLAN = {"plan": "all:1", "planned": [], "total": 0, "next_cursor": ""}
ANSWERED = {"memory_id": ID, "verdict": "declined", "proposed": {"to": "cold", "trigger": "ttl"}}
ARCHIVED = {
    "id": ID,
    "type": "event",
    "timestamp": 1,
    "original_level": "hot",
    "deleted_at": 2,
    "cleared_at": 3,
    "ethical_log": [{"reason": "old", "operator": "owner", "timestamp": 3, "trigger": "manual"}],
}
EXPORTED = {"export": {"memories": 0, "left_out": [], "lost": {}}}
IMPORTED = {"import": {"records": 0, "outcomes": {}, "links": {"set": 0, "refused": 0}}}
FITTED = {"pairs": 60, "error": 0.2, "to_model": "own", "made_at": 1}
COMMANDS = {
    "POST /v1/memory": (["add", "tea"], ENTRY),
    "POST /v1/memory/batch": (["add", "--file", "-"], {"results": [{"status": 201, "id": ID}]}),
    "POST /v1/memory/search": (["search", "tea"], {"results": []}),
    "GET /v1/memory": (["list"], PAGE),
    "GET /v1/memory/{id}": (["show", ID], ENTRY),
    "GET /v1/memory/{id}/versions": (["show", ID, "--versions"], {"versions": [], "next_cursor": ""}),
    "PUT /v1/memory/{id}": (["edit", ID, "--text", "new"], ENTRY),
    "DELETE /v1/memory/{id}": (["delete", ID], {"id": ID, "deleted": True}),
    "PATCH /v1/memory/{id}/restore": (["restore", ID], {"restored": [ID], "spared_until": AT, "memory": ENTRY}),
    "PATCH /v1/memory/{id}/link": (["link", ID, "agent:bo"], ENTRY),
    "PATCH /v1/memory/{id}/promote": (["promote", ID], ENTRY),
    "PATCH /v1/memory/{id}/demote": (["demote", ID], ENTRY),
    "DELETE /v1/memory/{id}/hard": (["delete", ID, "--hard", "--yes"], {"id": ID, "erased": True, "copies": []}),
    "POST /v1/memory/tend": (["tend"], TENDED),
    "POST /v1/memory/forget": (["forget", "--tag", "tea"], {**PAGE, "dry_run": True, "count": 0}),
    "GET /v1/memory/forgetting": (["rules", "show"], RULES),
    "PUT /v1/memory/forgetting": (["rules", "set", "-"], RULES),
    "POST /v1/memory/forgetting/preview": (["rules", "check"], PLAN),
    "POST /v1/memory/forgetting/apply": (["rules", "apply", "all:1"], TENDED),
    "GET /v1/memory/reviews": (["review"], {"reviews": [], "total": 0, "next_cursor": ""}),
    "POST /v1/memory/reviews/{id}": (["review", "decline", ID], ANSWERED),
    "GET /v1/memory/archive": (["archive", "list"], {"archive": [], "total": 0, "next_cursor": ""}),
    "GET /v1/memory/archive/{id}": (["archive", "show", ID], ARCHIVED),
    "GET /v1/memory/stats": (["stats"], STATS),
    "GET /v1/memory/network": (["graph", "-o", "/dev/null", "--format", "svg"], NETWORK),
    "GET /v1/memory/network/{id}": (["graph", "--center", ID, "-o", "/dev/null", "--format", "html"], NETWORK),
    "POST /v1/memory/snapshot": (["snapshot", "create"], {"id": "snap_1_a", "totalCount": 0}),
    "GET /v1/memory/snapshots": (["snapshot", "list"], {"snapshots": [], "total": 0, "next_cursor": ""}),
    "GET /v1/memory/snapshot/{id}": (["snapshot", "get", ID, "-o", "/dev/null"], {}),
    "DELETE /v1/memory/snapshot/{id}": (["snapshot", "delete", ID], {"id": ID, "deleted": True}),
    "POST /v1/memory/snapshot/verify": (["snapshot", "verify", "-"], VERIFIED),
    "POST /v1/memory/snapshot/load": (["snapshot", "load", "-"], LOADED),
    "GET /v1/memory/snapshot-log": (["snapshot", "log"], {"loads": [], "total": 0, "next_cursor": ""}),
    "POST /v1/memory/export": (["export", "-o", "/dev/null"], EXPORTED),
    "POST /v1/memory/import": (["import", "-", "--format", "mcp"], IMPORTED),
    "GET /v1/memory/vector-maps": (["map", "list"], {"models": [], "maps": []}),
    "POST /v1/memory/vector-maps": (["map", "fit", "f1"], FITTED),
}
"""The command of every route of memory, and what the route answers."""
BY_ANOTHER = {"POST /v1/memory/link": "PATCH /v1/memory/{id}/link"}
"""Routes that do what another one does."""
FOLLOWED = {"POST /v1/memory/reindex"}
"""Routes whose command asks how far the node is, until it is done: see `test_memory_reindex.py`."""


@requirement("MEM-003-3.1-commands")
def test_every_route_of_memory_has_its_command() -> None:
    routes = {f"{row.method} {row.path}" for row in ROUTES if row.tag == MEMORY}
    assert routes == {*COMMANDS, *BY_ANOTHER, *FOLLOWED}
    assert set(BY_ANOTHER.values()) <= set(COMMANDS)


@requirement("MEM-003-3.1-commands")
@pytest.mark.parametrize("route", COMMANDS)
def test_a_command_asks_the_route_that_does_it(csb, home, node, monkeypatch, route: str) -> None:
    command, answer = COMMANDS[route]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"content": "tea"}')))
    node.answer(route.replace("{id}", ID), answer)
    assert csb("memory", *command, "--home", home.path).status == 0
    assert f"{node.last.method} {node.last.path.partition('?')[0]}" == route.replace("{id}", ID)
