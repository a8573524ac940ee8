from __future__ import annotations

import pytest

from csbond.protocol.continuity.given_id import ID_MAX
from csbond.protocol.continuity.session_context import (
    SessionContext,
    session_context_from_json,
    session_context_to_json,
)
from csbond.protocol.errors import RemoteProtocolError
from csbond_tests.requirements import requirement

WHOLE = {
    "thread_id": "thread_alpha_001",
    "continuity_ref": "session_previous_zzz",
    "agent_lifespan": 38,
    "importance": 0.7,
}


def refused_field(raw):
    with pytest.raises(RemoteProtocolError) as refusal:
        session_context_from_json(raw)
    assert refusal.value.code.name == "invalid_params"
    return refusal.value.field


@requirement("CSB-1.2.2-thread", "CSB-1.2.2-ref", "CSB-1.2.2-lifespan", "CSB-1.2.2-importance")
def test_the_block_of_the_standard_is_read_and_written_back():
    context = session_context_from_json(WHOLE)
    assert context == SessionContext("thread_alpha_001", "session_previous_zzz", 38.0, 0.7)
    assert session_context_to_json(context) == WHOLE


@requirement("CSB-1.2.2-ref")
@pytest.mark.parametrize("nothing", [{}, {"continuity_ref": None}, {"continuity_ref": ""}])
def test_the_first_session_of_a_chain_names_none_before_it(nothing):
    raw = {"thread_id": "t", **nothing}
    assert session_context_from_json(raw).continuity_ref == ""
    assert session_context_to_json(session_context_from_json(raw))["continuity_ref"] is None


@requirement("CSB-1.2.2-thread")
@pytest.mark.parametrize("thread_id", ["", " ", 7, ["t"], "t\x00", "x" * (ID_MAX + 1)])
def test_a_thread_id_that_is_none_is_refused(thread_id):
    assert refused_field({**WHOLE, "thread_id": thread_id}) == "session_context.thread_id"


@requirement("CSB-1.2.2-apart")
@pytest.mark.parametrize("field", WHOLE)
def test_each_field_may_be_stated_without_the_others(field):
    context = session_context_from_json({field: WHOLE[field]})
    assert session_context_to_json(context) == session_context_to_json(SessionContext()) | {field: WHOLE[field]}
    assert session_context_from_json(session_context_to_json(context)) == context


@requirement("CSB-1.2.2-apart")
def test_a_block_that_names_no_thread_leaves_it_to_the_session():
    assert session_context_from_json({"thread_id": None}) == session_context_from_json({}) == SessionContext()
    assert session_context_to_json(SessionContext())["thread_id"] is None


@pytest.mark.parametrize("ref", [7, " ", "r\n", "x" * (ID_MAX + 1)])
def test_a_session_that_cannot_be_named_is_refused(ref):
    assert refused_field({**WHOLE, "continuity_ref": ref}) == "session_context.continuity_ref"


@requirement("CSB-1.2.2-importance")
@pytest.mark.parametrize("importance", [0, 1, 0.5])
def test_an_importance_from_0_to_1_is_kept(importance):
    assert session_context_from_json({**WHOLE, "importance": importance}).importance == importance


@requirement("CSB-1.2.2-importance")
@pytest.mark.parametrize("importance", [-0.01, 1.01, "0.5", True, float("nan"), float("inf")])
def test_an_importance_that_is_none_is_refused(importance):
    assert refused_field({**WHOLE, "importance": importance}) == "session_context.importance"


@requirement("CSB-1.2.2-lifespan")
@pytest.mark.parametrize("lifespan", [-1, "38", True, float("nan"), float("inf")])
def test_an_age_that_is_none_is_refused(lifespan):
    assert refused_field({**WHOLE, "agent_lifespan": lifespan}) == "session_context.agent_lifespan"


@pytest.mark.parametrize("raw", [None, [], "thread", 7])
def test_a_block_that_is_no_object_is_refused(raw):
    assert refused_field(raw) == "session_context"
