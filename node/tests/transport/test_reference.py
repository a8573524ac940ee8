"""The page of methods names everything that is spoken."""

from __future__ import annotations

from a2a.compat.v0_3 import a2a_v0_3_pb2 as old_pb
from a2a.types import a2a_pb2 as pb

from csbond.protocol.messages.dialects import METHODS
from csbond.transport.reference import methods_markdown
from csbond.transport.rest import REST_METHODS
from csbond.transport.routes import CARD_PATHS, JSON_RPC_PATHS


def test_every_method_route_and_service_is_named() -> None:
    page = methods_markdown()
    said = [
        *(method.name for method in METHODS),
        *(f"{method.verb} {method.path}" for method in REST_METHODS),
        *(f"POST {path}" for path in JSON_RPC_PATHS),
        *(f"GET {path}" for path in CARD_PATHS),
        *(each.DESCRIPTOR.services_by_name["A2AService"].full_name for each in (pb, old_pb)),
    ]
    assert [name for name in said if f"`{name}`" not in page] == []


def test_a_method_stands_in_the_row_of_its_operation() -> None:
    table = methods_markdown().partition("## JSON-RPC")[2].partition("## HTTP+JSON")[0]
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines()}
    assert all(f"`{method.name}`" in rows[method.operation.value] for method in METHODS)
