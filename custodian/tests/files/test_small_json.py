"""The JSON of locks and journals is JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_custodian.files.small_json import as_json


@pytest.mark.parametrize(
    "text", ["", "plain", 'a "b" \\ c', "line\nend\ttab\x00", "大 \U0001f5fa", "\udcff", "\x7f\x80"]
)
def test_every_text_comes_back(text: str) -> None:
    values: dict[str, Any] = {"name": text, "number": 7, "list": [{"path": text, "other": "x"}, {}], "none": []}
    written = as_json(values)
    assert json.loads(written) == values
    assert written.isascii()
    assert written.endswith(b"}\n")


def test_a_name_is_quoted_too() -> None:
    assert json.loads(as_json({'a "b"': 1})) == {'a "b"': 1}
