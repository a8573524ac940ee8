from __future__ import annotations

from typing import Any

import pytest

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.json_draft import draft_event_down, draft_result_down, draft_send_up, draft_task_down
from csbond_tests.canonical import ARTIFACT_UPDATE, MESSAGE, STATUS_UPDATE, TASK
from csbond_tests.requirements import requirement

TEXT: dict[str, Any] = {"role": "user", "messageId": "m", "parts": [{"type": "text", "text": "hi"}]}


@requirement("DRAFT-006")
@pytest.mark.parametrize("name", ["sessionId", "session_id"])
def test_the_session_is_the_context_of_the_message(name: str) -> None:
    up = draft_send_up({"message": TEXT, name: "session_1"}, "fresh")
    assert up["message"]["contextId"] == "session_1"


def test_a_context_that_the_message_names_itself_wins_over_the_session() -> None:
    up = draft_send_up({"message": {**TEXT, "contextId": "c"}, "sessionId": "s"}, "fresh")
    assert up["message"]["contextId"] == "c"


@requirement("DRAFT-006")
def test_the_answer_holds_the_task_by_its_own_fields_and_once_more_as_task() -> None:
    result = draft_result_down({"task": TASK})
    assert result["task"]["id"] == result["id"] == "t-1"
    assert result["sessionId"] == result["contextId"] == "c-1"
    assert result["status"]["state"] == "input-required"
    assert result["task"]["history"][0]["parts"][0] == {"kind": "text", "type": "text", "text": "你好, Luna 🌸"}


def test_a_bare_message_is_answered_as_one() -> None:
    assert draft_result_down({"message": MESSAGE})["message"]["role"] == "user"


@requirement("DRAFT-012")
def test_a_stream_tells_the_task_its_status_and_its_chunks() -> None:
    assert draft_event_down({"task": TASK}) == draft_task_down(TASK)
    status = draft_event_down(STATUS_UPDATE)
    assert (status["id"], status["final"], status["status"]["state"]) == ("t-1", True, "input-required")
    chunk = draft_event_down(ARTIFACT_UPDATE)
    assert (chunk["id"], chunk["artifact"]["append"], chunk["artifact"]["lastChunk"]) == ("t-1", True, True)
    assert draft_event_down({"message": MESSAGE})["message"]["messageId"] == "m-1"


@requirement("DRAFT-012")
@pytest.mark.parametrize("state, final", [("WORKING", False), ("COMPLETED", True), ("AUTH_REQUIRED", True)])
def test_a_status_says_whether_it_is_the_last_of_the_stream(state: str, final: bool) -> None:
    update = {"taskId": "t", "contextId": "c", "status": {"state": f"TASK_STATE_{state}"}}
    assert draft_event_down({"statusUpdate": update})["final"] is final


def test_what_is_shown_is_a_copy() -> None:
    before = repr(TASK)
    draft_result_down({"task": TASK})
    assert repr(TASK) == before


@pytest.mark.parametrize("configuration", [{"returnImmediately": True}, {"blocking": False}])
def test_a_draft_client_may_ask_to_return_at_once(configuration: dict[str, Any]) -> None:
    up = draft_send_up({"message": TEXT, "configuration": configuration}, "fresh")
    assert up["configuration"] == {"returnImmediately": True}


@pytest.mark.parametrize("params", [None, [], "x", {"message": None}, {"message": "hi"}, {}])
def test_params_without_a_message_are_refused(params: Any) -> None:
    with pytest.raises(CsbError) as refused:
        draft_send_up(params, "fresh")
    assert refused.value.code.name == "invalid_params"
