"""The page of the reference that is made from the tables of methods: what is spoken here, in every dialect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from csbond.protocol.messages.dialects import METHODS, Operation, Version
from csbond.transport.rest import REST_METHODS
from csbond.transport.routes import CARD_PATHS, JSON_RPC_PATHS

_HEAD = f"""\
# Methods and dialects of A2A

What the node answers, made from `csbond.protocol.messages.dialects` and `csbond.transport.rest`. The card is at
{", ".join(f"`GET {path}`" for path in CARD_PATHS)}. Each operation is the same in every
binding and dialect, and so are its errors; a task begun in one can be gone on with in another. How well this holds is
in [Conformance](conformance.md).

The header `A2A-Version` (or the query parameter of that name, or the metadata of a gRPC call) says which version a call
is made in. Without it a call is of v0.3, so methods of v1.0 want `1.0`, unless `a2a.lenient_version` is set. Methods of
v0.3 and of the drafts take `0.x` and, since clients send it, `1.0`.
"""
_RPC_HEAD = f"""
## JSON-RPC

At {", ".join(f"`POST {path}`" for path in JSON_RPC_PATHS)}.

"""
_HTTP_HEAD = """
## HTTP+JSON

The routes of v1.0 are served below `/{tenant}` as well.

"""
_GRPC = """
## gRPC

With the extra `grpc` and `a2a.grpc_port`, the services `lf.a2a.v1.A2AService` (v1.0) and `a2a.v1.A2AService` (v0.3) are
served on one port, with all calls of their definitions.
"""
_NONE = "–"


def methods_markdown() -> str:
    """`docs/reference/methods.md`."""
    rpc = [(operation.value, *(_methods(operation, version) for version in Version)) for operation in Operation]
    http = [
        (operation.value, _routes(operation, Version.V1_0), _routes(operation, Version.V0_3)) for operation in Operation
    ]
    return "".join(
        (
            _HEAD,
            _RPC_HEAD,
            _table(("Operation", "v1.0", "v0.3", "Drafts"), rpc),
            _HTTP_HEAD,
            _table(("Operation", "v1.0", "v0.3"), http),
            _GRPC,
        )
    )


def _methods(operation: Operation, version: Version) -> str:
    names = [each.name for each in METHODS if (each.operation, each.version) == (operation, version)]
    return _cell(names) if names or version is not Version.DRAFT else "as v0.3"


def _routes(operation: Operation, version: Version) -> str:
    return _cell(
        f"{each.verb} {each.path}" for each in REST_METHODS if (each.operation, each.version) == (operation, version)
    )


def _cell(names: Iterable[str]) -> str:
    return "<br>".join(f"`{name}`" for name in names) or _NONE


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ["---"] * len(head), *rows))
