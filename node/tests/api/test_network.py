"""`/v1/memory/network` and `/v1/memory/stats`."""

from __future__ import annotations

import pytest

from csbond.protocol.memory.answer_size import ANSWER_BYTES
from csbond_tests.requirements import requirement

A, B, HIDDEN = "mem_1_a", "mem_1_b", "mem_1_hidden"


@pytest.fixture
async def kept(owner):
    """A – B, both public, and A – hidden."""
    for id_, visibility in ((A, "public"), (B, "public"), (HIDDEN, "private")):
        body = {"content": f"{id_} speaks.", "id": id_, "visibility": visibility, "tags": ["tea"]}
        assert (await owner.post("/v1/memory", json=body)).status_code == 201
    for target, weight in ((B, 0.5), (HIDDEN, 1)):
        link = {"source_id": A, "target_id": target, "relation": "causes", "weight": weight}
        assert (await owner.post("/v1/memory/link", json=link)).status_code == 201


@requirement("MEM-003-3.1-network")
async def test_the_network_around_a_memory_is_told(kept, owner, ann):
    found = (await owner.get(f"/v1/memory/network/{A}")).json()
    assert (found["center"], found["depth"], found["left_out"]) == (A, 2, {"nodes": 0, "links": 0})
    assert [node["id"] for node in found["nodes"]] == [A, HIDDEN, B]
    node = found["nodes"][0]
    assert (node["level"], node["type"], node["title"], node["tags"]) == ("warm", "other", "mem_1_a speaks.", ["tea"])
    assert (node["centrality"], node["clusters"]) == (1.0, ["tea"])
    assert {"source_id": A, "target_id": B, "relation": "causes", "weight": 0.5} in found["links"]
    heard = (await ann.get(f"/v1/memory/network/{A}?depth=3&limit=9")).json()
    assert [node["id"] for node in heard["nodes"]] == [A, B]
    assert HIDDEN not in str(heard)
    assert (await ann.get(f"/v1/memory/network/{HIDDEN}")).status_code == 404


@requirement("MEM-003-3.1-network")
async def test_the_whole_network_is_told_the_most_central_memories_first(kept, owner, ann):
    found = (await owner.get("/v1/memory/network?limit=1")).json()
    assert [node["id"] for node in found["nodes"]] == [A]
    assert (found["left_out"], found["unlinked"]) == ({"nodes": 2, "links": 2}, 0)
    await owner.post("/v1/memory", json={"content": "Beside.", "visibility": "public"})
    heard = (await ann.get("/v1/memory/network")).json()
    assert ({node["id"] for node in heard["nodes"]}, heard["unlinked"]) == ({A, B}, 1)


