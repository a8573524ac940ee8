from __future__ import annotations

from typing import Any

import pytest

from csbond.protocol.continuity.given_id import ID_MAX, checked_id
from csbond.protocol.errors import RemoteProtocolError
from csbond_tests.requirements import requirement


@requirement("FAULT-30")
@pytest.mark.parametrize("given", ["t", "若兰 🌸", "a/b c", "👩‍🚀", "x" * ID_MAX])
def test_a_text_that_an_address_can_carry_is_an_id(given: str) -> None:
    assert checked_id("field", given) == given


@requirement("CSB-1.2.3-asked-again")
@pytest.mark.parametrize("control", ["\x00", "\n", "\t", "\x1b", "\x7f", "\x85", "\ud800"])
@pytest.mark.parametrize("around", ["{}", "a{}b", "a{}"])
def test_an_id_with_a_control_character_is_refused(control: str, around: str) -> None:
    with pytest.raises(RemoteProtocolError) as refused:
        checked_id("message.contextId", around.format(control))
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", "message.contextId")


@requirement("CSB-1.2.3-asked-again")
@pytest.mark.parametrize(
    "given, reason",
    [
        ("", "must not be blank"),
        ("  ", "must not be blank"),
        ("　", "must not be blank"),
        ("x" * (ID_MAX + 1), "has more than 256 characters"),
        (5, "must be a text"),
        (None, "must be a text"),
        (["x"], "must be a text"),
    ],
)
def test_what_is_no_id_is_refused_with_its_own_reason(given: Any, reason: str) -> None:
    with pytest.raises(RemoteProtocolError) as refused:
        checked_id("metadata.parent_id", given)
    assert refused.value.reason == f"metadata.parent_id {reason}"
