"""What a principal may not hear is told by no door, and is at every door as if it were not there."""

from __future__ import annotations

import pytest

from csbond.api.access import ROUTES
from csbond.api.memory_access import MEMORY
from csbond.protocol.trust.access import Access
from csbond_tests.memories import tell
from csbond_tests.requirements import requirement

OPEN, OWN, HIDDEN, GONE, NOBODY = (f"mem_1_{name}" for name in ("open", "own", "hidden", "gone", "nobody"))
THREAD, NO_THREAD = "t-hidden", "t-nobody"

TELLING = {
    "list": ("GET", "/v1/memory", None),
    "list by words": ("GET", "/v1/memory?text=tea", None),
    "list by what is linked": ("GET", f"/v1/memory?link_target={OPEN}", None),
    "list by the thread": ("GET", f"/v1/memory?thread={THREAD}", None),
    "search": ("POST", "/v1/memory/search", {"query": "tea murmur"}),
    "search by what is linked": ("POST", "/v1/memory/search", {"query": "tea", "link_target": OPEN}),
    "search by the thread": ("POST", "/v1/memory/search", {"query": "murmur", "thread": THREAD}),
    "get": ("GET", f"/v1/memory/{OPEN}", None),
    "get a piece": ("GET", "/v1/memory/{piece}", None),
    "get with its outlook": ("GET", f"/v1/memory/{OPEN}?outlook=true", None),
    "versions": ("GET", f"/v1/memory/{OPEN}/versions", None),
    "versions of a piece": ("GET", "/v1/memory/{piece}/versions", None),
    "link": ("POST", "/v1/memory/link", {"source_id": OWN, "target_id": OPEN}),
    "links": ("PATCH", f"/v1/memory/{OWN}/link", {"target_id": OPEN}),
    "edit": ("PUT", f"/v1/memory/{OWN}", {"content": "The cup of tea."}),
    "promote": ("PATCH", f"/v1/memory/{OWN}/promote", {}),
    "demote": ("PATCH", f"/v1/memory/{OWN}/demote", {}),
    "write": ("POST", "/v1/memory", {"content": "The cup stands in the cellar."}),
    "batch": ("POST", "/v1/memory/batch", {"memories": [{"content": "Open tea.", "visibility": "public"}]}),
}
"""Every door that answers with memories."""

NAMING = {
    "get": ("GET", "/v1/memory/{id}", None),
    "get with its outlook": ("GET", "/v1/memory/{id}?outlook=true", None),
    "versions": ("GET", "/v1/memory/{id}/versions", None),
    "promote": ("PATCH", "/v1/memory/{id}/promote", {}),
    "demote": ("PATCH", "/v1/memory/{id}/demote", {"to": "cold"}),
    "edit": ("PUT", "/v1/memory/{id}", {"content": "Mine."}),
    "delete": ("DELETE", "/v1/memory/{id}", None),
    "restore": ("PATCH", "/v1/memory/{id}/restore", None),
    "change its links": ("PATCH", "/v1/memory/{id}/link", {"target_id": OPEN}),
    "link from it": ("POST", "/v1/memory/link", {"source_id": "{id}", "target_id": OPEN}),
    "link to it": ("POST", "/v1/memory/link", {"source_id": OWN, "target_id": "{id}"}),
    "add a link to it": ("PATCH", f"/v1/memory/{OWN}/link", {"add": [{"target_id": "{id}"}]}),
    "remove a link to it": ("PATCH", f"/v1/memory/{OWN}/link", {"remove": [{"target_id": "{id}"}]}),
    "edit links to it": ("PUT", f"/v1/memory/{OWN}", {"links": [{"target_id": "{id}"}]}),
    "write with a link to it": ("POST", "/v1/memory", {"content": "Mine.", "links": [{"target_id": "{id}"}]}),
    "batch with a link to it": ("POST", "/v1/memory/batch", {"memories": [{"content": "Mine.", "links": ["{id}"]}]}),
    "list what links to it": ("GET", "/v1/memory?link_target={id}", None),
    "search what links to it": ("POST", "/v1/memory/search", {"query": "tea", "link_target": "{id}"}),
    "list its thread": ("GET", "/v1/memory?thread={thread}", None),
    "search its thread": ("POST", "/v1/memory/search", {"query": "murmur", "thread": "{thread}"}),
    "list its project": ("GET", "/v1/memory?project=thread:{thread}", None),
    "search its project": ("POST", "/v1/memory/search", {"query": "murmur", "project": "thread:{thread}"}),
}
"""Every door that a memory can be named at, and where it comes from."""


@pytest.fixture
async def pieces(world, owner, editor):
    """The pieces of a text of which the second alone is public, in a home with memories that are not for everybody."""
    memories = [
        {"id": HIDDEN, "content": "The key is in the cellar."},
        {"id": GONE, "content": "Gone tea.", "visibility": "public"},
        {"id": OPEN, "content": "Open tea, call 555.", "visibility": "public"},
    ]
    links = [{"target_id": HIDDEN, "note": "rust"}, {"target_id": GONE, "relation": "causes"}]
    for memory in memories:
        assert (await owner.post("/v1/memory", json=memory)).status_code == 201
    assert (await editor.post("/v1/memory", json={"id": OWN, "content": "Own tea."})).status_code == 201
    for id_, edit in (
        (OPEN, {"content": "Open tea.", "links": links}),
        (HIDDEN, {"links": [{"target_id": OPEN, "relation": "causes"}]}),
        (OWN, {"links": links[:1]}),
    ):
        assert (await owner.put(f"/v1/memory/{id_}", json=edit)).status_code == 200
    told = await tell(world, "".join(f"Murmur {number} of the tea. " for number in range(300)), thread=THREAD)
    assert len(told) > 3
    assert (await owner.put(f"/v1/memory/{told[1].id}", json={"visibility": "public"})).status_code == 200
    assert (await owner.delete(f"/v1/memory/{GONE}")).status_code == 200
    return told


