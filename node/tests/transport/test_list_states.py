"""Which spellings of no state at all a listing takes."""

from __future__ import annotations

from typing import Any

import pytest

from csbond.protocol.messages.dialects import Operation
from csbond.transport.wire import checked_params
from csbond_tests.requirements import requirement


@requirement("A2A-LIST-006")
@pytest.mark.parametrize("status", [None, "", 0, "TASK_STATE_UNSPECIFIED", "UNRECOGNIZED"])
def test_a_listing_by_no_state_is_one_of_all(status: Any) -> None:
    params = {"contextId": "c"} if status is None else {"contextId": "c", "status": status}
    assert checked_params(Operation.LIST, params) == {"contextId": "c"}


@requirement("A2A-LIST-009")
def test_a_state_that_is_none_is_kept_to_be_refused_by_its_name() -> None:
    assert checked_params(Operation.LIST, {"status": "TASK_STATE_ASLEEP"})["status"] == "TASK_STATE_ASLEEP"
