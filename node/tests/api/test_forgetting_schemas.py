"""What the document says of tiers, forgetting, reviews and the archive is what the routes take and answer."""

from __future__ import annotations

import jsonschema
import pytest

from csbond_tests.memories import tell
from csbond_tests.small_world import NOW

ALL = {"name": "all", "match": {"type": "other"}, "action": "soft_delete"}


@pytest.fixture
async def document(anybody):
    return (await anybody.get("/openapi.json")).json()


def schema_of(document, name):
    """The validator of one of the document's schemas."""
    return jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", **document})


async def said(client, method, path, body=None):
    answer = await client.request(method, path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_what_the_routes_answer_is_what_the_document_says(document, owner, world):
    for number in range(5):
        body = {"content": f"tea {number}", "id": f"mem_1_{number}"}
        assert (await owner.post("/v1/memory", json=body)).status_code == 201
    told = await tell(world, "The key is gone. " * 200, task="task-1")
    rules = {"rules": [ALL], "human_only": True}
    forget = {"filter": {"text": "2"}}
    answers = [
        ("Memory", await said(owner, "PATCH", "/v1/memory/mem_1_0/promote")),
        ("Memory", await said(owner, "GET", "/v1/memory/mem_1_0?outlook=true")),
        ("MemoryErased", await said(owner, "DELETE", f"/v1/memory/{told[0].id}/hard")),
        ("MemoryForgotten", await said(owner, "POST", "/v1/memory/forget", forget)),
        (
            "MemoryForgotten",
            await said(owner, "POST", "/v1/memory/forget", {**forget, "dry_run": False, "expected": 1}),
        ),
        ("ForgettingDocument", await said(owner, "GET", "/v1/memory/forgetting")),
        ("ForgettingDocument", await said(owner, "PUT", "/v1/memory/forgetting", rules)),
        ("MemoryTended", await said(owner, "POST", "/v1/memory/tend")),
        ("MemoryReviews", reviews := await said(owner, "GET", "/v1/memory/reviews")),
    ]
    verdict = ("POST", f"/v1/memory/reviews/{reviews['reviews'][0]['id']}", {"verdict": "declined"})
    answers += [
        ("MemoryReview", await said(owner, *verdict)),
        ("ForgettingPlan", plan := await said(owner, "POST", "/v1/memory/forgetting/preview")),
        ("MemoryTended", await said(owner, "POST", "/v1/memory/forgetting/apply", {"plan": plan["plan"]})),
        ("MemoryArchive", await said(owner, "GET", "/v1/memory/archive")),
        ("ArchivedMemory", await said(owner, "GET", f"/v1/memory/archive/{told[0].id}")),
    ]
    assert (len(reviews["reviews"]), plan["total"], len(answers[-3][1]["moves"])) == (4, 3, 3)
    for name, answer in answers:
        schema_of(document, name).validate(answer)


@pytest.mark.parametrize(
    "name, method, path, body",
    [
        ("MemoryTier", "PATCH", "/v1/memory/mem_1_a/promote", {"to": "hot"}),
        ("MemoryTier", "PATCH", "/v1/memory/mem_1_a/demote", {}),
        ("MemoryTier", "PATCH", "/v1/memory/mem_1_a/demote", {"to": 5}),
        ("MemoryTier", "PATCH", "/v1/memory/mem_1_a/demote", {"from": "hot"}),
        ("MemoryTending", "POST", "/v1/memory/tend", {"as_of": NOW, "dry_run": True, "clear": True}),
        ("MemoryTending", "POST", "/v1/memory/tend", {"as_of": -1}),
        ("MemoryTending", "POST", "/v1/memory/tend", {"as_of": 10**15}),
        ("MemoryTending", "POST", "/v1/memory/tend", {"now": NOW}),
        ("MemoryForget", "POST", "/v1/memory/forget", {"filter": {"tag": "key", "level": "hot"}, "limit": 5}),
        ("MemoryForget", "POST", "/v1/memory/forget", {"filter": {}}),
        ("MemoryForget", "POST", "/v1/memory/forget", {"filter": {"tag": ""}}),
        ("MemoryForget", "POST", "/v1/memory/forget", {"filter": {"who": "ann"}}),
        ("MemoryForget", "POST", "/v1/memory/forget", {"filter": {"tag": "key"}, "mode": "gone"}),
        ("MemoryForget", "POST", "/v1/memory/forget", {"filter": {"tag": "key"}, "reason": "x" * 257}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"rules": [ALL], "human_only": True}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"selective_forgetting": {}, "human_only": True}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"selective_forgetting": {"rules": [ALL]}}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"selective_forgetting": {}, "note": "x"}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"rules": [{**ALL, "match": {"tags": []}}]}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"rules": [{**ALL, "match": {"age_hours": -1}}]}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"rules": [{**ALL, "action": "hard_delete"}]}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"rules": [{**ALL, "when": "always"}]}),
        ("ForgettingWrite", "PUT", "/v1/memory/forgetting", {"default_action": "soft_delete"}),
        (
            "ForgettingPreview",
            "POST",
            "/v1/memory/forgetting/preview",
            {"document": {"rules": [ALL]}, "rules": ["all"]},
        ),
        ("ForgettingPreview", "POST", "/v1/memory/forgetting/preview", {"limit": 101}),
        ("ForgettingPreview", "POST", "/v1/memory/forgetting/preview", {"document": {"when": "always"}}),
        ("ForgettingApply", "POST", "/v1/memory/forgetting/apply", {}),
        ("ForgettingApply", "POST", "/v1/memory/forgetting/apply", {"plan": 7}),
        ("MemoryVerdict", "POST", "/v1/memory/reviews/nobody", {}),
        ("MemoryVerdict", "POST", "/v1/memory/reviews/nobody", {"verdict": "stale"}),
        ("MemoryVerdict", "POST", "/v1/memory/reviews/nobody", {"verdict": "approved"}),
    ],
)
async def test_a_body_is_understood_exactly_when_the_document_allows_it(document, owner, name, method, path, body):
    await owner.post("/v1/memory", json={"content": "tea", "id": "mem_1_a"})
    allowed = schema_of(document, name).is_valid(body)
    assert ((await owner.request(method, path, json=body)).status_code != 400) == allowed


async def test_the_document_says_where_a_body_can_be_left_out(document, owner):
    left_out = {
        (method, path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if path.startswith("/v1/memory") and operation.get("requestBody", {}).get("required") is False
    }
    assert left_out == {
        ("patch", "/v1/memory/{id}/promote"),
        ("patch", "/v1/memory/{id}/demote"),
        ("post", "/v1/memory/tend"),
        ("post", "/v1/memory/forgetting/preview"),
        ("post", "/v1/memory/export"),
        ("post", "/v1/memory/snapshot"),
    }
    await owner.post("/v1/memory", json={"content": "tea", "id": "mem_1_a"})
    for method, path in left_out:
        assert (await owner.request(method, path.replace("{id}", "mem_1_a"))).is_success
    for method, path in (("POST", "/v1/memory/forget"), ("PUT", "/v1/memory/forgetting")):
        assert (await owner.request(method, path)).status_code == 400
