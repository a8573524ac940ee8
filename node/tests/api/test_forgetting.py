"""Rules of forgetting are read, set, tried out and applied, over REST (MEM-005 §5.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.level_names import level_names
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW

RULES = "/v1/memory/forgetting"
PREVIEW, APPLY = f"{RULES}/preview", f"{RULES}/apply"
OF_THE_SOURCE = {
    "selective_forgetting": {
        "enabled": True,
        "rules": [
            {
                "name": "临时对话遗忘",
                "match": {"type": "event", "source": "session", "age_hours": 24},
                "action": "soft_delete",
                "priority": "low",
            },
            {
                "name": "失败记录保留",
                "match": {"type": "lesson", "tags": ["failure"]},
                "action": "protect",
                "priority": "high",
            },
        ],
        "default_action": "ttl_evict",
        "protected_tags": ["identity", "milestone"],
    }
}
"""The source's own (MEM-005 §5.3)."""
LAMPS = {"name": "lamps", "match": {"tags": ["lamp"]}, "action": "soft_delete"}
KEYS = {"name": "keys", "match": {"tags": ["key"]}, "action": "archive"}


def with_rule(**changes):
    """A document whose second rule is changed."""
    rule = {"name": "second", "match": {"type": "todo"}, "action": "archive", **changes}
    return {"selective_forgetting": {"rules": [LAMPS, {name: value for name, value in rule.items() if value != ...}]}}


async def set_(client, *rules, **parts):
    answer = await client.put(RULES, json={"rules": list(rules), **parts})
    assert answer.status_code == 200, answer.text


@pytest.fixture
async def several(owner):
    for number in range(3):
        for name in ("lamp", "key"):
            body = {"content": f"{name} {number}", "tags": [name], "timestamp": NOW - number, "level": "hot"}
            assert (await owner.post("/v1/memory", json=body)).status_code == 201


async def contents(client):
    return {entry["content"] for entry in (await client.get("/v1/memory")).json()["memories"]}


@requirement("MEM-005-5.3-whole-document")
async def test_before_any_are_set_the_preset_document_is_told_as_version_0(owner):
    answer = await owner.get(RULES)
    assert (answer.status_code, answer.headers["etag"]) == (200, '"0"')
    inside = answer.json()["selective_forgetting"]
    assert (inside["enabled"], inside["rules"], inside["default_action"]) == (True, [], "ttl_evict")
    assert (inside["protected_tags"], inside["human_only"]) == (["identity", "milestone"], False)


@requirement("MEM-005-5.3-whole-document")
async def test_the_document_of_the_source_is_set_and_told_and_can_be_sent_back(owner, ledger):
    answer = await owner.put(RULES, json=OF_THE_SOURCE)
    assert (answer.status_code, answer.headers["etag"]) == (200, '"1"')
    inside = {**OF_THE_SOURCE["selective_forgetting"], "human_only": False}
    assert answer.json() == {"selective_forgetting": inside}
    told = await owner.get(RULES)
    assert (told.json(), told.headers["etag"]) == (answer.json(), '"1"')
    commits = len(ledger.changes)
    again = await owner.put(RULES, json=told.json())
    assert (again.json(), again.headers["etag"], len(ledger.changes)) == (told.json(), '"1"', commits)


async def test_the_inside_alone_and_human_only_beside_it_are_taken(owner):
    assert (await owner.put(RULES, json={"human_only": True})).json()["selective_forgetting"]["human_only"] is True
    beside = await owner.put(RULES, json={"selective_forgetting": {"enabled": False}, "human_only": True})
    inside = beside.json()["selective_forgetting"]
    assert (inside["enabled"], inside["human_only"], beside.headers["etag"]) == (False, True, '"2"')


async def test_rules_that_are_known_are_not_told_again(owner):
    await set_(owner, LAMPS)
    assert (await owner.get(RULES, headers={"If-None-Match": '"0"'})).status_code == 200
    known = await owner.get(RULES, headers={"If-None-Match": '"1"'})
    assert (known.status_code, known.content, known.headers["etag"]) == (304, b"", '"1"')


