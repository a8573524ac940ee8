from __future__ import annotations

from csbond_tests.memories import tell
from csbond_tests.small_world import NOW


async def test_the_owner_sees_counts_lag_and_versions(owner, world):
    await tell(world, "The key is under the mat.")
    shown = (await owner.get("/v1/status")).json()
    assert shown["agent"] == {"name": "Luna", "did": "did:key:zLuna"}
    assert (shown["version"], shown["started_at"], shown["storage"]) == ("0.0.0", NOW, "sqlite")
    assert (shown["counts"]["entries"], shown["counts"]["messages"], shown["counts"]["threads"]) == (1, 1, 1)
    assert shown["memory"] == {
        "space_seq": 1,
        "semantic": False,
        "model": None,
        "indexed_through": 0,
        "waiting": 0,
        "failure": None,
        "no_embedder": world.no_embedder,
        "remaking": False,
        "index": None,
        "index_note": None,
    }
    assert (shown["draining"], shown["running_tasks"]) == (False, 0)


async def test_the_lag_of_the_index_goes_to_nothing(meaningful):
    await meaningful.post("/v1/memory", params={"wait": "index"}, json={"content": "A kitten."})
    memory = (await meaningful.get("/v1/status")).json()["memory"]
    assert (memory["semantic"], memory["model"]) == (True, "concepts-1")
    assert (memory["index"], memory["index_note"]) == ("exact", None)
    assert (memory["space_seq"], memory["indexed_through"], memory["waiting"]) == (1, 1, 0)


async def test_an_embedder_that_fails_is_seen_in_the_status(meaningful):
    meaningful.world.embedder.failing = True
    await meaningful.post("/v1/memory", params={"wait": "index"}, json={"content": "A kitten."})
    memory = (await meaningful.get("/v1/status")).json()["memory"]
    assert (memory["semantic"], memory["waiting"], memory["failure"]) == (False, 1, "the embedder sleeps")
