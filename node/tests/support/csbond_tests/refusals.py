"""What a rule refuses, for the tests of rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from csbond.protocol.errors import CsbError

__all__ = ["refused_field"]


def refused_field(call: Callable[[], object]) -> str:
    """Return the field that the call refuses as `invalid_params`; the reason must name it."""
    with pytest.raises(CsbError) as refusal:
        call()
    assert refusal.value.code.name == "invalid_params"
    assert refusal.value.reason.startswith(refusal.value.field)
    return refusal.value.field
