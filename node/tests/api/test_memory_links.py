"""Memories are linked over REST: by a route of its own, by a change of one memory's links, and in its own fields."""

from __future__ import annotations

import pytest

from csbond_tests.requirements import requirement


async def told(client, *contents, **fields):
    """The ids of new memories."""
    answer = await client.post(
        "/v1/memory/batch", json={"memories": [{"content": each, **fields} for each in contents]}
    )
    assert answer.status_code == 201, answer.text
    return [result["memory"]["id"] for result in answer.json()["results"]]


async def linked(client, source, target, relation="causes", **fields):
    return await client.post(
        "/v1/memory/link", json={"source_id": source, "target_id": target, "relation": relation, **fields}
    )


async def links_of(client, id_):
    return [(link["target_id"], link["relation"]) for link in (await shown(client, id_)).get("links", [])]


async def shown(client, id_):
    """A memory as writes answer it: without what is computed of its links when it is asked for."""
    answer = await client.get(f"/v1/memory/{id_}")
    assert answer.status_code == 200, answer.text
    memory = answer.json()
    if "network_id" in memory.get("link_metadata", {}):
        declared = memory.pop("link_metadata")["declared"]
        memory |= {"link_metadata": {"declared": declared}} if declared else {}
    return memory


def error_of(answer, status):
    assert answer.status_code == status, answer.text
    return answer.json()["error"]


@requirement("MEM-003-3.1-link", "MEM-001-1.5-links")
async def test_one_memory_is_linked_to_another(owner):
    rain, flood = await told(owner, "It rained.", "The cellar is full of water.")
    answer = await linked(owner, rain, flood, weight=0.8, note="by the river")
    link = {"target_id": flood, "relation": "causes", "weight": 0.8, "note": "by the river"}
    assert (answer.status_code, answer.headers["etag"]) == (201, '"2"')
    assert answer.json() == {"source": await shown(owner, rain), "link": link}
    assert answer.json()["source"]["links"] == [link]


@requirement("MEM-003-3.1-link", "MEM-003-idempotent")
async def test_a_link_that_is_there_makes_no_version_and_another_weight_does(owner):
    rain, flood = await told(owner, "It rained.", "The cellar is full of water.")
    await linked(owner, rain, flood)
    again = await linked(owner, rain, flood)
    assert (again.status_code, again.headers["etag"]) == (200, '"2"')
    heavier = await linked(owner, rain, flood, weight=0.5)
    assert (heavier.status_code, heavier.headers["etag"]) == (201, '"3"')
    assert (await shown(owner, rain))["links"][0]["weight"] == 0.5


@requirement("MEM-003-3.1-link", "MEM-003-3.1-patch-link", "MEM-001-1.4.2-kept")
async def test_what_a_link_holds_beside_its_own_fields_is_kept_through_each_door(owner):
    tea, cup, pot = await told(owner, "Tea.", "A cup.", "A pot.")
    place = f"/v1/memory/{tea}"
    await linked(owner, tea, cup, "extends", note="a", since=7)
    await owner.patch(f"{place}/link", json={"target_id": pot, "note": "b"})
    await owner.patch(f"{place}/link", json={"add": [{"target_id": pot, "relation": "causes", "note": "c"}]})
    before = await shown(owner, tea)
    assert [link.get("note") for link in sorted(before["links"], key=lambda link: link["relation"])] == ["c", "a", "b"]
    same = await linked(owner, tea, cup, "extends", note="a")
    assert (same.status_code, same.json()["link"]["since"], await shown(owner, tea)) == (200, 7, before)
    other = await linked(owner, tea, cup, "extends", note="d")
    assert (other.status_code, other.json()["link"]["note"], other.json()["link"]["since"]) == (201, "d", 7)
    assert other.json()["source"] == await shown(owner, tea)
    assert (await linked(owner, tea, cup, "extends", note="n" * 40_000)).status_code == 201
    assert error_of(await linked(owner, tea, pot, "extends", note="n" * 40_000), 400)["field"] == "unknown fields"


@requirement("MEM-003-3.1-link", "MEM-003-3.1-patch-link")
async def test_a_link_that_is_there_keeps_its_weight_when_none_is_said(owner):
    tea, cup = await told(owner, "Tea.", "A cup.")
    await linked(owner, tea, cup, weight=0.5)
    again = await linked(owner, tea, cup)
    assert (again.status_code, again.json()["link"]["weight"]) == (200, 0.5)
    for body in ({"target_id": cup, "relation": "causes"}, {"add": [{"target_id": cup, "relation": "causes"}]}):
        answer = await owner.patch(f"/v1/memory/{tea}/link", json=body)
        assert (answer.headers["etag"], answer.json()["links"][0]["weight"]) == ('"2"', 0.5)
    assert (await linked(owner, tea, cup, weight=1)).json()["link"]["weight"] == 1.0


