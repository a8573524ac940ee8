from __future__ import annotations

import pytest

from csbond.api.memory import BATCH_MAX
from csbond.protocol.memory.deletion import DAY_MS
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW

KEY = {"content": "The key is under the mat.", "type": "discovery", "level": "hot", "tags": ["key"]}


async def created(client, **changes):
    answer = await client.post("/v1/memory", json={**KEY, **changes})
    assert answer.status_code == 201, answer.text
    return answer.json()


def error_of(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()["error"]


@requirement("MEM-003-3.1-create")
async def test_a_memory_is_created_and_shown_at_its_place(owner):
    answer = await owner.post("/v1/memory", json=KEY)
    assert answer.status_code == 201
    assert answer.headers["etag"] == '"1"'
    shown = answer.json()
    assert {name: shown[name] for name in KEY} == KEY
    assert (shown["timestamp"], shown["source"], shown["visibility"]) == (NOW, "user", "private")
    assert answer.headers["location"] == f"/v1/memory/{shown['id']}"
    assert (await owner.get(answer.headers["location"])).json() == shown


@requirement("MEM-003-3.1-get", "MEM-003-3.1-if-match")
async def test_a_memory_is_shown_with_its_version_as_etag(owner):
    entry = await created(owner)
    answer = await owner.get(f"/v1/memory/{entry['id']}")
    assert (answer.status_code, answer.headers["etag"], answer.json()) == (200, '"1"', entry)
    unchanged = await owner.get(f"/v1/memory/{entry['id']}", headers={"If-None-Match": '"1"'})
    assert (unchanged.status_code, unchanged.headers["etag"], unchanged.content) == (304, '"1"', b"")


@pytest.mark.parametrize(
    "tags, status",
    [
        (["*"], 304),
        (['W/"1"'], 304),
        (['"7" ,W/"1"'], 304),
        (['"7"', '"1"'], 304),
        (["1"], 304),
        (['"7", "8"'], 200),
        (['"from-elsewhere", "11"'], 200),
        (['"from,1"'], 200),
        ([""], 200),
    ],
)
async def test_a_memory_that_is_known_in_this_version_is_not_sent_again(owner, tags, status):
    entry = await created(owner)
    answer = await owner.get(f"/v1/memory/{entry['id']}", headers=[("If-None-Match", tag) for tag in tags])
    assert answer.status_code == status


@requirement("MEM-001-1.3-long")
async def test_a_memory_longer_than_an_entry_is_refused_not_cut(owner):
    fault = error_of(await owner.post("/v1/memory", json={"content": "x" * 2049}), 400)
    assert (fault["code"], fault["field"]) == ("invalid_params", "content")
    assert (await owner.get("/v1/memory")).json()["total"] == 0


@requirement("MEM-003-idempotent")
@pytest.mark.parametrize("headers, body", [({"Idempotency-Key": "k-1"}, KEY), ({}, {**KEY, "id": "mem_1_a"})])
async def test_a_repeated_create_gives_the_same_entry(owner, headers, body):
    first = await owner.post("/v1/memory", json=body, headers=headers)
    reordered = dict(reversed(body.items()))
    again = await owner.post("/v1/memory", json=reordered, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    other = await owner.post("/v1/memory", json={**body, "content": "Another one."}, headers=headers)
    assert error_of(other, 409)["code"] == "already_exists"
    assert (await owner.get("/v1/memory")).json()["total"] == 1


@requirement("MEM-005-report-04-twice-the-same")
async def test_the_same_memory_twice_is_one_and_takes_over_what_the_second_adds(owner):
    first = await created(owner)
    again = await owner.post("/v1/memory", json={**KEY, "tags": ["mat"]})
    assert (again.status_code, again.headers["etag"]) == (200, '"2"')
    assert "location" not in again.headers
    shown = again.json()
    assert (shown.pop("merged"), shown["id"], shown["tags"]) == (True, first["id"], ["key", "mat"])
    assert (await owner.get(f"/v1/memory/{first['id']}")).json() == shown
    assert (await owner.get("/v1/memory")).json()["total"] == 1


async def test_a_memory_with_an_id_of_its_own_or_another_content_is_another_memory(owner):
    ids = {(await created(owner))["id"], (await created(owner, id="mem_1_a"))["id"]}
    ids.add((await created(owner, content="The key is under the mat!"))["id"])
    assert len(ids) == 3


@pytest.mark.parametrize("key", ["", "two words", "schlüssel", "x" * 256])
async def test_an_idempotency_key_that_is_none_is_refused(owner, key):
    answer = await owner.post("/v1/memory", json=KEY, headers={"Idempotency-Key": key.encode("latin-1")})
    assert error_of(answer, 400)["field"] == "Idempotency-Key"


@requirement("MEM-003-3.1-batch", "MEM-003-3.1-batch-each")
async def test_a_batch_keeps_the_good_ones_and_says_what_became_of_each(owner):
    body = {"memories": [KEY, {"content": ""}, {**KEY, "id": "mem_1_a"}, {**KEY, "id": "mem_1_a"}, 7]}
    answer = await owner.post("/v1/memory/batch", json=body)
    assert answer.status_code == 207
    results = answer.json()["results"]
    assert [result["status"] for result in results] == [201, 400, 201, 409, 400]
    assert results[1]["error"]["field"] == "content"
    assert results[2]["memory"]["id"] == "mem_1_a"
    assert (answer.json()["stored"], answer.json()["refused"]) == (2, 3)
    assert (await owner.get("/v1/memory")).json()["total"] == 2


@requirement("MEM-003-3.1-batch-each")
async def test_the_good_ones_of_a_batch_are_one_transaction_and_each_bad_one_has_its_reason(owner, ledger):
    commits = len(ledger.changes)
    bad = [
        ({**KEY, "tags": ["x" * 33]}, "tags"),
        ({**KEY, "links": [{"target_id": "mem_9_nobody", "relation": "causes"}]}, "links[0].target_id"),
        ({**KEY, "metadata": {"ttl": -1}}, "metadata.ttl"),
    ]
    good = [{**KEY, "content": "One."}, {**KEY, "content": "Two."}, {**KEY, "content": "One."}]
    answer = await owner.post("/v1/memory/batch", json={"memories": [*good, *(body for body, _ in bad)]})
    assert answer.status_code == 207
    assert (answer.json()["stored"], answer.json()["merged"], answer.json()["refused"]) == (2, 1, 3)
    results = answer.json()["results"]
    assert [result["status"] for result in results] == [201, 201, 200, 400, 404, 400]
    assert results[2]["memory"]["id"] == results[0]["memory"]["id"]
    assert results[2]["memory"]["merged"] is True
    for result, (_, field) in zip(results[3:], bad, strict=True):
        assert (result["error"]["field"], bool(result["error"]["reason"])) == (field, True)
    assert len(ledger.changes) == commits + 1


@requirement("MEM-003-3.1-batch")
async def test_a_batch_holds_a_hundred_memories_and_not_one_more(owner):
    many = [{**KEY, "content": f"Key number {number}."} for number in range(BATCH_MAX)]
    whole = await owner.post("/v1/memory/batch", json={"memories": many})
    assert (whole.status_code, whole.json()["stored"]) == (201, 100)
    for memories in ([*many, KEY], [], None, {"0": KEY}):
        fault = error_of(await owner.post("/v1/memory/batch", json={"memories": memories}), 400)
        assert fault["field"] == "memories"
    assert (await owner.get("/v1/memory")).json()["total"] == 100


@requirement("MEM-003-idempotent")
async def test_a_repeated_batch_gives_the_same_entries(owner):
    headers, body = {"Idempotency-Key": "k"}, {"memories": [KEY, {**KEY, "content": "two"}]}
    first = await owner.post("/v1/memory/batch", json=body, headers=headers)
    again = await owner.post("/v1/memory/batch", json=body, headers=headers)
    assert again.json() == first.json()


@requirement("MEM-003-3.1-list")
async def test_memories_are_listed_by_tier_type_tag_and_source(owner):
    await created(owner, content="a")
    await created(owner, content="b", type="lesson", level="cold", tags=["other"], source="system")

    async def listed(**params):
        return [entry["content"] for entry in (await owner.get("/v1/memory", params=params)).json()["memories"]]

    assert await listed(level="HOT") == ["a"]
    assert await listed(type="lesson") == ["b"]
    assert await listed(tag="other") == ["b"]
    assert await listed(source="user") == ["a"]
    assert len(await listed()) == 2


async def test_a_list_is_read_page_by_page_without_embeddings(owner):
    for number in range(5):
        await created(owner, content=f"number {number}", timestamp=NOW - number, embedding=[0.5])
    first = (await owner.get("/v1/memory", params={"limit": 3})).json()
    rest = (await owner.get("/v1/memory", params={"limit": 3, "cursor": first["next_cursor"]})).json()
    shown = [*first["memories"], *rest["memories"]]
    assert [entry["content"] for entry in shown] == [f"number {number}" for number in range(5)]
    assert (first["total"], rest["next_cursor"]) == (5, "")
    assert not any("embedding" in entry for entry in shown)
    assert (await owner.get(f"/v1/memory/{shown[0]['id']}")).json()["embedding"] == [0.5]


@pytest.mark.parametrize(
    "params, field",
    [
        ({"level": "tepid"}, "level"),
        ({"type": "song"}, "type"),
        ({"source": "rumour"}, "source"),
        ({"tag": ""}, "tag"),
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"cursor": "here"}, "cursor"),
        ({"cursor": "x" * 513}, "cursor"),
    ],
)
async def test_a_filter_that_can_match_nothing_is_refused(owner, params, field):
    fault = error_of(await owner.get("/v1/memory", params=params), 400)
    assert (fault["code"], fault["field"]) == ("invalid_params", field)


