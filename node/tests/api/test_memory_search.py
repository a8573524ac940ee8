from __future__ import annotations

import pytest

from csbond.api.memory_search import search_request
from csbond.protocol.memory.level_names import LevelNames
from csbond_tests.requirements import requirement


async def remembered(client, *contents, **fields):
    for content in contents:
        await client.post("/v1/memory", json={"content": content, **fields})


async def searched(client, **body):
    answer = await client.post("/v1/memory/search", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@requirement("MEM-003-3.1-search")
async def test_a_search_takes_query_tier_limit_and_threshold(owner):
    await remembered(owner, "The key is under the mat.", "钥匙 key", level="hot")
    await remembered(owner, "The old key is gone.", level="cold", type="lesson", tags=["old"], source="system")
    found = await searched(owner, query="key", level="hot", limit=10, threshold=0)
    assert {result["content"] for result in found["results"]} == {"The key is under the mat.", "钥匙 key"}
    assert all(0 <= result["score"] <= 1 for result in found["results"])
    assert (found["query"], found["total"]) == ("key", 2)
    assert len((await searched(owner, query="key", limit=1))["results"]) == 1
    best = found["results"][0]["score"]
    assert (await searched(owner, query="key", level="hot", threshold=best - 1e-6))["results"][0]["score"] == best
    assert (await searched(owner, query="key", threshold=1))["results"] == []
    for narrowed in ({"type": "lesson"}, {"tag": "old"}, {"source": "system"}):
        assert [each["level"] for each in (await searched(owner, query="key", **narrowed))["results"]] == ["cold"]


@requirement("MEM-002-2.2-words")
async def test_a_node_without_an_embedder_says_so(owner):
    found = await searched(owner, query="key")
    assert (found["semantic"], found["semantic_through"]) == (False, 0)
    assert "no sentence embedder" in found["reason"]


@pytest.mark.parametrize(
    "body, field",
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": 7}, "query"),
        ({"query": "x" * 4097}, "query"),
        ({"query": "a\x00b"}, "query"),
        ({"query": "x", "level": "tepid"}, "level"),
        ({"query": "x", "level": 7}, "level"),
        ({"query": "x", "type": "song"}, "type"),
        ({"query": "x", "tag": ["a"]}, "tag"),
        ({"query": "x", "source": ["user"]}, "source"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 101}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "limit": "10"}, "limit"),
        ({"query": "x", "threshold": 1.1}, "threshold"),
        ({"query": "x", "threshold": "high"}, "threshold"),
        ({"query": "x", "explain": 1}, "explain"),
        ({"query": "x", "explain": "yes"}, "explain"),
    ],
)
async def test_a_search_that_cannot_be_understood_names_the_field(owner, body, field):
    answer = await owner.post("/v1/memory/search", json=body)
    assert answer.status_code == 400
    assert (answer.json()["error"]["code"], answer.json()["error"]["field"]) == ("invalid_params", field)


@requirement("MEM-002-2.2-explained")
async def test_a_search_says_why_it_found_what_it_found_when_it_is_asked(owner):
    await remembered(owner, "The key is under the mat.")
    (found,) = (await searched(owner, query="where is the rusty key?", explain=True))["results"]
    assert found["why"]["words"]["terms"] == [{"term": "key", "in": 1}]
    assert found["why"]["meaning"] is None
    assert found["why"]["score"] == found["score"]
    assert "why" not in (await searched(owner, query="key"))["results"][0]


@requirement("MEM-003-3.1-search-body")
async def test_a_search_takes_every_filter_of_a_list_and_no_more_than_100_results(owner):
    await remembered(owner, "The key of the shed.", metadata={"project": "Garden"})
    await remembered(owner, "The key of the car.")
    narrowed = await searched(
        owner, query="key", project="garden", since=0, until=2**53 - 1, text="shed", explain=False
    )
    assert [each["content"] for each in narrowed["results"]] == ["The key of the shed."]
    assert len((await searched(owner, query="key"))["results"]) == 2


@requirement("MEM-003-3.1-search-body")
def test_a_search_is_10_results_above_nothing_unexplained_when_it_names_only_a_query():
    wanted = search_request({"query": "key"}, LevelNames(), 0)
    assert (wanted.limit, wanted.threshold, wanted.explain) == (10, 0.0, False)
    whole = search_request(
        {"query": "key", "limit": 100, "threshold": 0.5, "explain": True, "tag": "x"}, LevelNames(), 0
    )
    assert (whole.limit, whole.threshold, whole.explain, whole.filter.tag) == (100, 0.5, True, "x")
