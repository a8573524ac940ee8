"""What is answered where a memory was there already."""

from __future__ import annotations

from csbond_tests.requirements import requirement

TEXT = {"content": "The key is under the mat."}


@requirement("MEM-003-3.1-keys-everywhere", "MEM-005-report-04-twice-the-same")
async def test_a_repeat_of_a_merge_is_answered_as_the_first_time(owner):
    created = await owner.post("/v1/memory", json=TEXT, headers={"Idempotency-Key": "a"})
    assert (created.status_code, created.headers["location"]) == (201, f"/v1/memory/{created.json()['id']}")
    for key, status in (("b", 200), ("b", 200), ("a", 201)):
        answer = await owner.post("/v1/memory", json=TEXT, headers={"Idempotency-Key": key})
        assert (answer.status_code, answer.json().get("merged", False)) == (status, status == 200)
        assert ("location" in answer.headers) is (status == 201)
        assert answer.json()["id"] == created.json()["id"]


@requirement("MEM-003-3.1-keys-everywhere")
async def test_a_repeated_batch_counts_as_the_first_time(owner):
    body = {"memories": [TEXT, TEXT, {"content": "The mat is brown."}]}
    answers = [await owner.post("/v1/memory/batch", json=body, headers={"Idempotency-Key": "a"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert [answers[1].json()[name] for name in ("stored", "merged", "refused")] == [2, 1, 0]


@requirement("MEM-001-1.4.2-kept")
async def test_what_there_was_no_room_for_is_named_and_can_be_sent_back(owner):
    await owner.post("/v1/memory", json={**TEXT, "one": "x" * 40_000})
    merged = (await owner.post("/v1/memory", json={**TEXT, "two": "y" * 40_000, "three": 3})).json()
    assert (merged["merged"], merged["left_out"], merged["three"]) == (True, ["two"], 3)
    batch = await owner.post("/v1/memory/batch", json={"memories": [{**TEXT, "two": "y" * 40_000}]})
    assert batch.json()["results"][0]["left_out"] == ["two"]
    again = (await owner.put(f"/v1/memory/{merged['id']}", json=merged)).json()
    assert (again["metadata"]["version"], "left_out" in again) == (merged["metadata"]["version"], False)
