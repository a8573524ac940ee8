from __future__ import annotations

from typing import Any

import pytest

from csbond.protocol.continuity.summary import SummaryOptions
from csbond.protocol.continuity.wishes import check_wishes, is_private, stated_history_length, wished_summary
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.extensions import CONTEXT_SUMMARY, MEMORY
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement


def wishing(metadata: dict[str, Any]) -> Message:
    return Message("m", "user", (text_part("hi"),), metadata=metadata)


def refused_field(metadata: dict[str, Any]) -> str:
    with pytest.raises(RemoteProtocolError) as refused:
        check_wishes(wishing(metadata))
    assert refused.value.code.name == "invalid_params"
    return refused.value.field


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"history_length": 0, CONTEXT_SUMMARY: {}, "private": False, MEMORY: {}},
        {"history_length": 3.0, CONTEXT_SUMMARY: {"length_hint": "full"}, "private": True, MEMORY: {"remember": True}},
        {"history_length": None, CONTEXT_SUMMARY: None, MEMORY: {"remember": False, "more": 1}},
        {CONTEXT_SUMMARY: {"summary": "They met.", "length_hint": "as it came"}},
    ],
)
def test_wishes_that_can_be_kept_are_taken(metadata: dict[str, Any]) -> None:
    check_wishes(wishing(metadata))


@requirement("A2A-004-4.2-refused", "DRAFT-009")
@pytest.mark.parametrize("said, length", [(3, 3), (3.0, 3), (0, 0), (None, None), (1e308, int(1e308))])
def test_the_history_length_is_a_whole_number_from_0(said: Any, length: int | None) -> None:
    assert stated_history_length(wishing({"history_length": said})) == length


@requirement("A2A-004-4.2-refused")
@pytest.mark.parametrize("said", [-1, -0.5, 1.5, "3", "x", True, False, [], {}, float("inf"), float("nan")])
def test_a_history_length_that_is_none_is_refused(said: Any) -> None:
    assert refused_field({"history_length": said}) == "metadata.history_length"


@requirement("A2A-024-24.1-length", "A2A-024-24.1-language")
@pytest.mark.parametrize(
    "said, field",
    [
        ({"length_hint": "zzz"}, "context_summary.length_hint"),
        ({"language": "fr"}, "context_summary.language"),
        ("full", "context_summary"),
        ([], "context_summary"),
    ],
)
def test_a_summary_that_cannot_be_made_is_refused(said: Any, field: str) -> None:
    assert refused_field({CONTEXT_SUMMARY: said}) == field


def test_a_message_that_brings_a_summary_wishes_none() -> None:
    assert wished_summary(wishing({CONTEXT_SUMMARY: {"summary": "They met."}})) is None
    assert wished_summary(wishing({CONTEXT_SUMMARY: {"length_hint": "full"}})) == SummaryOptions("full")
    assert wished_summary(wishing({})) == SummaryOptions()


NO_FLAGS = ["yes", "true", "false", "", 1, 0, None, [], {}]


@requirement("A2A-004-4.4-flag")
@pytest.mark.parametrize("said", NO_FLAGS)
def test_a_mark_of_privacy_that_is_not_true_or_false_is_refused(said: Any) -> None:
    assert refused_field({"private": said}) == "metadata.private"


@requirement("A2A-004-4.4-flag")
@pytest.mark.parametrize("said", NO_FLAGS)
def test_a_wish_to_be_forgotten_that_is_not_true_or_false_is_refused(said: Any) -> None:
    assert refused_field({MEMORY: {"remember": said}}) == f"metadata.{MEMORY}.remember"


@pytest.mark.parametrize("said", [False, None, "false", []])
def test_a_memory_extension_that_is_no_object_is_refused(said: Any) -> None:
    assert refused_field({MEMORY: said}) == f"metadata.{MEMORY}"


@requirement("A2A-004-4.4-flag")
def test_an_unread_mark_of_privacy_counts_as_one() -> None:
    assert [is_private(wishing({"private": said})) for said in (True, "yes", 1)] == [True, True, True]
    assert not is_private(wishing({"private": False}))
    assert not is_private(wishing({}))
