from __future__ import annotations

import asyncio

import pytest

from csbond.flows.ports import IndexState
from csbond_tests.requirements import requirement


async def done(client):
    for _ in range(2000):
        memory = (await client.get("/v1/status")).json()["memory"]
        if not memory["remaking"]:
            return memory
        await asyncio.sleep(0)
    raise AssertionError("the worker does not end")


@requirement("MEM-002-2.2-one-model")
async def test_the_owner_has_every_memory_embedded_anew_and_sees_it_end(meaningful):
    for content in ("A kitten sleeps.", "Take an umbrella."):
        await meaningful.post("/v1/memory", params={"wait": "index"}, json={"content": content})
    answer = await meaningful.post("/v1/memory/reindex", json={})
    assert answer.status_code == 202
    assert answer.json() == {"model": "concepts-1", "started": True, "entries": 2}
    again = (await meaningful.post("/v1/memory/reindex", json={})).json()
    assert again["started"] is False
    memory = await done(meaningful)
    assert (memory["waiting"], memory["indexed_through"]) == (0, 2)
    embedded = meaningful.world.embedder.embedded
    assert sorted(embedded) == ["A kitten sleeps."] * 2 + ["Take an umbrella."] * 2
    found = (await meaningful.post("/v1/memory/search", json={"query": "猫", "limit": 1})).json()
    assert found["results"][0]["content"] == "A kitten sleeps."


async def test_while_vectors_are_made_anew_words_find_and_the_answer_says_how_far_meaning_reaches(meaningful):
    await meaningful.post("/v1/memory", params={"wait": "index"}, json={"content": "A kitten sleeps."})
    meaningful.world.embedder.failing = True
    await meaningful.post("/v1/memory/reindex", json={})
    for _ in range(2000):
        await asyncio.sleep(0)
        if meaningful.world.signals.indexing.failure:
            break
    memory = (await meaningful.get("/v1/status")).json()["memory"]
    assert (memory["remaking"], memory["waiting"], memory["failure"]) == (True, 1, "the embedder sleeps")
    found = (await meaningful.post("/v1/memory/search", json={"query": "kitten"})).json()
    assert (len(found["results"]), found["semantic"]) == (1, False)


async def test_without_an_embedder_there_is_nothing_to_make_and_the_reason_is_told(owner, world):
    answer = await owner.post("/v1/memory/reindex", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "embedder_unavailable")
    assert answer.json()["error"]["reason"] == world.no_embedder


@pytest.mark.parametrize(
    "body, code", [({"model": "x"}, "invalid_params"), ([], "invalid_request"), ("anew", "invalid_request")]
)
async def test_anything_but_nothing_is_refused(meaningful, body, code):
    answer = await meaningful.post("/v1/memory/reindex", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@requirement("MEM-002-2.2-exact")
async def test_the_status_says_what_the_owner_should_know_of_the_index(meaningful, monkeypatch):
    monkeypatch.setattr(
        type(meaningful.world.index), "state", lambda *_: IndexState("exact", "compared one by one; faster: …")
    )
    memory = (await meaningful.get("/v1/status")).json()["memory"]
    assert (memory["index"], memory["index_note"]) == ("exact", "compared one by one; faster: …")