@requirement("MEM-003-3.1-update", "MEM-003-3.1-if-match")
async def test_an_edit_changes_the_memory_from_the_version_it_names(owner):
    entry = await created(owner)
    place = f"/v1/memory/{entry['id']}"
    answer = await owner.put(place, json={"content": "It is in the pot."}, headers={"If-Match": '"1"'})
    assert (answer.status_code, answer.headers["etag"]) == (200, '"2"')
    assert answer.json()["content"] == "It is in the pot."
    assert answer.json()["metadata"]["version"] == 2
    assert (await owner.get(place)).json() == answer.json()
    stale = await owner.put(place, json={"content": "Or not."}, headers={"If-Match": '"1"'})
    assert error_of(stale, 409)["code"] == "version_conflict"


async def test_an_if_match_may_name_several_versions_or_any(owner):
    entry = await created(owner)
    for number, (tag, status) in enumerate([("*", 200), ('W/"2"', 200), ('"7", "3"', 200), ('"7", "8"', 409)]):
        answer = await owner.put(f"/v1/memory/{entry['id']}", json={"note": number}, headers={"If-Match": tag})
        assert answer.status_code == status


@requirement("MEM-003-idempotent")
async def test_a_repeated_edit_makes_no_new_version(owner):
    entry = await created(owner)
    for _ in range(2):
        answer = await owner.put(f"/v1/memory/{entry['id']}", json={"content": "new"}, headers={"If-Match": '"1"'})
        assert (answer.status_code, answer.headers["etag"]) == (200, '"2"')


