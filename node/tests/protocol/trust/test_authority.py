from __future__ import annotations

import pytest

from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.trust.authority import authority_of


@pytest.mark.parametrize(
    "caller, words",
    [(ANONYMOUS, "public"), (OWNER, "owner token"), (Caller(CallerKind.PRINCIPAL, "ann"), "principal token")],
)
def test_a_right_rests_on_what_the_caller_showed(caller: Caller, words: str) -> None:
    assert authority_of(caller) == words
