"""What makes two plans the same: the canonical form of a plan and its Plan ID (§8.1)."""

from __future__ import annotations

from typing import Any

from memory_custodian.rules.digest import sha256_hex
from memory_custodian.rules.plan import FileChange, Plan
from memory_custodian.rules.protocol import REDACTED
from memory_custodian.rules.topic_redaction import redacted

__all__ = ["plan_id", "private_form", "public_form"]


def plan_id(plan: Plan) -> str:
    """Return the first sixteen hex digits of the SHA-256 over the canonical JSON of the private form."""
    return sha256_hex(_canonical(private_form(plan)))[:16]


def private_form(plan: Plan) -> dict[str, Any]:
    """Return what the Plan ID is made from. It holds the topic and the nonce of a sensitive plan: never shown.

    Gates are left out: a flag that only opens one changes nothing of what would be written. There is no time in it
    but the date of the preview, inside the digests.
    """
    return {
        "command": plan.command,
        "arguments": dict(plan.arguments),
        "project_id": plan.project_id,
        "protocol_version": plan.protocol_version,
        "target_paths": sorted(change.path for change in plan.changes),
        "operations": sorted((_operation(change) for change in plan.changes), key=_by_path),
        "warnings": list(plan.warnings),
        "blockers": list(plan.blockers),
        "context": dict(plan.context),
        "private_context": {"nonce": plan.nonce, "topic": plan.topic},
        "budget_results": [result._asdict() for result in plan.budgets],
    }


def public_form(plan: Plan) -> dict[str, Any]:
    """Return what may be shown: the private form without nonce; of a sensitive plan neither topic nor digest."""
    form = private_form(plan)
    del form["private_context"]
    for shown, change in zip(form["operations"], sorted(plan.changes, key=lambda change: change.path), strict=True):
        shown["summary"] = change.summary
    if not plan.sensitive:
        return form
    for operation in form["operations"]:
        del operation["base_sha256"], operation["expected_output_sha256"]
    names = {"command": form["command"], "project_id": form["project_id"], "protocol_version": form["protocol_version"]}
    hidden: dict[str, Any] = {**_without_topic(form, plan.topic), **names}
    for shown, operation in zip(hidden["operations"], form["operations"], strict=True):
        shown["operation"] = operation["operation"]
    for shown, result in zip(hidden["budget_results"], form["budget_results"], strict=True):
        shown["state"] = result["state"]
    if "topic" in hidden["arguments"]:
        hidden["arguments"]["topic"] = REDACTED
    return hidden


def _operation(change: FileChange) -> dict[str, Any]:
    return {
        "path": change.path,
        "operation": change.operation,
        "base_sha256": sha256_hex(change.bytes_before),
        "expected_output_sha256": sha256_hex(change.bytes_after),
    }


def _by_path(operation: dict[str, Any]) -> str:
    return str(operation["path"])


def _without_topic(value: Any, topic: str) -> Any:
    """Redact every text inside a JSON value; keys are names of ours."""
    if isinstance(value, str):
        return redacted(value, topic)
    if isinstance(value, (list, tuple)):
        return [_without_topic(item, topic) for item in value]
    if isinstance(value, dict):
        return {key: _without_topic(item, topic) for key, item in value.items()}
    return value


def _canonical(form: dict[str, Any]) -> bytes:
    import json

    return json.dumps(form, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
