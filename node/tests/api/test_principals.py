from __future__ import annotations

import pytest

from csbond_tests.requirements import requirement


async def test_a_principal_is_named_and_its_token_is_shown_once(owner, world):
    answer = await owner.post("/v1/principals", json={"name": "ann", "role": "viewer", "spaces": ["home"]})
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    named = answer.json()
    assert (named["name"], named["role"], named["spaces"]) == ("ann", "viewer", ["home"])
    listed = await owner.get("/v1/principals")
    assert listed.json()["principals"] == [
        {"name": "ann", "role": "viewer", "spaces": ["home"], "created_at": world.clock.now()}
    ]
    assert named["token"] not in listed.text


async def test_a_removed_principals_token_ends_at_once(owner, ann):
    assert (await ann.get("/v1/continuity/threads")).status_code == 200
    assert (await owner.delete("/v1/principals/ann")).json() == {"name": "ann", "removed": True}
    assert (await ann.get("/v1/continuity/threads")).status_code == 401


@requirement("MEM-003-idempotent")
async def test_naming_and_removing_again_change_nothing(owner, ann):
    again = await owner.post("/v1/principals", json={"name": "ann", "role": "editor"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_exists")
    await owner.delete("/v1/principals/ann")
    gone = await owner.delete("/v1/principals/ann")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "principal_not_found")


@pytest.mark.parametrize(
    "body, field",
    [({}, "name"), ({"name": "a b", "role": "viewer"}, "name"), ({"name": "a", "role": "owner"}, "role")],
)
async def test_a_principal_that_cannot_be_named_is_refused(owner, body, field):
    answer = await owner.post("/v1/principals", json=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
