"""What `enable` makes: one optional module, its line in the index, and a note of it (§3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memory_custodian.rules.changelog import logged
from memory_custodian.rules.file_changes import budget_results, file_changes
from memory_custodian.rules.manifest import (
    migration_notice,
    project_id_of,
    protocol_version_of,
    read_manifest,
    require_writable,
)
from memory_custodian.rules.manifest_edit import with_module
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import CHANGELOG
from memory_custodian.rules.scan import refuse_secrets
from memory_custodian.rules.scope import safe_name
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import module_template

__all__ = ["feature_file", "plan_enable"]

_FILES: Final = {
    "preferences": "preferences.md",
    "changelog": CHANGELOG,
    "rules": "rules/README.md",
    "profiles": "profiles/README.md",
    "archive": "archive/README.md",
}
_FOLDERS: Final = {
    "rules": ("rules", "rule"),
    "profile": ("profiles", "profile"),
    "profiles": ("profiles", "profile"),
    "area": ("areas", "area"),
    "areas": ("areas", "area"),
}


def feature_file(feature: str) -> str:
    """Return the file of a feature, as areas/sync.md for area/sync.

    Refuses a feature that does not exist, and an evident secret, which the name of a file would tell.
    """
    refuse_secrets("FEATURE", feature, allow_doubtful=True)
    if feature in _FILES:
        return _FILES[feature]
    kind, slash, name = feature.partition("/")
    if not slash or kind not in _FOLDERS:
        raise Refused(
            "FEATURE is not known; accepted: preferences, changelog, rules, profiles, archive, "
            "rules/<name>, profile/<name>, area/<name>"
        )
    folder, word = _FOLDERS[kind]
    return f"{folder}/{safe_name(word, name)}.md"


def plan_enable(snapshot: Snapshot, feature: str, today: str) -> Plan:
    """Return the plan that makes a module, indexes it and logs it; without changes where all that is done."""
    file = feature_file(feature)
    manifest_text = snapshot.require("manifest.md")
    manifest = read_manifest(manifest_text)
    require_writable(manifest)
    texts = {} if file in snapshot.texts else {file: module_template(file)}
    indexed = with_module(manifest_text, file)
    if indexed != manifest_text:
        texts["manifest.md"] = indexed
    changelog = texts.get(CHANGELOG, snapshot.texts.get(CHANGELOG))
    if texts and changelog is not None:
        texts[CHANGELOG] = logged(changelog, today, f"Enabled optional memory module {file}.")
    done = [f"{file}: {'kept' if file in snapshot.texts else 'written'}"]
    done += [f"manifest.md: indexed {file}"] if "manifest.md" in texts else []
    headline = done if texts else [f"{file}: already enabled"]
    changes = file_changes(snapshot, texts, _summaries(snapshot, texts))
    return Plan(
        command="enable",
        arguments={"memory_dir": snapshot.memory_dir, "feature": file},
        changes=changes,
        project_id=project_id_of(manifest) or "",
        protocol_version=protocol_version_of(manifest),
        headline=(*headline, *(migration_notice(manifest, snapshot.command("migrate")) if texts else ())),
        budgets=budget_results(snapshot, changes),
    )


def _summaries(snapshot: Snapshot, texts: Mapping[str, str]) -> dict[str, str]:
    sentences = {"manifest.md": "indexed", CHANGELOG: "logged"}
    return {file: sentences[file] if file in snapshot.texts else "made from its template" for file in texts}