@requirement("MEM-005-5.3-whole-document")
async def test_rules_are_set_only_in_place_of_the_version_that_if_match_names(owner):
    for version in ("0", "1"):
        set_now = await owner.put(RULES, json={"human_only": version == "0"}, headers={"If-Match": f'"{version}"'})
        assert (set_now.status_code, set_now.headers["etag"]) == (200, f'"{int(version) + 1}"')
    stale = await owner.put(RULES, json={"rules": [LAMPS]}, headers={"If-Match": '"1"'})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "version_conflict")
    garbage = await owner.put(RULES, json={"rules": [LAMPS]}, headers={"If-Match": '"one"'})
    assert (garbage.status_code, garbage.json()["error"]["field"]) == (400, "If-Match")
    assert (await owner.get(RULES)).json()["selective_forgetting"]["rules"] == []
    any_version = await owner.put(RULES, json={"rules": [LAMPS]}, headers={"If-Match": "*"})
    assert (any_version.status_code, any_version.headers["etag"]) == (200, '"3"')


BAD = [
    ([], "selective_forgetting"),
    ({"selective_forgetting": []}, "selective_forgetting"),
    ({"selective_forgetting": {}, "note": "x"}, "selective_forgetting"),
    ({"selective_forgetting": {"human_only": True}, "human_only": True}, "human_only"),
    ({"human_only": 1}, "selective_forgetting.human_only"),
    ({"enabled": "yes"}, "selective_forgetting.enabled"),
    ({"retention": 3}, "selective_forgetting.retention"),
    ({"default_action": "soft_delete"}, "selective_forgetting.default_action"),
    ({"default_action": "archive"}, "selective_forgetting.default_action"),
    ({"protected_tags": "identity"}, "selective_forgetting.protected_tags"),
    ({"protected_tags": ["x" * 33]}, "selective_forgetting.protected_tags[0]"),
    ({"rules": {}}, "selective_forgetting.rules"),
    ({"rules": [{**LAMPS, "name": f"r{number}"} for number in range(201)]}, "selective_forgetting.rules"),
    (with_rule(match={}), "selective_forgetting.rules[1].match"),
    (with_rule(match=...), "selective_forgetting.rules[1].match"),
    (with_rule(match=[]), "selective_forgetting.rules[1].match"),
    (with_rule(match={"age_hours": 0}), "selective_forgetting.rules[1].match"),
    (with_rule(match={"age_hours": -1}), "selective_forgetting.rules[1].match.age_hours"),
    (with_rule(match={"age_hours": "24"}), "selective_forgetting.rules[1].match.age_hours"),
    (with_rule(match={"age_hours": 1e300}), "selective_forgetting.rules[1].match.age_hours"),
    (with_rule(match={"type": "song"}), "selective_forgetting.rules[1].match.type"),
    (with_rule(match={"source": "radio"}), "selective_forgetting.rules[1].match.source"),
    (with_rule(match={"tags": []}), "selective_forgetting.rules[1].match.tags"),
    (with_rule(match={"tags": ["\u200b"]}), "selective_forgetting.rules[1].match.tags[0]"),
    (with_rule(match={"content": "x"}), "selective_forgetting.rules[1].match.content"),
    (with_rule(action="hard_delete"), "selective_forgetting.rules[1].action"),
    (with_rule(action=...), "selective_forgetting.rules[1].action"),
    (with_rule(priority="urgent"), "selective_forgetting.rules[1].priority"),
    (with_rule(name="lamps"), "selective_forgetting.rules[1].name"),
    (with_rule(name=""), "selective_forgetting.rules[1].name"),
    (with_rule(name="default_action"), "selective_forgetting.rules[1].name"),
    (with_rule(name=...), "selective_forgetting.rules[1].name"),
    (with_rule(when="always"), "selective_forgetting.rules[1].when"),
]


