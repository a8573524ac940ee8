"""Routes are looked through one after the other: what is asked most stands in front, and hides nothing."""

from __future__ import annotations

import re

from csbond.api.app import OPERATIONS, quickly_found

READ = ("GET", "/v1/memory/{id}")


def test_every_route_is_there_once():
    found = list(quickly_found(OPERATIONS))
    assert len(found) == len(OPERATIONS)
    assert {(each.method, each.path) for each in found} == {(each.method, each.path) for each in OPERATIONS}


def test_no_route_is_hidden_by_one_before_it():
    before: list[tuple[str, str]] = []
    for each in quickly_found(OPERATIONS):
        assert not [path for method, path in before if method == each.method and taken_for(path, each.path)]
        before.append((each.method, each.path))


def test_before_a_memory_by_its_id_stand_only_places_that_would_be_taken_for_one():
    found = [(each.method, each.path) for each in quickly_found(OPERATIONS)]
    ahead = found[: found.index(READ)]
    assert ahead
    assert all(method == "GET" and taken_for(READ[1], path) for method, path in ahead)


def taken_for(pattern, path):
    """Whether a request of the path would match the pattern of another route."""
    segments = re.sub(r"\{[^}]*:path\}", ".+", pattern)
    return re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", segments), path) is not None
