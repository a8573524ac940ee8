"""How manifest.md is changed (§§3, 9): line by line, so that whatever a person wrote in it stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memory_custodian.rules.manifest import metadata_line, module_path, read_manifest
from memory_custodian.rules.manifest_page import (
    INDEX_HEADING,
    PROTOCOL_HEADING,
    TASK_HEADINGS,
    Heading,
    Page,
    page_of,
)
from memory_custodian.rules.protocol import METADATA_KEYS
from memory_custodian.rules.trust import TRUST_BOUNDARY, TRUST_HEADING

__all__ = [
    "INDEX_PLACEHOLDER",
    "INDEX_SECTIONS",
    "with_implementation_decisions",
    "with_index",
    "with_metadata",
    "with_module",
    "with_trust",
]

INDEX_PLACEHOLDER: Final = "- None enabled."

INDEX_SECTIONS: Final = {
    "rules": "### Enabled rules",
    "profiles": "### Enabled profiles",
    "areas": "### Enabled areas",
}
"""The part of the index for each folder of optional modules."""

_ROUTE_OF_0_4: Final = (
    "Load:",
    "- constraints.md",
    "- do-not-use.md",
    "Load if present:",
    "- preferences.md",
)
"""The generated implementation route of protocol 0.4, which did not load decisions."""

_HINTS: Final = {
    "rules/output.md": "open before writing anything a user of the project will read.",
    "rules/testing.md": "open before adding or changing tests.",
    "rules/code-style.md": "open before writing code whose form may be disputed.",
    "rules/security.md": "open before touching what guards data or access.",
    "rules/release.md": "open before preparing a release.",
}
_FOLDER_HINTS: Final = {
    "rules": "open for work that this rule is about.",
    "profiles": "open when this way of working is asked for.",
    "areas": "open when this part of the project is touched.",
}


def with_metadata(text: str, values: Mapping[str, str]) -> str:
    """Return a manifest whose metadata have these values; known lines keep their place, unknown ones their bytes.

    A missing key comes behind the one that precedes it in METADATA_KEYS, so an old section grows in the order of a new
    one. A missing section is put before the first H2.
    """
    page = page_of(text)
    places = page.places(PROTOCOL_HEADING)
    keys = [key for key in METADATA_KEYS if key in values]
    if not places:
        return _before_first_h2(page, [PROTOCOL_HEADING, *(f"- {key}: {values[key]}" for key in keys)])
    lines = list(page.lines)
    found = {
        match[0]: number for number, line in reversed(page.content(places[0], 2)) if (match := metadata_line(line))
    }
    behind: dict[int, list[str]] = {}
    anchor = min((found[key] for key in METADATA_KEYS if key in found), default=places[0].line + 1) - 1
    for key in METADATA_KEYS:
        if key in found:
            anchor = found[key]
            match = metadata_line(lines[anchor])
            if key in values and match and match[1] != values[key]:
                lines[anchor] = f"- {key}: {values[key]}"
        elif key in values:
            behind.setdefault(anchor, []).append(f"- {key}: {values[key]}")
    return "\n".join(new for number, line in enumerate(lines) for new in [line, *behind.get(number, [])])


def with_trust(text: str) -> str:
    """Return a manifest with the trust boundary (§9); one that has it, in whatever line breaks, is returned as it is.

    A section of that name with other words keeps them, below the text that holds.
    """
    wanted = TRUST_BOUNDARY.rstrip("\n").split("\n")
    page = page_of(text)
    places = page.places(TRUST_HEADING)
    if places:
        own = " ".join(word for _, line in page.content(places[0], 2) for word in line.split())
        if " ".join(TRUST_BOUNDARY.split()) in own:
            return text
        return _inserted(page, places[0].line + 1, ["", *wanted])
    protocol = page.places(PROTOCOL_HEADING)
    if not protocol:
        return _before_first_h2(page, [TRUST_HEADING, "", *wanted])
    end = page.end(protocol[0], 2)
    return _block_at(page, end, [TRUST_HEADING, "", *wanted])


def with_index(text: str, modules: Sequence[str] = ()) -> str:
    """Return a manifest with the index of optional modules and its three parts.

    An index that was missing names these modules; one that a person has curated keeps what it names.
    """
    page = page_of(text)
    missing = not page.places(INDEX_HEADING)
    if missing:
        explicit = page.places("## Explicit only")
        at = explicit[0].line if explicit else len(page.lines)
        page = page_of(_block_at(page, at, [INDEX_HEADING]))
    for heading in INDEX_SECTIONS.values():
        if next(_parts(page, heading), None) is None:
            end = page.end(page.places(INDEX_HEADING)[0], 2)
            page = page_of(_block_at(page, end, [heading, INDEX_PLACEHOLDER]))
    text = "\n".join(page.lines)
    for file in reversed(modules if missing else ()):
        text = with_module(text, file)
    return text


def with_module(text: str, file: str) -> str:
    """Return a manifest whose index names an optional module, first in its part; other files are not indexed."""
    folder = file.partition("/")[0]
    nameable = module_path(file) == file and "`" not in file and not file.endswith("/README.md")
    if folder not in INDEX_SECTIONS or not nameable or file in read_manifest(text).indexed:
        return text
    page = page_of(with_index(text))
    part = next(_parts(page, INDEX_SECTIONS[folder]))
    content = page.content(part, 6)
    dropped = {number for number, line in content if line.strip().casefold() == INDEX_PLACEHOLDER.casefold()}
    first = next((number for number, line in content if line.startswith("- ")), part.line + 1)
    entry = f"- `{file}`: {_HINTS.get(file, _FOLDER_HINTS[folder])}"
    kept = [(number, line) for number, line in enumerate(page.lines) if number not in dropped]
    before = [line for number, line in kept if number < first]
    return "\n".join([*before, entry, *(line for number, line in kept if number >= first)])


def with_implementation_decisions(text: str) -> str:
    """Return a manifest whose implementation route loads decisions.md, where the route is the generated one of 0.4."""
    page = page_of(text)
    places = page.places(TASK_HEADINGS["implementation"])
    if len(places) != 1:
        return text
    content = [(number, line.rstrip()) for number, line in page.content(places[0], 6) if line.strip()]
    if tuple(line for _, line in content) != _ROUTE_OF_0_4:
        return text
    return _inserted(page, content[0][0] + 1, ["- decisions.md"])


def _parts(page: Page, heading: str) -> Iterator[Heading]:
    """Find the places of a part of the index inside the index."""
    index = page.places(INDEX_HEADING)[0]
    return (found for found in page.places(heading) if index.line < found.line < page.end(index, 2))


def _before_first_h2(page: Page, block: list[str]) -> str:
    at = next((found.line for found in page.headings if found.level == 2), len(page.lines))
    return _block_at(page, at, block)


def _block_at(page: Page, at: int, block: list[str]) -> str:
    """Insert lines as a paragraph of their own: one blank line before and behind them, none at the ends of the file."""
    before, behind = list(page.lines[:at]), list(page.lines[at:])
    while before and not before[-1].strip():
        before.pop()
    while behind and not behind[0].strip():
        behind.pop(0)
    return "\n".join([*before, *([""] if before else []), *block, "", *behind])


def _inserted(page: Page, at: int, lines: list[str]) -> str:
    return "\n".join([*page.lines[:at], *lines, *page.lines[at:]])