@pytest.mark.parametrize("tag", ["latest", '"1', '"1", latest', '"1", *', ""])
async def test_an_if_match_that_is_no_version_is_refused(owner, tag):
    entry = await created(owner)
    answer = await owner.put(f"/v1/memory/{entry['id']}", json={}, headers={"If-Match": tag})
    assert error_of(answer, 400)["field"] == "If-Match"


@requirement("MEM-003-3.1-delete", "MEM-003-idempotent")
async def test_a_deleted_memory_is_gone_from_every_door_and_deleting_again_answers_the_same(owner):
    entry = await created(owner)
    place = f"/v1/memory/{entry['id']}"
    first = await owner.delete(place)
    assert first.json() == {"id": entry["id"], "deleted": True, "deleted_at": NOW, "entries": [entry["id"]]}
    assert (await owner.delete(place)).json() == first.json()
    assert error_of(await owner.get(place), 404)["code"] == "memory_not_found"
    assert error_of(await owner.put(place, json={}), 404)["code"] == "memory_not_found"
    assert (await owner.get("/v1/memory")).json()["total"] == 0
    assert (await owner.post("/v1/memory/search", json={"query": "key"})).json()["results"] == []


@requirement("MEM-003-3.1-if-match")
async def test_a_deletion_from_another_version_is_refused(owner):
    entry = await created(owner)
    answer = await owner.delete(f"/v1/memory/{entry['id']}", headers={"If-Match": '"2"'})
    assert error_of(answer, 409)["code"] == "version_conflict"


@requirement("MEM-005-report-05-unknown-id")
@pytest.mark.parametrize(
    "method, path, body",
    [
        ("GET", "", None),
        ("PUT", "", {}),
        ("DELETE", "", None),
        ("PATCH", "/restore", None),
        ("PATCH", "/link", {"add": [{"target_id": "agent:bo"}]}),
        ("GET", "/versions", None),
    ],
)
async def test_an_unknown_memory_is_not_found_and_nothing_is_noted(owner, ledger, method, path, body):
    for id_ in ("mem_1_nobody", "none"):
        fault = error_of(await owner.request(method, f"/v1/memory/{id_}{path}", json=body), 404)
        assert fault["code"] == "memory_not_found"
    assert ledger.changes == []


@requirement("MEM-003-3.1-restore", "MEM-003-idempotent")
async def test_a_restoration_tells_until_when_it_lasts_and_a_repeat_the_same(owner):
    entry = await created(owner)
    place = f"/v1/memory/{entry['id']}"
    assert (await owner.patch(f"{place}/restore")).json()["spared_until"] == 0
    await owner.delete(place)
    first = (await owner.patch(f"{place}/restore")).json()
    assert (first["restored"], first["spared_until"]) == ([entry["id"]], NOW + 90 * DAY_MS)
    assert (await owner.patch(f"{place}/restore")).json() == first
    assert "spared_until" not in first["memory"]


