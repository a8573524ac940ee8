"""Texts of memory entries as somebody may have written them, right or wrong. Standard library only, for Python 3.10."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from csbond_tests.custodian_world import PROJECT_ID
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import core_template

__all__ = ["SUBJECT", "entry", "memory", "subject", "subjects"]

SUBJECT = "MC-SUBJ-20260301-00000001"

_LABELS = {
    "DEC": "Decision",
    "AREA": "Decision",
    "CON": "Constraint",
    "DNU": "Rejected",
    "TOMB": "Rejected",
    "PREF": "Preference",
    "INBOX": "Statement",
}


def entry(
    code: str,
    number: int,
    text: str = "Draw rivers first.",
    *,
    title: str = "",
    label: str = "",
    evidence: Iterable[str] = ("user-confirmed",),
    more: str = "",
    **fields: str | None,
) -> str:
    """An entry in force with an ID of its number; fields by name, `None` leaves one out, `more` stands at the end."""
    named = bool({"DEC", "AREA", "CON", "DNU"} & {code})
    given: dict[str, str | None] = {"Status": "active", "Scope": "project"}
    given |= {"Subject": SUBJECT, "Facet": "behavior"} if named else {}
    given |= {"Status": "candidate", "Candidate_Type": "note"} if code == "INBOX" else {}
    given |= fields
    heading = f"{'Tombstone: ' if code in {'DNU', 'TOMB'} else ''}{title or text}"
    lines = [f"## MC-{code}-20260301-{number:08x} — {heading}", ""]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in given.items() if value is not None]
    lines += ["Evidence:", *(f"- {one}" for one in evidence)]
    return "\n".join([*lines, "", f"{label or _LABELS[code]}:", text, ""]) + more


def subject(number: int = 1, title: str = "Rivers", **fields: str) -> str:
    """A Subject in force."""
    given = {"Status": "active", "Kind": "concept", **fields}
    lines = [f"## MC-SUBJ-20260301-{number:08x} — {title}", ""]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in given.items()]
    return "\n".join([*lines, "Evidence:", "- user-confirmed", "", "Aliases:", f"- {title}", ""])


def subjects(*texts: str) -> str:
    """A registry with these Subjects."""
    return "\n".join(["# Subjects", "", "Entries are newest first.", "", *texts])


def memory(files: Mapping[str, str] | None = None, protocol: str = "0.6") -> Snapshot:
    """The core files with one Subject, and others instead of them or beside them; paths with slash and ending."""
    texts = {
        "brief.md": "# Project Brief\n\nLantern turns field notes into printed maps.\n",
        "constraints.md": core_template("constraints.md"),
        "decisions.md": core_template("decisions.md"),
        "do-not-use.md": core_template("do-not-use.md"),
        "inbox.md": core_template("inbox.md"),
        "manifest.md": core_template("manifest.md", version="0.10.0", project_id=PROJECT_ID),
        "subjects.md": subjects(subject()),
    }
    if protocol != "0.6":
        texts["manifest.md"] = texts["manifest.md"].replace("protocol_version: 0.6", f"protocol_version: {protocol}")
        del texts["subjects.md"]
    return Snapshot("docs/memory", dict(sorted({**texts, **(files or {})}.items())))
