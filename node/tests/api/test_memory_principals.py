"""What a named principal may read and write of memory, at every route."""

from __future__ import annotations

import pytest

from csbond.api.access import ROUTES
from csbond.api.memory_access import MEMORY
from csbond.protocol.messages.caller import Role
from csbond.protocol.trust.access import Access
from csbond_tests.requirements import requirement

OWN = "mem_1_own"
"""An entry that the editor wrote."""
OTHER = "mem_1_other"
"""A public one of the owner."""

WRITES = [
    ("POST", "/v1/memory", {"content": "Mine."}),
    ("POST", "/v1/memory/batch", {"memories": [{"content": "Mine, too."}]}),
    ("POST", "/v1/memory/link", {"source_id": OWN, "target_id": OTHER, "relation": "relates_to"}),
    ("PUT", f"/v1/memory/{OWN}", {"content": "Changed."}),
    ("DELETE", f"/v1/memory/{OWN}", None),
    ("PATCH", f"/v1/memory/{OWN}/restore", None),
    ("PATCH", f"/v1/memory/{OWN}/link", {"target_id": OTHER}),
    ("PATCH", f"/v1/memory/{OWN}/promote", {}),
    ("PATCH", f"/v1/memory/{OWN}/demote", {"to": "cold"}),
]
READS = [
    ("GET", "/v1/memory", None),
    ("GET", f"/v1/memory/{OTHER}", None),
    ("GET", f"/v1/memory/{OWN}/versions", None),
    ("POST", "/v1/memory/search", {"query": "tea"}),
    ("GET", "/v1/memory/stats", None),
    ("GET", "/v1/memory/network", None),
    ("GET", f"/v1/memory/network/{OTHER}", None),
]


@pytest.fixture
async def kept(owner, editor):
    """The owner's memories of each visibility, and one of the editor's."""
    for visibility in ("public", "trusted", "private"):
        body = {"content": f"{visibility} tea", "visibility": visibility, "id": f"mem_1_{visibility}"}
        assert (await owner.post("/v1/memory", json=body)).status_code == 201
    await owner.post("/v1/memory", json={"content": "Other tea.", "id": OTHER, "visibility": "public"})
    assert (await editor.post("/v1/memory", json={"content": "Own tea.", "id": OWN})).status_code == 201


async def told(client):
    listed = (await client.get("/v1/memory")).json()
    found = (await client.post("/v1/memory/search", json={"query": "tea"})).json()
    ids = {entry["id"] for entry in listed["memories"]}
    assert ids == {entry["id"] for entry in found["results"]}
    assert (listed["total"], found["total"]) == (len(ids), len(ids))
    return ids


def test_every_route_of_memory_that_is_not_the_owners_is_tried_here_and_says_its_role():
    def shape(path):
        return path.replace(OWN, "{id}").replace(OTHER, "{id}")

    rows = {(row.method, row.path): row.role for row in ROUTES if row.tag == MEMORY and row.access is Access.PRINCIPAL}
    tried = {(method, shape(path)): Role.EDITOR for method, path, _ in WRITES}
    tried |= {(method, shape(path)): Role.VIEWER for method, path, _ in READS}
    assert rows == tried


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("method, path, body", [*WRITES, *READS])
async def test_an_editor_writes_what_is_its_own_and_reads(kept, editor, method, path, body):
    assert (await editor.request(method, path, json=body)).status_code in (200, 201)


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("method, path, body", [*WRITES, *READS])
async def test_a_viewer_reads_and_writes_nothing(kept, ann, ledger, method, path, body):
    commits = len(ledger.changes)
    body = {**body, "source_id": OTHER, "target_id": "mem_1_public"} if path == "/v1/memory/link" else body
    answer = await ann.request(method, path.replace(OWN, OTHER), json=body)
    if (method, path) in [each[:2] for each in READS]:
        assert answer.status_code == (404 if path.endswith("/versions") else 200)
        return
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden"
    assert answer.json()["error"]["next_step"]
    assert len(ledger.changes) == commits


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("method, path, body", [*WRITES, *READS])
async def test_a_principal_of_another_space_neither_reads_nor_writes(kept, elsewhere_only, method, path, body):
    body = {**body, "source_id": OTHER} if path == "/v1/memory/link" else body
    answer = await elsewhere_only.request(method, path.replace(OWN, OTHER), json=body)
    assert answer.status_code == 403, answer.text


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize(
    "method, path, body", [each for each in [*WRITES, *READS] if OWN in each[1] or OTHER in each[1]]
)
async def test_a_principal_of_another_space_does_not_learn_which_memories_are_there(
    kept, elsewhere_only, method, path, body
):
    ids = (OTHER, "mem_1_private", "mem_1_never")
    refusals = []
    for each in ids:
        answer = await elsewhere_only.request(method, path.replace(OWN, each).replace(OTHER, each), json=body)
        refusals.append((answer.status_code, {**answer.json()["error"], "id": ""}))
    assert refusals[0][0] == 403
    assert refusals == [refusals[0]] * 3


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("method, path, body", [each for each in WRITES if OWN in str(each)])
async def test_an_editor_changes_nothing_of_the_owner(kept, editor, method, path, body):
    body = {**body, "source_id": OTHER, "target_id": OWN} if path == "/v1/memory/link" else body
    answer = await editor.request(method, path.replace(OWN, OTHER), json=body)
    assert answer.status_code == 403, answer.text
    body = {**body, "source_id": "mem_1_private"} if path == "/v1/memory/link" else body
    missing = await editor.request(method, path.replace(OWN, "mem_1_private"), json=body)
    assert missing.status_code == 404, "what it may not hear is not there"


