from __future__ import annotations

import pytest

from csbond.protocol.errors import Refused
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.trust.access import Access, admit
from csbond_tests.requirements import requirement

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset({"home"}))

REFUSED = {
    (Access.PRINCIPAL, ANONYMOUS): "unauthenticated",
    (Access.OWNER, ANONYMOUS): "unauthenticated",
    (Access.OWNER, ANN): "forbidden",
}


@requirement("A2A-ERR-006")
@pytest.mark.parametrize("access", Access)
@pytest.mark.parametrize("caller", [ANONYMOUS, ANN, OWNER], ids=lambda caller: caller.kind)
def test_a_class_admits_its_callers_and_those_above(access: Access, caller: Caller) -> None:
    code = REFUSED.get((access, caller))
    if code is None:
        assert admit(access, caller) is caller
    else:
        with pytest.raises(Refused) as refused:
            admit(access, caller)
        assert refused.value.code.name == code
        assert refused.value.next_step, "a refusal says what would help"


def test_every_kind_of_caller_has_a_key_of_its_own() -> None:
    others = [ANONYMOUS, OWNER, ANN, Caller(CallerKind.PRINCIPAL, "owner"), Caller(CallerKind.PRINCIPAL, "anonymous")]
    assert len({caller.key for caller in others}) == len(others)


def test_the_owner_reads_every_space_and_a_principal_its_own() -> None:
    assert OWNER.may_read("anything")
    assert ANN.may_read("home")
    assert not ANN.may_read("work")
    assert not ANONYMOUS.may_read("home")
