"""A JSON-RPC answer carries the id of its request wherever that can be told (JSON-RPC 2.0 §5)."""

from __future__ import annotations

from typing import Any

import pytest

from csbond.transport.jsonrpc import stated_id
from csbond_tests.requirements import requirement

BROKEN = [
    {"jsonrpc": "1.0", "method": "message/send", "params": {}},
    {"method": "message/send", "params": {}},
    {"jsonrpc": "2.0", "params": {}},
    {"jsonrpc": "2.0", "method": {"name": "message/send"}},
]


@requirement("A2A-RPC-001", "A2A-RPC-005")
@pytest.mark.parametrize("id_", ["seven", 7, 7.5, None])
async def test_a_request_of_the_wrong_form_is_refused_with_its_own_id(node, id_: Any) -> None:
    async with node.client() as client:
        for body in BROKEN:
            answer = (await client.post("/", json={**body, "id": id_})).json()
            assert (answer["error"]["code"], answer["id"]) == (-32600, id_), body


@requirement("A2A-RPC-001")
@pytest.mark.parametrize("body", [b'{"jsonrpc": "2.0", "id": 7', b'[{"id": 7}]', b'{"jsonrpc": "2.0", "id": {"a": 7}}'])
async def test_where_the_id_cannot_be_told_it_is_null(node, body: bytes) -> None:
    async with node.client(**{"Content-Type": "application/json"}) as client:
        answer = (await client.post("/", content=body)).json()
    assert answer["id"] is None
    assert answer["error"]["code"] in (-32600, -32700)


@pytest.mark.parametrize("raw", [None, [], "x", {}, {"id": True}, {"id": {}}, {"id": []}])
def test_what_is_no_id_is_none(raw: Any) -> None:
    assert stated_id(raw) is None
