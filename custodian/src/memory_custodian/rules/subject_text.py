"""Subjects as they are written in subjects.md (§4.4)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.entry_ids import heading_id
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.subject import Subject, SubjectDraft
from memory_custodian.rules.subject_names import canonical_ref
from memory_custodian.rules.text import fenced, lines_of

__all__ = ["parse_subjects", "render_subject", "with_names"]

_FIELDS = ("Status", "Kind", "Canonical-Ref")
_LISTS = ("Evidence", "Aliases")


def parse_subjects(text: str, about: Collection[str] | None = None) -> tuple[Subject, ...]:
    """Return the Subjects of a registry in file order, whatever is wrong with their fields: `check` judges that.

    With `about`, those alone that have one of these IDs. A reference that has no normal form is given as it stands.
    """
    wanted = None if about is None else {subject_id.lower() for subject_id in about}
    blocks = [] if about is not None and not about else _blocks(text)
    return tuple(_subject(block) for block in blocks if wanted is None or block.entry_id.lower() in wanted)


def render_subject(draft: SubjectDraft) -> str:
    """Return the text of a Subject, ended by one line end; its title is its first alias."""
    lines = [f"## {draft.id} \N{EM DASH} {draft.title}", "", "Status: active", f"Kind: {draft.kind}"]
    if draft.canonical_ref:
        lines.append(f"Canonical-Ref: {draft.canonical_ref}")
    lines += ["Evidence:", *(f"- {evidence}" for evidence in draft.evidence)]
    lines += ["", "Aliases:", *(f"- {alias}" for alias in draft.aliases)]
    text = "\n".join(lines) + "\n"
    read = parse_subjects(text)
    evidence = tuple(str(one) for one in draft.evidence)
    wanted = Subject(draft.id, draft.title, 1, "active", draft.kind, draft.canonical_ref, draft.aliases, evidence)
    if read != (wanted,):
        raise RuntimeError(f"{draft.id} would not be read as it was written")
    return text


def with_names(text: str, subject_id: str, title: str, aliases: Sequence[str]) -> str:
    """Return a registry in which one Subject has this title and these aliases; every other line stays as it is."""
    blocks = parse(text)
    place = next((at for at, block in enumerate(blocks) if block.entry_id == subject_id), None)
    if place is None:
        raise Refused(f"subjects.md: has no {subject_id}; memory-custodian subject list shows the active ones")
    texts = [block.text for block in blocks]
    texts[place] = _renamed(blocks[place], title, aliases)
    return "".join(texts)


def _blocks(text: str) -> list[Block]:
    if "MC-SUBJ-" not in text.upper():
        return []
    return [block for block in parse(text) if block.kind == "entry" and block.entry_id.startswith("MC-SUBJ-")]


def _subject(block: Block) -> Subject:
    lines = lines_of(block.text)
    fields, items, _ = _read(lines)
    identified = heading_id(lines[0])
    return Subject(
        id=block.entry_id,
        title=identified[1] if identified else "",
        line=block.line,
        status=fields.get("Status", "").lower(),
        kind=fields.get("Kind", "").lower(),
        canonical_ref=_normal_ref(fields.get("Canonical-Ref", "")),
        aliases=tuple(items["Aliases"].values()),
        evidence=tuple(items["Evidence"].values()),
    )


def _normal_ref(text: str) -> str:
    try:
        return canonical_ref(text) if text else ""
    except Refused:
        return text


def _read(lines: Sequence[str]) -> tuple[dict[str, str], dict[str, dict[int, str]], dict[str, int]]:
    """Return the first value of each field, the items of each list by their line, and the line of each list's name."""
    inside = fenced(lines) if any(map(_may_fence, lines)) else ()
    fields: dict[str, str] = {}
    items: dict[str, dict[int, str]] = {name: {} for name in _LISTS}
    heads: dict[str, int] = {}
    current = ""
    for at in range(1, len(lines)):
        line = lines[at].rstrip()
        if not line:
            continue
        shown = bool(inside) and inside[at]
        if current and line.startswith("- ") and not shown:
            items[current][at] = line[2:].strip()
            continue
        name, colon, value = line.partition(":")
        known = bool(colon) and not shown
        if known and name in _LISTS and not value.strip():
            current = name
            heads.setdefault(name, at)
        elif known and name in _FIELDS:
            current = ""
            fields.setdefault(name, value.strip())
        else:
            current = ""
    return fields, items, heads


def _may_fence(line: str) -> bool:
    return line.startswith(("`", "~", " "))


def _renamed(block: Block, title: str, aliases: Sequence[str]) -> str:
    lines = lines_of(block.text)
    lines[0] = f"## {block.entry_id} \N{EM DASH} {title}\n"
    bullets = [f"- {alias}\n" for alias in aliases]
    _, items, heads = _read(lines)
    if "Aliases" not in heads:
        body = "".join(lines).rstrip("\n")
        ending = "".join(lines)[len(body) :] or "\n"
        return f"{body}\n\nAliases:\n{''.join(bullets).rstrip()}{ending}"
    kept = [line for at, line in enumerate(lines) if at not in items["Aliases"]]
    # The name of the list stands before its items, so its place is the same without them.
    head = heads["Aliases"]
    kept[head] = kept[head].rstrip("\n") + "\n"
    return "".join([*kept[: head + 1], *bullets, *kept[head + 1 :]])
