from __future__ import annotations

import re

import jsonschema
import pytest

from csbond.api.access import ROUTES
from csbond.api.reference import errors_markdown, routes_markdown
from csbond.protocol.errors import EXIT_STATUS, REGISTRY
from csbond.protocol.memory.filter import FILTERS
from csbond_tests.memories import tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW


@pytest.fixture
async def document(anybody):
    answer = await anybody.get("/openapi.json")
    assert answer.status_code == 200
    return answer.json()


def schema_of(document, name):
    """The validator of one of the document's schemas."""
    return jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", **document})


async def test_the_document_is_openapi_3_1_and_says_who_gets_in_and_what_repeating_does(document):
    assert document["openapi"].startswith("3.1")
    names = set()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["x-idempotency"], f"{method} {path}"
            assert operation["x-access"], f"{method} {path}"
            assert operation["summary"], f"{method} {path}"
            assert operation["responses"], f"{method} {path}"
            assert (operation["security"][0] == {}) == (operation["x-access"] == "public"), f"{method} {path}"
            names.add(operation["operationId"])
    assert len(names) == sum(len(operations) for operations in document["paths"].values()) == len(ROUTES)


@requirement("MEM-003-3.2-openapi")
async def test_every_operation_declares_the_bodies_of_its_answers_and_of_its_faults(document):
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            responses = operation["responses"]
            bare = {status for status, response in responses.items() if not response.get("content")}
            assert bare <= {"304"}, f"{method} {path}"
            assert "default" in responses, f"{method} {path}"


async def test_what_answers_with_several_good_statuses_declares_them_all(document):
    def good(path, method):
        return {status for status in document["paths"][path][method]["responses"] if status != "default"}

    assert good("/v1/memory", "post") == good("/v1/memory/link", "post") == {"200", "201"}
    assert good("/v1/memory/batch", "post") == {"201", "207"}
    assert good("/v1/memory/{id}", "get") == good("/v1/memory/forgetting", "get") == {"200", "304"}
    assert good("/.well-known/agent-card.json", "get") == {"200", "304"}


async def test_every_reference_and_tag_of_the_document_leads_somewhere(document):
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert all(name in schemas for name in _references(document))
    tags = {tag["name"] for tag in document["tags"]}
    assert {tag for methods in document["paths"].values() for each in methods.values() for tag in each["tags"]} == tags
    assert all("{" not in path or methods for path, methods in document["paths"].items())


