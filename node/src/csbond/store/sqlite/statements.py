"""SQL is SQL: statements live in `statements/*.sql`, each with a name and a comment that gives its reason.

    -- name: last_audit
    -- Why it is as it is.
    SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1;

`{other_name}` stands for the text of another statement: a list of columns, or a filter that several share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

_HEADER = re.compile(r"^-- name: ([a-z_]+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^--.*\n", re.MULTILINE)
_FRAGMENT = re.compile(r"\{([a-z_]+)\}")


@cache
def statements() -> Mapping[str, str]:
    """The text of every statement by its name; ValueError for a name that comes twice or is not there."""
    found: dict[str, str] = {}
    folder = resources.files("csbond.store.sqlite") / "statements"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        for name, text in _named(file.read_text(encoding="utf-8")):
            if name in found:
                raise ValueError(f"two statements are named {name}")
            found[name] = text
    return {name: _whole(found, text) for name, text in found.items()}


def _named(text: str) -> list[tuple[str, str]]:
    names_and_texts = _HEADER.split(text)[1:]
    return [
        (name, _COMMENT.sub("", body).strip().removesuffix(";"))
        for name, body in zip(names_and_texts[::2], names_and_texts[1::2], strict=True)
    ]


def _whole(found: Mapping[str, str], text: str) -> str:
    def fragment(match: re.Match[str]) -> str:
        if match[1] not in found:
            raise ValueError(f"no statement is named {match[1]}")
        return _whole(found, found[match[1]])

    return _FRAGMENT.sub(fragment, text)
