"""SHA-256 of the interpreter's own is SHA-256."""

from __future__ import annotations

import hashlib

import pytest

from memory_custodian.rules import digest


@pytest.mark.parametrize("module", [digest._OWN, "_no_such_module"])
def test_the_digest_is_the_same_with_and_without_the_interpreter_s_own(
    monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setattr(digest, "_OWN", module)
    for data in (b"", b"a", bytes(1000)):
        assert digest.sha256_hex(data) == hashlib.sha256(data).hexdigest()
