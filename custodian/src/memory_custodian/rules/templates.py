"""What a new memory file says (§§3, 9)."""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.budgets import budget_of
from memory_custodian.rules.manifest import FIXED_VALUES
from memory_custodian.rules.manifest_edit import INDEX_PLACEHOLDER, INDEX_SECTIONS
from memory_custodian.rules.manifest_page import (
    ALWAYS_HEADING,
    BUDGET_HEADING,
    INDEX_HEADING,
    PROTOCOL_HEADING,
    TASK_HEADINGS,
)
from memory_custodian.rules.protocol import METADATA_KEYS, PROTOCOL_VERSION
from memory_custodian.rules.route import Category
from memory_custodian.rules.trust import TRUST_BOUNDARY, TRUST_HEADING

__all__ = [
    "EXTENDED_FILES",
    "core_template",
    "is_scaffold",
    "metadata_values",
    "module_template",
]

EXTENDED_FILES: Final = (
    "preferences.md",
    "changelog.md",
    "rules/README.md",
    "profiles/README.md",
    "archive/README.md",
)
"""What `init --extended` makes beside the core files."""

_NEWEST_FIRST: Final = "Entries are newest first."

_BRIEF_TODO: Final = (
    "TODO: Describe what this project does, and for whom.",
    "TODO: Describe the current product: what works today, and what is being built.",
    "TODO: Name the runtime, the build and the commands that must pass.",
)
_SCAFFOLD: Final = (
    "TODO: Describe what this project does",
    "TODO: Describe the current product",
    "TODO: Name the runtime",
)
"""How the sentences of a generated brief begin, in whatever version wrote it."""

_TEXTS: Final = {
    "subjects.md": f"""\
# Subjects

What entries are about: a stable ID under names that may change. Made by `memory-custodian subject add`; loads nothing.
{_NEWEST_FIRST}
""",
    "brief.md": "# Project Brief\n\n"
    + "".join(f"- {label}: {todo}\n" for label, todo in zip(("Purpose", "State", "Runtime"), _BRIEF_TODO, strict=True)),
    "decisions.md": f"# Decisions\n\n{_NEWEST_FIRST}\n",
    "constraints.md": "# Constraints\n",
    "do-not-use.md": "# Do Not Use / Tombstones\n\nTombstones are newest first.\n",
    "inbox.md": f"# Memory Inbox\n\n{_NEWEST_FIRST}\n\nNo unprocessed memory candidates.\n",
    "preferences.md": "# Preferences\n\nHow the people of this project like work to be done.\n",
    "changelog.md": f"# Memory Changelog\n\n{_NEWEST_FIRST}\n",
    "rules/README.md": "# Task rules\n\nOne file a kind of task; the manifest says when each is opened.\n",
    "profiles/README.md": "# Workflow profiles\n\nOne file a way of working, opened with `read --profile`.\n",
    "archive/README.md": "# Archive\n\nEntries moved out of memory. No task loads them; opened on purpose only.\n",
}

_ROUTES: Final[dict[Category, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "planning": (("decisions.md", "constraints.md", "do-not-use.md"), ()),
    "implementation": (("decisions.md", "constraints.md", "do-not-use.md"), ("preferences.md",)),
    "artifact": (("do-not-use.md",), ("rules/output.md", "preferences.md")),
    "preferences": ((), ("preferences.md",)),
    "history": (("decisions.md",), ("changelog.md",)),
    "maintenance": (("inbox.md", "do-not-use.md"), ("changelog.md",)),
}
"""The required and the optional files of each task, as in 0.9.1."""

_BUDGETED: Final = (
    "brief.md",
    "decisions.md",
    "constraints.md",
    "do-not-use.md",
    "preferences.md",
    "changelog.md",
    "rules/",
    "profiles/",
    "areas/",
)

_MODULES: Final = {
    "rules": ("Rule", "What holds for this kind of task."),
    "profiles": ("Profile", "How to work when this profile is asked for."),
    "areas": ("Area", "What holds for this part of the project only."),
}


def core_template(file: str, *, version: str = "", project_id: str = "") -> str:
    """Return the text of a new core file; manifest.md needs the version that makes it and a project_id."""
    return _manifest(version, project_id) if file == "manifest.md" else _TEXTS[file]


def module_template(file: str) -> str:
    """Return the text of any memory file that a write makes because it is missing; not of the manifest."""
    if file in _TEXTS:
        return _TEXTS[file]
    folder, _, name = file.partition("/")
    kind, sentence = _MODULES[folder]
    title = name.removesuffix(".md").replace("-", " ").replace("_", " ").title()
    return f"# {kind}: {title}\n\n{sentence}\n"


def metadata_values(version: str, project_id: str) -> dict[str, str]:
    """Return the nine metadata of a manifest that this version makes, in order (§3)."""
    made = {
        **FIXED_VALUES,
        "protocol_version": PROTOCOL_VERSION,
        "initialized_with": f"memory-custodian {version}",
        "last_migrated_with": f"memory-custodian {version}",
        "project_id": project_id,
    }
    return {key: made[key] for key in METADATA_KEYS}


def is_scaffold(brief: str) -> bool:
    """Whether a brief still has a generated sentence in the place of real project facts."""
    return any(sentence in brief for sentence in _SCAFFOLD)


def _manifest(version: str, project_id: str) -> str:
    metadata = "\n".join(f"- {key}: {value}" for key, value in metadata_values(version, project_id).items())
    routes = "\n\n".join(_route(category) for category in TASK_HEADINGS)
    index = "\n\n".join(f"{heading}\n{INDEX_PLACEHOLDER}" for heading in INDEX_SECTIONS.values())
    budgets = "\n".join(f"- {file}: {_limit(file)} tokens" for file in _BUDGETED)
    return f"""\
# Memory Manifest

Which memory files a task loads. The task is named with `memory-custodian read --task`; nothing here is guessed.

{PROTOCOL_HEADING}
{metadata}

{TRUST_HEADING}

{TRUST_BOUNDARY}
{ALWAYS_HEADING}
- brief.md

## Load by task

{routes}

{INDEX_HEADING}

Modules in rules/, profiles/ and areas/ are loaded by a route above, or by `--profile` and `--area`.

{index}

## Explicit only
- archive/

{BUDGET_HEADING}

Shown for people; the program has the same numbers built in.

{budgets}
"""


def _route(category: Category) -> str:
    required, optional = _ROUTES[category]
    lines = [TASK_HEADINGS[category]]
    if required:
        lines += ["Load:", *(f"- {file}" for file in required)]
    if optional:
        lines += ["Load if present:", *(f"- {file}" for file in optional)]
    return "\n".join(lines)


def _limit(file: str) -> int | None:
    return budget_of(f"{file}any.md" if file.endswith("/") else file)