async def asked(client, door, names):
    """The answer of a door to a caller, with the names filled in."""

    def filled(value):
        if isinstance(value, dict):
            return {name: filled(each) for name, each in value.items()}
        if isinstance(value, list):
            return [filled(each) for each in value]
        for name, each in names.items():
            value = value.replace(f"{{{name}}}", each)
        return value

    method, path, body = door
    return await client.request(method, filled(path), json=None if body is None else filled(body))


@requirement("MEM-007-7.3-everywhere", "MEM-007-7.3-levels")
@pytest.mark.parametrize("role", ["viewer", "editor"])
@pytest.mark.parametrize("door", TELLING)
async def test_no_door_tells_what_the_caller_may_not_hear(pieces, owner, ann, editor, role, door):
    names = {"piece": pieces[1].id}
    answer = await asked(ann if role == "viewer" else editor, TELLING[door], names)
    untold = [HIDDEN, GONE, "555", "rust", "key", THREAD, "m-", '"owner"', "Murmur 0 ", "Murmur 299 "]
    untold += [piece.id for piece in pieces if piece is not pieces[1]]
    assert [each for each in untold if each in answer.text] == []
    whole = await asked(owner, TELLING[door], names)
    assert whole.status_code < 400, "the owner is told"


@requirement("MEM-007-7.3-everywhere", "MEM-003-3.1-principals")
@pytest.mark.parametrize("role", ["viewer", "editor"])
@pytest.mark.parametrize("door", NAMING)
async def test_what_a_caller_may_not_hear_is_as_if_it_were_not_there(pieces, ann, editor, role, door):
    client = ann if role == "viewer" else editor
    nobody = await asked(client, NAMING[door], {"id": NOBODY, "thread": NO_THREAD})
    for id_ in (HIDDEN, GONE, pieces[0].id):
        answer = await asked(client, NAMING[door], {"id": id_, "thread": THREAD})
        said = answer.text.replace(id_, NOBODY).replace(THREAD, NO_THREAD)
        assert (answer.status_code, said) == (nobody.status_code, nobody.text)
        assert answer.headers.get("etag") == nobody.headers.get("etag")


OF_THE_OWNER = {
    "hard": ("DELETE", "/v1/memory/{id}/hard", None),
    "forget": ("POST", "/v1/memory/forget", {"filter": {"link_target": "{id}"}}),
    "rules": ("GET", "/v1/memory/forgetting", None),
    "set rules": ("PUT", "/v1/memory/forgetting", {"human_only": "{id}"}),
    "preview": ("POST", "/v1/memory/forgetting/preview", {}),
    "apply": ("POST", "/v1/memory/forgetting/apply", {"plan": "{id}"}),
    "tend": ("POST", "/v1/memory/tend", {}),
    "reviews": ("GET", "/v1/memory/reviews", None),
    "decide": ("POST", "/v1/memory/reviews/{id}", {"verdict": "approved"}),
    "archive": ("GET", "/v1/memory/archive", None),
    "archived": ("GET", "/v1/memory/archive/{id}", None),
    "embed anew": ("POST", "/v1/memory/reindex", {}),
    "snapshot": ("POST", "/v1/memory/snapshot", {"link_target": "{id}"}),
    "snapshots": ("GET", "/v1/memory/snapshots", None),
    "shown snapshot": ("GET", "/v1/memory/snapshot/{id}", None),
    "dropped snapshot": ("DELETE", "/v1/memory/snapshot/{id}", None),
    "verify": ("POST", "/v1/memory/snapshot/verify", {}),
    "load": ("POST", "/v1/memory/snapshot/load", {"task_id": "{id}"}),
    "loads": ("GET", "/v1/memory/snapshot-log", None),
    "export": ("POST", "/v1/memory/export", {"link_target": "{id}"}),
    "import": ("POST", "/v1/memory/import", {"id": "{id}"}),
    "maps": ("GET", "/v1/memory/vector-maps", None),
    "fit": ("POST", "/v1/memory/vector-maps", {"fingerprint": "{id}"}),
}
"""Every door of memory that is the owner's alone."""


def test_every_door_of_the_owner_is_tried_here():
    rows = {(row.method, row.path) for row in ROUTES if row.tag == MEMORY and row.access is Access.OWNER}
    assert rows == {(method, path) for method, path, _ in OF_THE_OWNER.values()}


@requirement("MEM-007-7.3-everywhere", "MEM-003-3.1-owner")
@pytest.mark.parametrize("role", ["viewer", "editor"])
@pytest.mark.parametrize("door", OF_THE_OWNER)
async def test_a_door_of_the_owner_tells_nobody_else_whether_a_memory_is_there(pieces, ann, editor, ledger, role, door):
    client, commits = ann if role == "viewer" else editor, len(ledger.changes)
    answers = [await asked(client, OF_THE_OWNER[door], {"id": id_}) for id_ in (HIDDEN, GONE, OPEN, OWN, NOBODY)]
    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.text for answer in answers}) == 1
    assert len(ledger.changes) == commits


@requirement("MEM-007-7.3-everywhere")
async def test_what_is_told_of_a_text_is_the_pieces_that_are(pieces, owner, ann):
    place = f"/v1/memory/{pieces[1].id}"
    told = (await ann.get(place)).json()
    assert told["content"] == pieces[1].content
    assert told.get("text", told["content"]) == pieces[1].content
    assert (await owner.get(place)).json()["text"] == "".join(piece.content for piece in pieces)
