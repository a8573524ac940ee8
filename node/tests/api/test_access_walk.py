"""Every route of the OpenAPI document, tried by every kind of caller."""

from __future__ import annotations

import re

import pytest

from csbond.api.access import ROUTES
from csbond.protocol.trust.access import Access
from csbond_tests.requirements import requirement

WRONG = {"Authorization": "Bearer wrong"}


async def operations(client):
    document = (await client.get("/openapi.json")).json()
    return [
        (method.upper(), re.sub(r"\{[^}]*\}", "x", path), operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


async def asked(client, method, path, headers=None):
    return await client.request(method, path, headers=headers, json={} if method in ("POST", "PUT", "PATCH") else None)


async def test_the_document_names_every_route_of_the_table_with_its_class(anybody):
    found = {(method, path): operation["x-access"] for method, path, operation in await operations(anybody)}
    expected = {(row.method, re.sub(r"\{[^}]*\}", "x", row.path)): row.access.value for row in ROUTES}
    assert found == expected


async def test_the_document_names_the_role_that_a_principal_needs(anybody):
    found = {
        (method, path): operation["x-role"]
        for method, path, operation in await operations(anybody)
        if "x-role" in operation
    }
    expected = {(row.method, re.sub(r"\{[^}]*\}", "x", row.path)): row.role.value for row in ROUTES if row.role}
    assert found == expected


@requirement("MEM-003-3.1-owner", "CSB-1.2.3-access")
async def test_no_route_answers_a_caller_below_its_class(owner, anybody, ann):
    below = {
        Access.PUBLIC.value: {},
        Access.PRINCIPAL.value: {"anybody": (anybody, 401)},
        Access.OWNER.value: {"anybody": (anybody, 401), "a principal": (ann, 403)},
    }
    for method, path, operation in await operations(owner):
        for who, (client, status) in below[operation["x-access"]].items():
            answer = await asked(client, method, path)
            assert answer.status_code == status, f"{who}: {method} {path}"
            assert "error" in answer.json(), f"{who}: {method} {path}"


async def test_no_route_answers_a_wrong_token(owner, anybody):
    for method, path, _ in await operations(owner):
        answer = await asked(anybody, method, path, headers=WRONG)
        assert answer.status_code == 401, f"{method} {path}"
        assert "invalid_token" in answer.headers["www-authenticate"], f"{method} {path}"


async def test_every_route_lets_its_class_in_and_its_role(owner, anybody, ann, editor):
    lowest = {Access.PUBLIC.value: anybody, Access.PRINCIPAL.value: ann, Access.OWNER.value: owner}
    for method, path, operation in await operations(owner):
        of_role = editor if operation.get("x-role") == "editor" else lowest[operation["x-access"]]
        answer = await asked(of_role, method, path)
        assert answer.status_code not in (401, 403, 500), f"{method} {path}"


async def test_nothing_is_written_by_a_caller_who_is_not_admitted(owner, anybody, ledger):
    before = await ledger.counts()
    for method, path, operation in await operations(owner):
        if operation["x-access"] != Access.PUBLIC.value:
            await asked(anybody, method, path)
    assert await ledger.counts() == before


@pytest.mark.parametrize("row", ROUTES, ids=lambda row: f"{row.method} {row.path}")
def test_every_row_says_what_repeating_does(row):
    assert row.repeating.endswith(".")
    assert row.summary.endswith((".", ")."))