async def test_a_restoration_from_another_version_is_refused(owner):
    entry = await created(owner)
    place = f"/v1/memory/{entry['id']}"
    await owner.delete(place)
    answer = await owner.patch(f"{place}/restore", headers={"If-Match": '"1"'})
    assert error_of(answer, 409)["code"] == "version_conflict"
    assert (await owner.patch(f"{place}/restore", headers={"If-Match": '"2"'})).status_code == 200


async def test_the_versions_of_a_memory_are_listed_latest_first(owner):
    entry = await created(owner, content="number 1")
    place = f"/v1/memory/{entry['id']}"
    for number in range(2, 6):
        await owner.put(place, json={"content": f"number {number}"})
    first = (await owner.get(f"{place}/versions", params={"limit": 3})).json()
    rest = (await owner.get(f"{place}/versions", params={"limit": 3, "cursor": first["next_cursor"]})).json()
    shown = [*first["versions"], *rest["versions"]]
    assert [each["content"] for each in shown] == [f"number {number}" for number in (4, 3, 2, 1)]
    assert [each["metadata"]["version"] for each in shown] == [4, 3, 2, 1]
    assert (first["total"], rest["next_cursor"]) == (4, "")


@requirement("MEM-003-3.2-prefix")
async def test_a_field_that_nobody_knows_is_kept_and_changes_nothing_else(owner):
    plain = await created(owner, content="Plain.")
    known = await created(owner, content="Odd.", mood={"warmth": 0.7}, id_of_mine=7)
    assert (known["mood"], known["id_of_mine"]) == ({"warmth": 0.7}, 7)
    ignored = ("id", "content", "seq")
    assert {name: known[name] for name in plain if name not in ignored} == {
        name: plain[name] for name in plain if name not in ignored
    }


@requirement("MEM-003-3.1-says-what-would-do")
@pytest.mark.parametrize(
    "body, field, would_do",
    [
        ({"content": "x" * 2049}, "content", "at most 2048"),
        ({"type": "song"}, "type", "one of event, decision"),
        ({"tags": ["x" * 33]}, "tags", "1 to 32 characters"),
        ({"tags": [f"t{number}" for number in range(21)]}, "tags", "at most 20"),
        ({"timestamp": -1}, "timestamp", "a whole number from 0"),
        ({"timestamp": NOW + 360_000}, "timestamp", "more than five minutes ahead"),
        ({"level": "tepid"}, "level", "one of hot, warm, cold"),
        ({"id": "note_1"}, "id", "mem_<milliseconds>_<letters and digits>"),
        ({"embedding": [0.5] * 2049}, "embedding", "1 to 2048 numbers"),
        ({"visibility": "secret"}, "visibility", "one of public, trusted, private"),
        ({"links": [{"target_id": "tea"}]}, "links[0].target_id", "the id of a memory"),
        ({"links": [{"target_id": "agent:bo", "weight": 1.1}]}, "links[0].weight", "a number from 0 to 1"),
        ({"links": [{"target_id": "agent:bo", "relation": ""}]}, "links[0].relation", "one of causes"),
        ({"links": [{"target_id": f"a:{number}"} for number in range(65)]}, "links", "at most 64"),
        ({"business_context": {"priority": 11}}, "business_context.priority", "a whole number from 0 to 10"),
    ],
)
async def test_a_refused_field_is_named_with_what_would_be_accepted(owner, body, field, would_do):
    fault = error_of(await owner.post("/v1/memory", json={**KEY, **body}), 400)
    assert (fault["code"], fault["field"]) == ("invalid_params", field)
    assert would_do in fault["reason"]


async def test_a_write_waits_for_its_vector_when_asked_to(meaningful):
    entry = await created(meaningful, content="plain")
    assert "indexed" not in entry
    answer = await meaningful.post("/v1/memory", params={"wait": "index"}, json={"content": "A kitten."})
    assert answer.json()["indexed"] is True
    found = (await meaningful.post("/v1/memory/search", json={"query": "猫", "limit": 1})).json()
    assert found["results"][0]["content"] == "A kitten."
    assert (found["semantic"], found["semantic_through"]) == (True, answer.json()["seq"])
    edited = await meaningful.put(f"/v1/memory/{entry['id']}", params={"wait": "index"}, json={"content": "狗"})
    assert edited.json()["indexed"] is True
    batch = await meaningful.post("/v1/memory/batch", params={"wait": "index"}, json={"memories": [KEY]})
    assert batch.json()["indexed"] is True


async def test_without_an_embedder_a_write_that_waits_says_it_is_not_indexed(owner):
    answer = await owner.post("/v1/memory", params={"wait": "index"}, json=KEY)
    assert (answer.status_code, answer.json()["indexed"]) == (201, False)
    assert error_of(await owner.post("/v1/memory", params={"wait": "ever"}, json=KEY), 400)["field"] == "wait"
