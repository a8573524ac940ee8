"""What a preview says of a plan, as lines and as data, both from the form of it that may be shown (§§8, 14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_custodian.rules.plan import Plan
from memory_custodian.rules.plan_identity import public_form
from memory_custodian.rules.protocol import REDACTED
from memory_custodian.rules.topic_redaction import redacted

__all__ = ["apply_command", "plan_data", "preview_lines"]

_PROGRAM = "memory-custodian"
_TOPIC = '"${TOPIC:?type the topic}"'
"""What stands for the topic in a command: a shell that has no such variable refuses it with these words."""


def preview_lines(plan: Plan, plan_id: str, command_line: Sequence[str]) -> list[str]:
    """Return the lines of a preview: the plan with its ID, what it does to each file, and the command that makes it."""
    form = public_form(plan)
    lines = [*(_shown(plan, line) for line in plan.headline), f"Plan ID: {plan_id}", "Target files:"]
    lines += _listed([line for operation in form["operations"] for line in _operation_lines(operation)])
    lines += ["Blockers:", *_listed([f"- {blocker}" for blocker in form["blockers"]])]
    lines += ["Warnings:", *_listed([f"- {warning}" for warning in form["warnings"]])]
    lines += ["Estimated budget result:", *_listed([_budget_line(result) for result in form["budget_results"]])]
    if plan.erasure is not None:
        from memory_custodian.rules.erasure_text import removal_lines

        lines += removal_lines(plan.erasure)
    return [*lines, *_gate_lines(plan), *_ending(plan, plan_id, command_line)]


def plan_data(plan: Plan, plan_id: str) -> dict[str, Any]:
    """Return the same as data, for --format json."""
    form = public_form(plan)
    scope: Mapping[str, Any] | None = None
    if plan.erasure is not None:
        from memory_custodian.rules.erasure_text import removal_data

        scope = removal_data(plan.erasure)
    return {
        "plan_id": plan_id,
        "target_files": [_operation_data(operation) for operation in form["operations"]],
        "blockers": form["blockers"],
        "warnings": form["warnings"],
        "gates": [{"flag": gate.flag, "reason": _shown(plan, gate.reason)} for gate in plan.gates],
        "budget_results": form["budget_results"],
        "removal_scope": scope,
        "created": list(plan.created),
    }


def apply_command(plan: Plan, plan_id: str, command_line: Sequence[str]) -> str:
    """Return the command that makes the plan, quoted for a shell; the topic of a sensitive one has to be typed again.

    A shell refuses the command as long as the topic is not typed. The flags of its gates are in it, because they
    change nothing of the plan.
    """
    words = [_quoted(plan, word) for word in command_line]
    more = ["--apply", "--confirm-plan", plan_id, *(gate.flag for gate in plan.gates)]
    # Options behind a `--` would be taken for arguments.
    end = words.index("--") if "--" in words else len(words)
    return " ".join([_PROGRAM, *words[:end], *more, *words[end:]])


def _quoted(plan: Plan, word: str) -> str:
    import shlex

    shown = _shown(plan, word)
    if shown == word:
        return shlex.quote(word)
    return _TOPIC.join(shlex.quote(part) if part else "" for part in shown.split(REDACTED))


def _shown(plan: Plan, text: str) -> str:
    return redacted(text, plan.topic) if plan.sensitive else text


def _listed(lines: list[str]) -> list[str]:
    return lines or ["- none"]


def _operation_lines(operation: Mapping[str, Any]) -> list[str]:
    lines = [f"- {operation['path']}", f"  Operation: {operation['operation']} ({operation['summary']})"]
    if "base_sha256" not in operation:
        return [*lines, "  Digests: redacted for sensitive operation"]
    return [
        *lines,
        f"  Base SHA-256: {operation['base_sha256']}",
        f"  Expected SHA-256: {operation['expected_output_sha256']}",
    ]


def _operation_data(operation: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "path": operation["path"],
        "operation": operation["operation"],
        "summary": operation["summary"],
        "base_sha256": operation.get("base_sha256"),
        "expected_sha256": operation.get("expected_output_sha256"),
    }


def _budget_line(result: Mapping[str, Any]) -> str:
    size = f"{result['before']} -> {result['after']} tokens"
    return f"- {result['file']}: {size} (limit {result['limit']}, state {result['state']})"


def _gate_lines(plan: Plan) -> list[str]:
    return [f"Needs {gate.flag}: {_shown(plan, gate.reason)}" for gate in plan.gates]


def _ending(plan: Plan, plan_id: str, command_line: Sequence[str]) -> list[str]:
    if plan.blockers:
        return ["Dry run only: nothing was written. With a blocker the plan cannot be applied."]
    lines = ["Dry run only: nothing was written. Apply with:", f"  {apply_command(plan, plan_id, command_line)}"]
    if plan.sensitive:
        lines.append(
            f"Type the topic again, quoted, in place of {_TOPIC}, or set TOPIC to it first: it is kept out of "
            "everything that is shown."
        )
    return lines