@requirement("MEM-003-3.1-patch-link")
async def test_links_are_added_and_taken_away_together(owner):
    tea, cup, pot = await told(owner, "Tea.", "A cup.", "A pot.")
    place = f"/v1/memory/{tea}/link"
    add = [
        {"target_id": cup, "relation": "extends"},
        {"target_id": pot},
        {"target_id": "agent:清漪", "relation": "peer"},
    ]
    answer = await owner.patch(place, json={"add": add})
    assert (answer.status_code, answer.headers["etag"], answer.json()) == (200, '"2"', await shown(owner, tea))
    assert await links_of(owner, tea) == sorted([("agent:清漪", "peer"), (cup, "extends"), (pot, "relates_to")])
    body = {"add": [{"target_id": pot, "relation": "cited_by"}], "remove": [{"target_id": cup, "relation": "extends"}]}
    await owner.patch(place, json=body)
    await owner.patch(place, json={"remove": [{"target_id": "agent:清漪"}]})
    assert await links_of(owner, tea) == [(pot, "cited_by"), (pot, "relates_to")]
    await owner.patch(place, json={"remove": [{"target_id": pot}]})
    assert "links" not in await shown(owner, tea)


@requirement("MEM-003-3.1-patch-link", "MEM-003-idempotent")
async def test_a_change_of_links_that_is_made_already_makes_no_version(owner):
    tea, cup = await told(owner, "Tea.", "A cup.")
    for body in ({"target_id": cup, "relation": "causes"}, {"remove": [{"target_id": "mem_1_nobody"}]}):
        for _ in range(2):
            answer = await owner.patch(f"/v1/memory/{tea}/link", json=body)
            assert (answer.status_code, answer.headers["etag"]) == (200, '"2"')


@requirement("MEM-003-3.1-if-match")
async def test_links_change_only_at_the_version_that_is_named(owner):
    tea, cup = await told(owner, "Tea.", "A cup.")
    stale = {"If-Match": '"7"'}
    body = {"source_id": tea, "target_id": cup, "relation": "causes"}
    assert error_of(await owner.post("/v1/memory/link", json=body, headers=stale), 409)["code"] == "version_conflict"
    patched = await owner.patch(f"/v1/memory/{tea}/link", json={"target_id": cup}, headers=stale)
    assert error_of(patched, 409)["code"] == "version_conflict"
    assert await links_of(owner, tea) == []
    assert (await owner.post("/v1/memory/link", json=body, headers={"If-Match": '"1"'})).status_code == 201


@requirement("MEM-003-3.1-if-match", "MEM-001-1.5-two-ends")
async def test_a_memory_with_links_is_sent_again_since_they_come_and_go_without_a_version(owner):
    tea, cup = await told(owner, "Tea.", "A cup.")
    await linked(owner, tea, cup)
    await owner.delete(f"/v1/memory/{cup}")
    answer = await owner.get(f"/v1/memory/{tea}", headers={"If-None-Match": '"2"'})
    assert (answer.status_code, "links" in answer.json()) == (200, False)
    await owner.patch(f"/v1/memory/{cup}/restore")
    assert await links_of(owner, tea) == [(cup, "causes")]


@requirement("MEM-003-3.1-link-target")
async def test_what_links_to_a_memory_is_listed(owner):
    tea, cup, pot = await told(owner, "Tea.", "A cup.", "A pot.")
    for source in (tea, pot):
        await linked(owner, source, cup, "relates_to")
    await linked(owner, tea, "agent:bo", "peer")
    for target, sources in ((cup, {tea, pot}), ("agent:bo", {tea}), (pot, set()), ("mem_1_nobody", set())):
        page = (await owner.get("/v1/memory", params={"link_target": target})).json()
        assert ({each["id"] for each in page["memories"]}, page["total"]) == (sources, len(sources))


