"""Pages of the reference that are made from the tables: routes and errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from csbond.api.access import ROUTES
from csbond.api.problems import REST_STATUS
from csbond.api.route_row import RouteRow
from csbond.protocol.errors import EXIT_STATUS, REGISTRY, ErrorCode

_ROUTES_HEAD = """\
# Routes

Every route of the node, made from the table in `csbond.api.access`. The access classes: *public* is anybody; *named
principal* is whoever has a token made by `csb principal add`, and the owner; *owner* is whoever has the token in the
home's `owner.token`. Where a role is named, a principal needs it, or more, in the Space `home`. Tokens go in the
header `Authorization: Bearer …`; a wrong token is refused on every route, public ones too. Every A2A v1.0 route is
served below `/{tenant}` as well, with the same class. The running node describes its routes, with the shapes of
bodies, at `/openapi.json`.
"""
_ERRORS_HEAD = """\
# Errors

Every error code of the node, made from the registry in `csbond.protocol.errors`. Routes under `/v1` answer
`{"error": {"code", "reason", "field"?, "next_step"?}}` with the HTTP status; A2A operations answer with the number of
the JSON-RPC column and carry the code as `csb_code` in the error's data; commands print the reason and end with the
exit status. Where two HTTP statuses stand, the first is that of A2A and the second that of `/v1`.
"""


def routes_markdown() -> str:
    """`docs/reference/routes.md`."""
    parts = [_ROUTES_HEAD]
    for tag in dict.fromkeys(row.tag for row in ROUTES):
        rows = [row for row in ROUTES if row.tag == tag]
        parts.append(f"## {tag}\n\n" + (_table_of_roles(rows) if any(row.role for row in rows) else _table_of(rows)))
    return "\n".join(parts)


def errors_markdown() -> str:
    """`docs/reference/errors.md`."""
    rows = [
        (f"`{code.name}`", _http(code), str(code.rpc), str(EXIT_STATUS[code.exit]), code.meaning)
        for code in REGISTRY.values()
    ]
    return _ERRORS_HEAD + "\n" + _table(("Code", "HTTP", "JSON-RPC", "Exit", "Meaning"), rows)


def _table_of(rows: Iterable[RouteRow]) -> str:
    told = [(f"`{row.method} {row.path}`", row.access.value, row.summary, row.repeating) for row in rows]
    return _table(("Route", "Access", "What it does", "Repeating"), told)


def _table_of_roles(rows: Iterable[RouteRow]) -> str:
    told = [
        (f"`{row.method} {row.path}`", row.access.value, row.role.value if row.role else "", row.summary, row.repeating)
        for row in rows
    ]
    return _table(("Route", "Access", "Role", "What it does", "Repeating"), told)


def _http(code: ErrorCode) -> str:
    rest = REST_STATUS.get(code.name)
    return str(code.http) if rest is None else f"{code.http} / {rest}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