@requirement("MEM-005-5.3-whole-document", "MEM-005-5.3-default")
@pytest.mark.parametrize("document, field", BAD)
async def test_a_document_that_is_not_understood_is_refused_by_its_place(owner, ledger, document, field):
    await set_(owner, KEYS)
    commits = len(ledger.changes)
    for answer in (await owner.put(RULES, json=document), await owner.post(PREVIEW, json={"document": document})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_params"), answer.text
        assert answer.json()["error"]["field"] == field
    assert len(ledger.changes) == commits
    assert (await owner.get(RULES)).headers["etag"] == '"1"'


@requirement("MEM-005-5.3-dry-run")
async def test_what_is_applied_is_what_was_listed(owner, several, ledger):
    await set_(owner, LAMPS, KEYS)
    commits = len(ledger.changes)
    listed = (await owner.post(PREVIEW)).json()
    assert len(ledger.changes) == commits
    assert (listed["total"], listed["next_cursor"]) == (6, "")
    assert {
        (move["action"], move["rule_name"], move["previousLevel"], move["newLevel"]) for move in listed["planned"]
    } == {("delete", "lamps", "hot", "deleted"), ("archive", "keys", "hot", "cold")}
    did = (await owner.post(APPLY, json={"plan": listed["plan"]})).json()
    assert (did["steps"], did["dry_run"], did["left_off"], did["reviews"]) == ({"rules": 6}, False, 0, [])
    parts = ("memoryId", "action", "rule_name", "previousLevel", "newLevel")
    done = [{part: move[part] for part in parts} for move in did["moves"]]
    assert sorted(done, key=str) == sorted(
        ({part: move[part] for part in parts} for move in listed["planned"]), key=str
    )
    assert await contents(owner) == {"key 0", "key 1", "key 2"}


@requirement("MEM-005-5.3-dry-run")
async def test_a_plan_is_listed_page_by_page_under_one_name(owner, several):
    await set_(owner, LAMPS)
    first = (await owner.post(PREVIEW, json={"limit": 2})).json()
    rest = (await owner.post(PREVIEW, json={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert (len(first["planned"]), len(rest["planned"]), rest["next_cursor"]) == (2, 1, "")
    assert first["plan"] == rest["plan"]
    assert len({move["memoryId"] for page in (first, rest) for move in page["planned"]}) == 3


@requirement("MEM-005-5.3-dry-run")
async def test_another_document_and_single_rules_can_be_tried_out(owner, several):
    document = {"selective_forgetting": {"rules": [LAMPS, KEYS]}}
    assert (await owner.post(PREVIEW)).json()["planned"] == []
    some = (await owner.post(PREVIEW, json={"document": document, "rules": ["keys"]})).json()
    assert {move["rule_name"] for move in some["planned"]} == {"keys"}
    not_yet = await owner.post(APPLY, json={"plan": some["plan"]})
    assert not_yet.status_code in (400, 409), "they are not in force"
    await set_(owner, LAMPS, KEYS)
    assert (await owner.post(APPLY, json={"plan": some["plan"]})).json()["steps"] == {"rules": 3}
    assert len(await contents(owner)) == 6, "the other rule was not part of the plan"


async def test_rules_can_be_tried_out_as_of_another_time(owner, several):
    old = {"name": "old", "match": {"age_hours": 24}, "action": "archive"}
    await set_(owner, old)
    assert (await owner.post(PREVIEW)).json()["total"] == 0
    ahead = (await owner.post(PREVIEW, json={"as_of": NOW + 25 * 3_600_000})).json()
    assert ahead["total"] == 6


@requirement("MEM-005-5.3-dry-run")
async def test_a_plan_is_not_applied_when_a_memory_has_changed_since(owner, several):
    await set_(owner, LAMPS)
    listed = (await owner.post(PREVIEW)).json()
    await owner.put(f"/v1/memory/{listed['planned'][0]['memoryId']}", json={"content": "lamp of Ann"})
    answer = await owner.post(APPLY, json={"plan": listed["plan"]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "version_conflict")
    assert len(await contents(owner)) == 6


@pytest.mark.parametrize(
    "path, body, field",
    [
        (PREVIEW, {"rules": ["nobody"]}, "rules[0]"),
        (PREVIEW, {"rules": "lamps"}, "rules"),
        (PREVIEW, {"rules": [7]}, "rules"),
        (PREVIEW, {"as_of": -1}, "as_of"),
        (PREVIEW, {"as_of": 10**15}, "as_of"),
        (PREVIEW, {"limit": 0}, "limit"),
        (PREVIEW, {"limit": True}, "limit"),
        (PREVIEW, {"cursor": "x"}, "cursor"),
        (PREVIEW, {"document": None}, "selective_forgetting"),
        (PREVIEW, {"dry_run": False}, "dry_run"),
        (APPLY, {}, "plan"),
        (APPLY, {"plan": 7}, "plan"),
        (APPLY, {"plan": "tea"}, "plan"),
        (APPLY, {"plan": "all:x", "force": True}, "force"),
    ],
)
async def test_a_trial_that_is_not_understood_is_refused_by_its_field(owner, several, ledger, path, body, field):
    commits = len(ledger.changes)
    answer = await owner.post(path, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_params"), answer.text
    assert answer.json()["error"]["field"] == field
    assert len(ledger.changes) == commits


@requirement("MEM-001-1.2-every-door")
async def test_a_plan_shows_the_names_of_the_home(served, owner, several, owner_of):
    await set_(owner, KEYS)
    names = level_names({"hot": "此刻", "cold": "往昔"})
    async with owner_of(replace(served, names=names)) as client:
        listed = (await client.post(PREVIEW)).json()["planned"]
    assert {(move["previousLevel"], move["newLevel"]) for move in listed} == {("此刻", "往昔")}