@requirement("MEM-007-7.3-everywhere", "MEM-007-7.3-levels")
async def test_each_caller_is_told_what_it_may_hear(kept, owner, ann, editor):
    open_ones = {"mem_1_public", "mem_1_trusted", OTHER}
    assert await told(ann) == open_ones
    assert await told(editor) == {*open_ones, OWN}
    assert await told(owner) == {*open_ones, OWN, "mem_1_private"}
    for place in ("mem_1_private", OWN):
        for path in ("", "/versions"):
            assert (await ann.get(f"/v1/memory/{place}{path}")).status_code == 404


@requirement("MEM-003-3.1-principals")
async def test_what_a_memory_was_before_is_told_to_the_owner_and_who_told_it(kept, owner, ann, editor):
    await owner.put(f"/v1/memory/{OTHER}", json={"content": "Changed tea."})
    await editor.put(f"/v1/memory/{OWN}", json={"content": "Changed tea.", "visibility": "public"})
    for place, tellers in ((OTHER, (owner,)), (OWN, (owner, editor))):
        missing = (await ann.get("/v1/memory/mem_1_private/versions")).json()["error"]
        for client in (owner, editor, ann):
            answer = await client.get(f"/v1/memory/{place}/versions")
            assert answer.status_code == (200 if client in tellers else 404)
            if client in tellers:
                assert answer.json()["total"] == len(answer.json()["versions"]) == 1
            else:
                assert answer.json()["error"] == {
                    **missing,
                    "reason": missing["reason"].replace("mem_1_private", place),
                }


@requirement("MEM-007-7.3-everywhere")
async def test_where_a_memory_comes_from_is_told_to_the_owner_and_who_told_it(kept, owner, ann, editor):
    await editor.put(f"/v1/memory/{OWN}", json={"visibility": "public"})
    for client, origin in ((owner, "principal:bo"), (editor, "principal:bo"), (ann, None)):
        listed = (await client.get("/v1/memory", params={"text": "own"})).json()["memories"]
        found = (await client.post("/v1/memory/search", json={"query": "own"})).json()["results"]
        alone = (await client.get(f"/v1/memory/{OWN}")).json()
        for entry in (*listed, *found, alone):
            assert (entry["id"], entry.get("origin", {}).get("caller")) == (OWN, origin)


@requirement("MEM-007-7.3-everywhere")
async def test_links_tell_nobody_of_what_it_may_not_hear(kept, owner, ann, editor):
    for target in ("mem_1_private", "mem_1_trusted"):
        await owner.post("/v1/memory/link", json={"source_id": "mem_1_public", "target_id": target})
    assert len((await owner.get("/v1/memory/mem_1_public")).json()["links"]) == 2
    only = [{"target_id": "mem_1_trusted", "relation": "relates_to", "weight": 1.0}]
    assert (await ann.get("/v1/memory/mem_1_public")).json()["links"] == only
    page = (await ann.get("/v1/memory", params={"link_target": "mem_1_private"})).json()
    assert (page["memories"], page["total"]) == ([], 0)
    answer = await editor.post("/v1/memory/link", json={"source_id": OWN, "target_id": "mem_1_private"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (404, "target_id")


@requirement("MEM-003-3.1-principals")
async def test_the_deleted_ones_are_listed_for_the_owner_alone(kept, owner, editor):
    await editor.delete(f"/v1/memory/{OWN}")
    listed = (await owner.get("/v1/memory", params={"deleted": "true"})).json()
    assert [entry["id"] for entry in listed["memories"]] == [OWN]
    assert listed["memories"][0]["metadata"]["deleted"] is True
    answer = await editor.get("/v1/memory", params={"deleted": "true"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


async def test_the_same_words_of_another_caller_are_another_memory(kept, owner, editor):
    body = {"content": "Other tea.", "visibility": "public"}
    assert (await owner.post("/v1/memory", json=body)).json()["id"] == OTHER
    mine = await editor.post("/v1/memory", json=body)
    assert (mine.status_code, mine.json()["origin"]["caller"]) == (201, "principal:bo")
