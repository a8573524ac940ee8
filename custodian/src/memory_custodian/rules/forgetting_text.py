"""The guards that forgetting leaves, and what its preview says above the plan (§§8.1, 10.3)."""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.entry import Draft, Evidence
from memory_custodian.rules.entry_forms_0_5 import render_0_5
from memory_custodian.rules.entry_text import render
from memory_custodian.rules.erasure import ForgetMode
from memory_custodian.rules.forgetting_search import GENERIC_TITLE, Found, Match, topic_note
from memory_custodian.rules.scan import redact
from memory_custodian.rules.text import lines_of, one_line, title_of
from memory_custodian.rules.topic_match import folded, holds

__all__ = ["changelog_line", "generic_guard", "headline", "is_topic_guard", "topic_guard"]

_SHOWN: Final = 100
"""Characters of a matched unit that a preview shows."""
_REASON: Final = "Forgotten on request; it comes back only when the user asks for it."
_GENERIC: Final = "Something that was removed on request. It is not to be guessed at or written again."
_GENERIC_REASON: Final = "The request was to keep no record of what it was."


def topic_guard(topic: str, guard_id: str, today: str) -> str:
    """Return the tombstone of a soft forgetting; without an ID the one of protocol 0.5."""
    if not guard_id:
        return render_0_5("tombstone", one_line(topic), f"{_REASON} Mode: soft.", today)
    return render(_draft(guard_id, f"Do not bring back: {one_line(topic)}", title_of(topic), _REASON))


def is_topic_guard(block: Block, topic: str) -> bool:
    """Whether a piece is the tombstone that a soft forgetting of the topic writes, in either form."""
    title, whole = title_of(topic), folded(one_line(topic))
    titled = folded(block.label).endswith(folded(f"Tombstone: {title}"))
    cut = len(title) < len(one_line(topic))
    return titled and (not cut or any(folded(one_line(line)).endswith(whole) for line in lines_of(block.text)))


def generic_guard(guard_id: str) -> str:
    """Return the tombstone of a hard forgetting: neither topic nor, without an ID, a date."""
    if not guard_id:
        return f"## {GENERIC_TITLE}\n{_GENERIC}\n"
    return render(_draft(guard_id, _GENERIC, GENERIC_TITLE.partition(": ")[2], _GENERIC_REASON))


def changelog_line(topic: str, mode: ForgetMode) -> str:
    """Return what is noted: a soft forgetting says of what, the others only that they took place."""
    return topic_note(topic) if mode == "soft" else f"Completed {mode} forget operation."


def headline(
    found: Found, topic: str, mode: ForgetMode, *, tombstone: str, changelog: str, broad: bool
) -> tuple[str, ...]:
    """Return the lines above the plan. hard and purge show no word of what matched, only where it stands."""
    shown = [*found.units, *(() if mode == "soft" else found.guards)]
    return (
        f"Mode: {mode}",
        f"Searched files: {len(found.files)}",
        f"Matched files: {len({match.file for match in (*found.units, *found.guards)})}",
        f"Matched units: {len(found.units)}",
        *(f"- {match.file}: {_summary(match, topic, mode)}" for match in shown),
        f"Matched tombstones: {len(found.guards)}",
        f"Tombstone: {tombstone}",
        f"Changelog: {changelog}",
        f"Broad-match confirmation required: {'yes' if broad else 'no'}",
        f"Manual rewrite required: {len(found.manual)}",
        *(f"- {note}" for note in found.manual),
    )


def _summary(match: Match, topic: str, mode: ForgetMode) -> str:
    """Name a piece and the lines that go with it.

    Where its first line does not tell why it matches, soft shows the line that does.
    """
    block = match.block
    extent = f"({_extent(block)})"
    if mode != "soft":
        return f"{block.entry_id or block.shown_kind} {extent}"
    label = block.label or block.text
    named = f"{_shortened(label)} {extent}"
    if holds(label, folded(topic)):
        return named
    lines = ((number, line) for number, line in enumerate(lines_of(block.text)) if holds(line, folded(topic)))
    return "; ".join([named, *(f"line {block.line + at}: {_shortened(line)}" for at, line in lines)][:2])


def _extent(block: Block) -> str:
    """Say on which lines a piece stands, the blank ones behind it left out: with a bullet all that is nested goes."""
    last = block.line + len(lines_of(block.text.rstrip())) - 1
    return f"line {block.line}" if last == block.line else f"lines {block.line}–{last}"


def _shortened(text: str) -> str:
    shown = redact(one_line(text))
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


def _draft(guard_id: str, message: str, title: str, reason: str) -> Draft:
    return Draft(
        id=guard_id,
        type="tombstone",
        status="active",
        message=message,
        scope="project",
        evidence=(Evidence("user-confirmed"),),
        reason=reason,
        title=title,
    )