@pytest.mark.parametrize(
    "change, status, code, field",
    [
        ({"source_id": "tea"}, 400, "invalid_params", "source_id"),
        ({"source_id": None}, 400, "invalid_params", "source_id"),
        ({"source_id": "mem_9_nobody"}, 404, "memory_not_found", ""),
        ({"target_id": "mem_9_nobody"}, 404, "memory_not_found", "target_id"),
        ({"target_id": "tea"}, 400, "invalid_params", "target_id"),
        ({"target_id": "mem_1_tea"}, 400, "invalid_params", "target_id"),
        ({"relation": "!"}, 400, "invalid_params", "relation"),
        ({"weight": 1.1}, 400, "invalid_params", "weight"),
        ({"weight": "heavy"}, 400, "invalid_params", "weight"),
        ({"target_id": "mem_1_rain"}, 409, "link_cycle", ""),
    ],
)
async def test_a_link_that_cannot_be_is_refused_by_its_field(owner, change, status, code, field):
    await told(owner, "Tea.", id="mem_1_tea")
    await told(owner, "A cup.", id="mem_1_cup")
    await told(owner, "Rain.", id="mem_1_rain", links=[{"target_id": "mem_1_tea", "relation": "causes"}])
    body = {"source_id": "mem_1_tea", "target_id": "mem_1_cup", "relation": "causes"}
    fault = error_of(await owner.post("/v1/memory/link", json={**body, **change}), status)
    assert (fault["code"], fault.get("field", "")) == (code, field)
    assert "links[" not in fault["reason"]
    assert await links_of(owner, "mem_1_tea") == []


@pytest.mark.parametrize(
    "body, status, field",
    [
        ({}, 400, "add"),
        ({"add": [], "remove": []}, 400, "add"),
        ({"add": {}}, 400, "add"),
        ({"add": [{"target_id": f"a:{number}"} for number in range(65)]}, 400, "add"),
        ({"add": [7]}, 400, "add[0]"),
        ({"add": [{"target_id": "a:b"}, {"target_id": "tea"}]}, 400, "add[1].target_id"),
        ({"add": [{"target_id": "a:b"}, {"target_id": "mem_9_nobody"}]}, 404, "add[1].target_id"),
        ({"add": [{"target_id": "mem_1_tea"}]}, 400, "add[0].target_id"),
        ({"add": [{"target_id": "a:b", "weight": -1}]}, 400, "add[0].weight"),
        ({"add": [{"target_id": "mem_1_rain", "relation": "causes"}]}, 409, "add[0]"),
        ({"remove": "mem_1_rain"}, 400, "remove"),
        ({"remove": ["mem_1_rain"]}, 400, "remove[0]"),
        ({"remove": [{}]}, 400, "remove[0].target_id"),
        ({"remove": [{"target_id": "a:b", "relation": ""}]}, 400, "remove[0].relation"),
        ({"target_id": "tea"}, 400, "target_id"),
        ({"target_id": "a:b", "remove": [{"target_id": "a:c"}]}, 400, "remove"),
        ({"target_id": "a:b", "add": [], "remove": []}, 400, "add"),
    ],
)
async def test_a_change_of_links_that_cannot_be_is_refused_by_its_place(owner, body, status, field):
    await told(owner, "Tea.", id="mem_1_tea")
    await told(owner, "Rain.", id="mem_1_rain", links=[{"target_id": "mem_1_tea", "relation": "causes"}])
    fault = error_of(await owner.patch("/v1/memory/mem_1_tea/link", json=body), status)
    assert fault.get("field", "") == field
    assert "links[" not in fault["reason"]
    assert await links_of(owner, "mem_1_tea") == []


async def test_items_of_a_batch_link_to_each_other(owner):
    memories = [
        {"content": "Rain.", "id": "mem_1_rain", "links": [{"target_id": "mem_1_flood", "relation": "causes"}]},
        {"content": "A flood.", "id": "mem_1_flood"},
    ]
    answer = await owner.post("/v1/memory/batch", json={"memories": memories})
    assert answer.json()["stored"] == 2
    assert await links_of(owner, "mem_1_rain") == [("mem_1_flood", "causes")]


async def test_an_edit_sets_the_links_that_it_names_and_leaves_them_otherwise(owner):
    tea, cup = await told(owner, "Tea.", "A cup.")
    place = f"/v1/memory/{tea}"
    await owner.put(place, json={"links": [{"target_id": cup, "relation": "extends"}]})
    await owner.put(place, json={"content": "Green tea."})
    assert await links_of(owner, tea) == [(cup, "extends")]
    await owner.put(place, json={"links": None})
    assert await links_of(owner, tea) == []
