from __future__ import annotations

import apsw
import pytest

from csbond.protocol.errors import CsbError, LocalProtocolError, RemoteProtocolError, Unavailable
from csbond.store.sqlite.faults import translated


@pytest.mark.parametrize(
    "fault, kind, code",
    [
        (apsw.FullError("x"), Unavailable, "storage_full"),
        (apsw.IOError("x"), Unavailable, "storage_unavailable"),
        (apsw.ReadOnlyError("x"), Unavailable, "storage_unavailable"),
        (apsw.CantOpenError("x"), Unavailable, "storage_unavailable"),
        (apsw.CorruptError("x"), Unavailable, "storage_unavailable"),
        (apsw.NotADBError("x"), Unavailable, "storage_unavailable"),
        (apsw.BusyError("x"), Unavailable, "storage_unavailable"),
        (apsw.ConstraintError("x"), LocalProtocolError, "internal_error"),
        (apsw.TooBigError("x"), RemoteProtocolError, "invalid_params"),
        (OverflowError("x"), RemoteProtocolError, "invalid_params"),
    ],
)
def test_what_sqlite_complains_about_is_said_in_the_words_of_the_node(fault, kind, code):
    error = translated(fault)
    assert isinstance(error, CsbError)
    assert type(error) is kind
    assert error.code.name == code


@pytest.mark.parametrize("fault", [apsw.SQLError("x"), KeyError("x"), Unavailable("draining", "x")])
def test_a_fault_of_another_kind_stays_what_it_is(fault):
    assert translated(fault) is fault
