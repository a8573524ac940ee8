"""The page of the reference that is drawn from the life cycle of a task."""

from __future__ import annotations

from collections.abc import Iterator

from csbond.protocol.messages.task import INTERRUPTED, TERMINAL, TRANSITIONS, UNFINISHED, TaskState

_HEAD = """\
# The life of a task

Drawn from `TRANSITIONS` in `csbond.protocol.messages.task`. A step that is not here is refused with
`unsupported_operation`; a task that has ended never changes again. A message that goes on with a task names it in
`taskId`.

"""
_MEANING = {
    TaskState.SUBMITTED: "It was accepted and is on disk; pieces of an answer may follow already.",
    TaskState.WORKING: "The skill says that it is at work.",
    TaskState.INPUT_REQUIRED: "The skill asked its caller for something and waits for a message.",
    TaskState.AUTH_REQUIRED: "The skill asked its caller to prove who they are and waits.",
    TaskState.COMPLETED: "The answer is whole.",
    TaskState.FAILED: "The skill could not, took too long, or the node stopped before the end.",
    TaskState.CANCELED: "Its caller took it back, or let it wait longer than `limits.interrupted_ttl_s`.",
    TaskState.REJECTED: "The skill would not.",
}
_KINDS = ((UNFINISHED, "runs"), (INTERRUPTED, "waits for its caller"), (TERMINAL, "has ended"))


def life_cycle_markdown() -> str:
    """`docs/reference/life-cycle.md`."""
    return _HEAD + "```mermaid\nstateDiagram-v2\n" + "".join(_picture()) + "```\n\n" + "".join(_table())


def _picture() -> Iterator[str]:
    yield f"    [*] --> {TaskState.SUBMITTED}\n"
    yield "    state ended {\n"
    yield from (f"        {state}\n" for state in TRANSITIONS if state in TERMINAL)
    yield "    }\n"
    for state, following in TRANSITIONS.items():
        for each in TRANSITIONS:
            if each in following and not (each in TERMINAL and following >= TERMINAL):
                yield f"    {state} --> {each}\n"
        if following >= TERMINAL:
            yield f"    {state} --> ended\n"


def _table() -> Iterator[str]:
    yield "| State | In v1.0 | In v0.3 | The task | What it means | It may become |\n"
    yield "| --- | --- | --- | --- | --- | --- |\n"
    for state, following in TRANSITIONS.items():
        older, newer = state.value.replace("_", "-"), f"TASK_STATE_{state.name}"
        kind = next(name for states, name in _KINDS if state in states)
        becomes = ", ".join(f"`{each}`" for each in TRANSITIONS if each in following) or "–"
        yield f"| `{state}` | `{newer}` | `{older}` | {kind} | {_MEANING[state]} | {becomes} |\n"