def _references(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref":
                yield inner.removeprefix("#/components/schemas/")
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


async def test_what_the_routes_answer_is_what_the_document_says(document, owner, world):
    memory = {"content": "The key is under the mat.", "embedding": [0.1], "links": [{"target_id": "agent:bo"}]}
    whole = {
        "link_metadata": {"network_id": "net_xxx"},
        "business_context": {"scenario": "故障排查", "priority": 3},
        "fault_tolerance": {"compatibility": "v2"},
        "metadata": {"project": "tea"},
    }
    created = (await owner.post("/v1/memory", json={**memory, **whole})).json()
    await tell(world, "The key is gone. " * 200)
    place = f"/v1/memory/{created['id']}"
    answers = {
        "Memory": created,
        "MemoryPage": (await owner.get("/v1/memory")).json(),
        "MemoryLinked": (
            await owner.post("/v1/memory/link", json={"source_id": created["id"], "target_id": "agent:cy"})
        ).json(),
        "MemoryVersions": (await owner.get(f"{place}/versions")).json(),
        "MemoryRestored": (await owner.patch(f"{place}/restore")).json(),
        "MemorySearchResult": (await owner.post("/v1/memory/search", json={"query": "key"})).json(),
        "MemoryBatchResult": (await owner.post("/v1/memory/batch", json={"memories": [memory, {}]})).json(),
        "MemoryDeleted": (await owner.delete(place)).json(),
        "Error": (await owner.get(place)).json(),
        "ThreadPage": (await owner.get("/v1/continuity/threads")).json(),
        "Thread": (await owner.get("/v1/continuity/thread/t-1")).json(),
        "Speakers": (await owner.get("/v1/continuity/agent/Ann")).json(),
        "MessageSearchResult": (await owner.get("/v1/continuity/search?q=key")).json(),
        "PrincipalNamed": (await owner.post("/v1/principals", json={"name": "ann", "role": "viewer"})).json(),
        "Principals": (await owner.get("/v1/principals")).json(),
        "PrincipalRemoved": (await owner.delete("/v1/principals/ann")).json(),
        "Status": (await owner.get("/v1/status")).json(),
    }
    assert answers["MemoryVersions"]["versions"]
    for name, answer in answers.items():
        schema_of(document, name).validate(answer)


async def test_the_document_names_every_part_of_a_filter_and_the_form_of_an_id(document):
    listed = document["paths"]["/v1/memory"]["get"]["parameters"]
    assert {each["name"] for each in listed if each["in"] == "query"} == {*FILTERS, "limit", "cursor"}
    (id_,) = [each for each in document["paths"]["/v1/memory/{id}"]["get"]["parameters"] if each["in"] == "path"]
    assert re.fullmatch(id_["schema"]["pattern"], "mem_del_1_a")
    assert set(document["components"]["schemas"]["MemorySearch"]["properties"]) == {
        *(set(FILTERS) - {"deleted"}),
        "query",
        "limit",
        "threshold",
        "explain",
    }


@pytest.mark.parametrize(
    "change",
    [
        {"target_id": "agent:bo"},
        {"target_id": "agent:bo", "relation": "peer", "weight": 0.5},
        {"add": [{"target_id": "agent:bo"}]},
        {"remove": [{"target_id": "agent:bo"}]},
        {},
        {"add": 7},
        {"add": [{}]},
        {"remove": [{"target_id": "tea"}]},
        {"target_id": "agent:bo", "weight": 2},
        {"target_id": "agent:bo", "add": []},
        {"target_id": "agent:bo", "remove": [{"target_id": "agent:cy"}]},
        {"add": [{"target_id": "agent:bo"}], "remove": [{"target_id": "agent:cy"}]},
        {"source_id": 7, "target_id": "agent:bo", "note": "mine"},
    ],
)
async def test_a_change_of_links_is_taken_exactly_when_the_document_allows_it(document, owner, change):
    await owner.post("/v1/memory", json={"content": "tea", "id": "mem_1_a"})
    allowed = schema_of(document, "MemoryLinkChange").is_valid(change)
    assert ((await owner.patch("/v1/memory/mem_1_a/link", json=change)).status_code == 200) == allowed


@pytest.mark.parametrize(
    "memory",
    [
        {"content": "x"},
        {"content": "x", "type": "song"},
        {"content": ""},
        {"content": "x" * 2049},
        {"content": "x", "tags": ["y" * 33]},
        {"content": "x", "timestamp": NOW, "level": "hot", "id": "mem_1_a"},
        {"content": "x", "id": "note_1"},
        {"type": "lesson"},
    ],
)
async def test_a_strict_write_is_taken_exactly_when_the_document_allows_it(document, owner, memory):
    strict = {"fault_tolerance": {"strict_schema": True}, **memory}
    allowed = schema_of(document, "MemoryWrite").is_valid(strict)
    assert ((await owner.post("/v1/memory", json=strict)).status_code == 201) == allowed


def test_the_page_of_routes_names_every_route_once():
    page = routes_markdown()
    for row in ROUTES:
        role = f" {row.role.value} |" if row.role else ""
        assert page.count(f"| `{row.method} {row.path}` | {row.access.value} |{role}") == 1
    assert "\n\n\n" not in page


def test_the_page_of_errors_names_every_code_with_its_numbers():
    page = errors_markdown()
    for code in REGISTRY.values():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `{code.name}` |")]
        assert str(code.rpc) in line
        assert f"| {EXIT_STATUS[code.exit]} |" in line
    assert "| `content_type_not_supported` | 400 / 415 |" in page
