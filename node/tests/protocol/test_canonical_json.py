from __future__ import annotations

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.canonical_json import canonical_bytes
from csbond.protocol.errors import RemoteProtocolError

NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES)
def test_every_json_value_has_the_bytes_of_rfc_8785(value):
    assert canonical_bytes(value) == rfc8785.dumps(value)


def test_control_characters_and_keys_of_any_script_are_written_as_rfc_8785_says():
    every_control = "".join(map(chr, range(0x20))) + '"\\/\x7f\u2028'
    assert canonical_bytes({"b": every_control, "a": 1}) == rfc8785.dumps({"b": every_control, "a": 1})
    beyond = {"\U0001f600": 1, "\ufb33": 2, "a": 3}
    assert canonical_bytes(beyond) == '{"a":3,"\U0001f600":1,"\ufb33":2}'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**60, -(2**53), b"bytes", "\ud800", {"a": ["\udfff"]}])
def test_what_json_cannot_say_is_refused(value):
    with pytest.raises(RemoteProtocolError) as refused:
        canonical_bytes(value)
    assert refused.value.code.name == "invalid_params"
