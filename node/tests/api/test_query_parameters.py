from __future__ import annotations

import pytest

from csbond.api.app import OPERATIONS
from csbond_tests.requirements import requirement

OWN = {(operation.method, operation.path.replace(":path", "")) for operation in OPERATIONS}


def error_of(answer):
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


@pytest.mark.parametrize("method, path", sorted(OWN))
async def test_a_parameter_that_a_route_does_not_have_is_refused(owner, method, path):
    place = path.replace("{", "").replace("}", "")
    fault = error_of(await owner.request(method, place, params={"namespace": "x"}))
    assert (fault["code"], fault["field"]) == ("invalid_params", "namespace")


KNOWN = (
    "it has level, type, tag, source, project, link_target, since, until, text, thread, deleted, limit, cursor, "
    "each once"
)


@requirement("MEM-005-report-no-namespace")
@pytest.mark.parametrize(
    "query, field, known",
    [
        ("tga=tea", "tga", KNOWN),
        ("limit=1&Limit=2", "Limit", KNOWN),
        ("tag=tea&tag=milk", "tag", KNOWN),
        ("limit=1&limit=1", "limit", "is given more than once"),
        ("=x", "", "is no parameter"),
        ("x" * 5000, "x" * 64, "is no parameter"),
    ],
)
async def test_a_list_says_which_parameters_there_are(owner, query, field, known):
    fault = error_of(await owner.get(f"/v1/memory?{query}"))
    assert (fault["code"], fault.get("field", "")) == ("invalid_params", field)
    assert known in fault["reason"]


async def test_a_route_without_parameters_says_so(owner):
    assert "it has none" in error_of(await owner.get("/v1/status?full=1"))["reason"]


async def test_a_caller_who_is_not_admitted_learns_nothing_of_parameters(anybody):
    assert (await anybody.get("/v1/memory?tga=tea")).status_code == 401