@pytest.mark.parametrize("depth", ["0", "4", "x", ""])
async def test_a_depth_that_is_none_is_refused(kept, owner, depth):
    answer = await owner.get(f"/v1/memory/network/{A}?depth={depth}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "depth")


@pytest.mark.parametrize("place", ["network", f"network/{A}"])
@pytest.mark.parametrize("limit", ["0", "2001", "-1"])
async def test_more_memories_than_a_network_tells_are_refused(kept, owner, place, limit):
    answer = await owner.get(f"/v1/memory/{place}?limit={limit}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "limit")


@pytest.mark.parametrize("days", ["0", "367", "1.5"])
async def test_days_that_are_none_are_refused(owner, days):
    answer = await owner.get(f"/v1/memory/stats?days={days}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "days")


@requirement("MEM-003-3.1-bytes")
async def test_a_network_ends_where_an_answer_does_unless_more_is_asked_for(owner):
    hub = {"content": "Hub.", "id": "mem_1_hub"}
    assert (await owner.post("/v1/memory", json=hub)).status_code == 201
    for number in range(3):
        memories = [
            {
                "content": f"{number} {place} " + "记" * 200,
                "tags": ["标签" * 16] * 1,
                "links": [{"target_id": "mem_1_hub"}],
            }
            for place in range(66)
        ]
        assert (await owner.post("/v1/memory/batch", json={"memories": memories})).status_code == 201
    for path in ("/v1/memory/network", "/v1/memory/network/mem_1_hub"):
        answer = await owner.get(path)
        found = answer.json()
        assert len(answer.content) < ANSWER_BYTES * 1.05
        assert 50 < len(found["nodes"]) < 199
        assert found["left_out"]["nodes"] == 199 - len(found["nodes"])
        assert found["left_out"]["links"] == 198 - len(found["links"])
        whole = (await owner.get(f"{path}?limit=300")).json()
        assert (len(whole["nodes"]), whole["left_out"]) == (199, {"nodes": 0, "links": 0})


@requirement("MEM-001-1.5-computed")
async def test_a_memory_is_shown_with_what_is_computed_of_its_links(kept, owner, ann):
    entry = (await owner.get(f"/v1/memory/{A}")).json()
    node = (await owner.get(f"/v1/memory/network/{A}")).json()["nodes"][0]
    computed = {name: node[name] for name in ("network_id", "centrality", "clusters")}
    assert entry["link_metadata"] == {**computed, "declared": {}}
    assert "link_metadata" not in (await owner.get(f"/v1/memory/{B}")).json(), "it has no links of its own"
    listed = (await owner.get("/v1/memory")).json()["memories"]
    assert not any("link_metadata" in each for each in listed)


@requirement("MEM-001-1.5-computed", "MEM-001-1.5-declared")
async def test_what_others_declare_of_links_stays_apart_from_what_is_computed(kept, owner):
    foreign = {"network_id": "net_xxx", "centrality": 0.75, "clusters": ["决策链"]}
    edited = await owner.put(f"/v1/memory/{A}", json={"link_metadata": foreign})
    assert edited.json()["link_metadata"] == {"declared": foreign}
    entry = (await owner.get(f"/v1/memory/{A}")).json()
    assert entry["link_metadata"]["declared"] == foreign
    assert entry["link_metadata"]["clusters"] == ["tea"]


@requirement("MEM-001-1.5-computed")
@pytest.mark.parametrize("declared", [None, {"network_id": "net_xxx"}])
async def test_an_answer_that_is_sent_back_makes_no_new_version(kept, owner, declared):
    if declared:
        await owner.put(f"/v1/memory/{A}", json={"link_metadata": declared})
    entry = (await owner.get(f"/v1/memory/{A}")).json()
    assert "centrality" in entry["link_metadata"]
    again = await owner.put(f"/v1/memory/{A}", json=entry)
    assert again.status_code == 200, again.text
    assert again.json()["metadata"]["version"] == entry["metadata"]["version"]
    assert (await owner.get(f"/v1/memory/{A}")).json()["link_metadata"] == entry["link_metadata"]


@requirement("MEM-003-3.1-stats")
async def test_memory_is_told_in_numbers(kept, owner, ann):
    await owner.patch(f"/v1/memory/{B}/demote", json={})
    found = (await owner.get("/v1/memory/stats?days=3")).json()
    assert (found["total"], found["levels"]) == (3, {"hot": 0, "warm": 2, "cold": 1})
    assert (found["types"], found["sources"]) == ({"other": 3}, {"user": 3})
    assert found["visibilities"] == {"public": 2, "private": 1}
    assert (found["linked"], found["links"]) == (3, 2)
    assert [day["kept"] for day in found["growth"]] == [0, 0, 3]
    assert found["removals"] == {"manual": {"demote": 1}}
    assert found["caps"]["held"] == {"hot": 0, "warm": 2, "cold": 1}
    assert (found["caps"]["hot_cap"], found["caps"]["warm_cap"]) == (100, 200)
    assert found["waiting"] == {"restorable": 0, "reviews": 0, "vectors": 0, "archived": 0}
    assert found["index"]["semantic"] is False
    heard = (await ann.get("/v1/memory/stats")).json()
    assert (heard["total"], heard["visibilities"], heard["links"]) == (2, {"public": 2}, 1)
    assert not heard.keys() & {"removals", "caps", "waiting", "file_bytes", "index"}
    assert len(heard["growth"]) == 90
