from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.listing import TaskQuery, cursor_of, position_of
from csbond.protocol.messages.task import TaskState
from csbond.protocol.messages.task_query import task_query
from csbond_tests.requirements import requirement


def test_a_query_is_read_whole() -> None:
    params = {
        "contextId": "c",
        "status": "TASK_STATE_INPUT_REQUIRED",
        "statusTimestampAfter": "1970-01-01T00:00:01Z",
        "pageSize": 7,
        "pageToken": cursor_of((5, "t")),
        "historyLength": 0,
        "includeArtifacts": True,
    }
    assert task_query(params, "owner") == TaskQuery(
        caller_key="owner",
        context_id="c",
        state=TaskState.INPUT_REQUIRED,
        status_after=1000,
        before=(5, "t"),
        limit=7,
        history_length=0,
        with_artifacts=True,
    )


@requirement("A2A-LIST-007")
def test_a_query_that_asks_for_nothing_special_lists_fifty_without_artifacts() -> None:
    assert task_query({}, "owner") == TaskQuery("owner", limit=50, with_artifacts=False)


@requirement("A2A-LIST-007", "A2A-LIST-009", "A2A-ERR-004")
@pytest.mark.parametrize(
    "params, field",
    [
        ({"pageSize": 0}, "pageSize"),
        ({"pageSize": -1}, "pageSize"),
        ({"pageSize": 101}, "pageSize"),
        ({"historyLength": -1}, "historyLength"),
        ({"status": "TASK_STATE_RUNNING"}, "status"),
        ({"status": "TASK_STATE_UNSPECIFIED"}, "status"),
        ({"status": 99}, "status"),
        ({"statusTimestampAfter": "yesterday"}, "statusTimestampAfter"),
        ({"pageToken": "junk"}, "pageToken"),
        ({"pageToken": "§"}, "pageToken"),
    ],
)
def test_what_is_out_of_range_is_refused_by_its_name(params: dict[str, Any], field: str) -> None:
    with pytest.raises(CsbError) as refused:
        task_query(params, "owner")
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", field)


@requirement("A2A-LIST-007")
@pytest.mark.parametrize("size", [1, 100])
def test_the_bounds_of_a_page_are_inside(size: int) -> None:
    assert task_query({"pageSize": size}, "owner").limit == size


@requirement("A2A-LIST-003")
@given(st.integers(0, 2**63 - 1), st.text())
def test_a_page_token_brings_back_its_position(time: int, name: str) -> None:
    assert position_of(cursor_of((time, name))) == (time, name)


@requirement("A2A-LIST-009")
@pytest.mark.parametrize("inside", ["", "5", ":t", "x:t", f"{2**63}:t", "-1:t", "9" * 5000 + ":t"])
def test_a_token_that_is_none_of_ours_is_refused(inside: str) -> None:
    with pytest.raises(CsbError) as refused:
        position_of(base64.urlsafe_b64encode(inside.encode()).decode())
    assert refused.value.code.name == "invalid_params"
