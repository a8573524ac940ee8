"""The story of every write: preview, lock, read again, plan again, confirm, write, report (§§7, 8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Literal

from memory_custodian.commands.earlier_change import earlier_told
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files import journal
from memory_custodian.files.atomic import sweep
from memory_custodian.files.commit import commit, preflight
from memory_custodian.files.lock import LockWish, held
from memory_custodian.files.memory_files import read_some
from memory_custodian.files.place import Place
from memory_custodian.files.seeds import SeededDraws, draws_for, fresh_draws
from memory_custodian.files.signals import Ending, ended_by_signals
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.lock_record import WAIT_SECONDS
from memory_custodian.rules.manifest import project_id_of, protocol_state, read_manifest, require_writable
from memory_custodian.rules.plan import Argument, Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.value import Value

__all__ = ["Build", "Request", "carry_out", "written_lines"]

Build = Callable[[Snapshot, Draws], Plan]
"""Makes the plan from what was read; it may be called again under the lock, so it changes nothing."""


class Request(Value):
    """One mutation that a verb asks for."""

    command: str
    """As forget or subject add."""
    place: Place
    arguments: Mapping[str, Argument]
    """What the pending preview is found by: the same as `Plan.arguments`, without gates."""
    build: Build
    reads: Callable[[Place], Snapshot]
    """What the plan needs of the disk, as `read_all`."""
    confirm: Literal["always", "current-protocol", "never"]
    """Whether it is previewed and confirmed by Plan ID: in every project, in those of protocol 0.6, or not at all."""
    apply: bool = False
    confirm_plan: str | None = None
    open_gates: frozenset[str] = frozenset()
    """The gate flags that were given, as --allow-broad-match."""
    lock_timeout: float = WAIT_SECONDS
    break_stale_lock: bool = False
    command_line: tuple[str, ...] = ()
    """The words after `memory-custodian` that ask for it again, without the place, --apply, --confirm-plan and gate
    flags: those are added."""
    facts: tuple[str, ...] = ()
    """What of `Plan.context` programs are told beside the plan."""


def carry_out(request: Request) -> Outcome:
    """Preview a mutation, or make it under the lock.

    1. A preview reads without a lock, plans, and keeps what was drawn; blockers are shown, and it is still a success.
    2. An apply without its Plan ID is refused before any lock. 3. Under the locks the files are read again and planned
    again. 4. Another Plan ID is refused with the new preview. 5. Blockers and closed gates refuse it, exit code 1.
    6. What cannot be written is refused before anything is. 7. All files are replaced, or none; a signal ends the
    command before the first is, or comes too late: then it ends by itself, with its report.
    """
    _check_words(request)
    confirmed = _is_confirmed_kind(request)
    if request.confirm != "never" and not request.apply:
        return _preview(request)
    if confirmed and request.confirm_plan is None:
        raise Refused("--apply needs --confirm-plan <PLAN_ID>: preview without --apply, and confirm the ID it prints")
    with (
        ended_by_signals() as ending,
        _locked(request, ending),
        earlier_told(request.arguments, partial(journal.finish, request.place)) as told,
    ):
        ending.release()
        _sweep(request.place)
        return told(_make(request, _draws(request), ending))


def written_lines(plan: Plan) -> tuple[str, ...]:
    """Return the lines that name the files which were really written (§14)."""
    return (f"Written files: {len(plan.changes)}", *(f"- {path}" for path in _written(plan)))


def _preview(request: Request) -> Outcome:
    draws = draws_for(request.place, request.command, request.arguments, preview=True)
    plan = request.build(_guarded(request.reads(request.place)), draws)
    if _does_nothing(plan):
        return _nothing_to_do(request, plan)
    draws.keep()
    return _shown_plan("preview", request, plan)


def _make(request: Request, draws: SeededDraws, ending: Ending) -> Outcome:
    plan = request.build(_guarded(request.reads(request.place)), draws)
    _check_confirmation(request, plan, draws)
    if plan.blockers:
        return _shown_plan("refused", request, plan, f": {len(plan.blockers)} blocker(s)")
    closed = [gate.flag for gate in plan.gates if gate.flag not in request.open_gates]
    if closed:
        return _shown_plan("refused", request, plan, f" without {' '.join(closed)}")
    if _does_nothing(plan):
        return _nothing_to_do(request, plan)
    preflight(request.place, plan.changes)
    ending.hold()
    commit(request.place, plan.changes, ending.check)
    draws.drop()
    return _report(request, plan)


@contextmanager
def _locked(request: Request, ending: Ending) -> Iterator[None]:
    """Hold the bootstrap lock, then the lock of the project where it has an ID (§7.3); with them, signals are held off.

    A project of an older protocol has none: the bootstrap lock alone orders its writers.
    """
    place = request.place
    until = time.monotonic() + request.lock_timeout
    wish = LockWish(request.command, until, request.lock_timeout, request.break_stale_lock, undisturbed=ending.held)
    with ExitStack() as locks:
        locks.enter_context(held(place, None, wish))
        project_id = _project_id(place)
        if project_id is not None:
            locks.enter_context(held(place, project_id, wish))
        ending.hold()
        try:
            yield
        finally:
            # The end of the command is decided: no signal may keep its locks from being released.
            ending.hold()


def _sweep(place: Place) -> None:
    keep = journal.kept_temporaries(place)
    sweep(place.memory, deep=True, keep=keep)
    sweep(place.root, deep=False, keep=keep)
    journal.sweep_journals(place, time.time())


def _draws(request: Request) -> SeededDraws:
    if request.confirm == "never":
        return fresh_draws()
    return draws_for(request.place, request.command, request.arguments, preview=False)


def _project_id(place: Place) -> str | None:
    manifest = _manifest_text(place)
    return project_id_of(read_manifest(manifest)) if manifest is not None else None


def _manifest_text(place: Place) -> str | None:
    return read_some(place, ["manifest.md"]).texts.get("manifest.md")


def _is_confirmed_kind(request: Request) -> bool:
    """Whether an apply needs a Plan ID; a project of an older protocol keeps its own way for some verbs (§8.2)."""
    if request.confirm != "current-protocol":
        return request.confirm == "always"
    manifest = _manifest_text(request.place)
    return manifest is not None and protocol_state(read_manifest(manifest)) == "current"


def _guarded(snapshot: Snapshot) -> Snapshot:
    """Refuse a project of a protocol that this version cannot write; one without a manifest is the verb's to judge."""
    manifest = snapshot.texts.get("manifest.md")
    if manifest is not None:
        require_writable(read_manifest(manifest))
    return snapshot


def _check_confirmation(request: Request, plan: Plan, draws: SeededDraws) -> None:
    if request.confirm_plan is None:
        # The project may have been migrated between the first look and the lock.
        if _is_confirmed_kind(request):
            raise Refused(
                "--apply needs --confirm-plan <PLAN_ID>: this project has protocol 0.6 now; nothing was written"
            )
        return
    from memory_custodian.rules.plan_identity import plan_id

    current = plan_id(plan)
    if request.confirm_plan == current:
        return
    if _does_nothing(plan):
        nothing = _nothing_to_do(request, plan)
        raise Refused(
            "--confirm-plan does not match: there is nothing left to do; nothing was written",
            shown=tuple(_public(plan, plan.headline)),
            shown_data=nothing.data,
        )
    draws.keep()
    preview = _shown_plan("preview", request, plan)
    raise Refused(
        f"--confirm-plan {request.confirm_plan} does not match: the plan is now {current}. Nothing was written; "
        "review the new preview",
        shown=preview.lines,
        shown_data=preview.data,
    )


def _shown_plan(state: Literal["preview", "refused"], request: Request, plan: Plan, why: str = "") -> Outcome:
    """Show a plan that is not made, in a refusal with the reason."""
    from memory_custodian.rules.plan_identity import plan_id
    from memory_custodian.rules.preview import apply_command, plan_data, preview_lines

    identity, words = plan_id(plan), _words(request)
    data = {
        "state": state,
        **_facts(request, plan),
        "plan": plan_data(plan, identity),
        "headline": _public(plan, plan.headline),
        "apply_command": None if plan.blockers else apply_command(plan, identity, words),
        "written": [],
    }
    refusal = (f"Refusing apply{why}. Nothing was written.",) if why else ()
    return Outcome((*preview_lines(plan, identity, words), *refusal), data, 1 if why else 0)


def _report(request: Request, plan: Plan) -> Outcome:
    """Say what was made. Only a plan that was confirmed has an ID, and its data."""
    lines = [*_public(plan, plan.headline), *_warning_lines(plan), *written_lines(plan), *_erasure_lines(plan)]
    data: dict[str, Any] = {
        "state": "applied",
        **_facts(request, plan),
        "plan": None,
        "headline": _public(plan, plan.headline),
        "warnings": _public(plan, plan.warnings),
        "created": list(plan.created),
        "apply_command": None,
        "written": _written(plan),
    }
    if request.confirm_plan is not None:
        from memory_custodian.rules.preview import plan_data

        data["plan"] = plan_data(plan, request.confirm_plan)
    return Outcome(tuple(lines), data)


def _nothing_to_do(request: Request, plan: Plan) -> Outcome:
    headline, warnings = _public(plan, plan.headline), _public(plan, plan.warnings)
    data: dict[str, Any] = {"state": "nothing-to-do", "plan": None, "apply_command": None, "written": []}
    lines = (*headline, *_warning_lines(plan))
    return Outcome(lines, {**data, **_facts(request, plan), "headline": headline, "warnings": warnings})


def _facts(request: Request, plan: Plan) -> dict[str, Any]:
    return {name: plan.context[name] for name in request.facts}


def _does_nothing(plan: Plan) -> bool:
    return not plan.changes and not plan.blockers


def _words(request: Request) -> tuple[str, ...]:
    words = request.command_line or tuple(request.command.split())
    end = words.index("--") if "--" in words else len(words)
    return (*words[:end], *request.place.options, *words[end:])


def _written(plan: Plan) -> list[str]:
    return _public(plan, [change.path for change in plan.changes])


def _warning_lines(plan: Plan) -> tuple[str, ...]:
    return tuple(f"Warning: {warning}" for warning in _public(plan, plan.warnings))


def _public(plan: Plan, texts: Sequence[str]) -> list[str]:
    """Return texts as they may be shown: without the topic of a sensitive plan."""
    if not plan.sensitive:
        return list(texts)
    from memory_custodian.rules.topic_redaction import redacted

    return [redacted(text, plan.topic) for text in texts]


def _erasure_lines(plan: Plan) -> tuple[str, ...]:
    if plan.erasure is None:
        return ()
    from memory_custodian.rules.erasure_text import applied_lines, removal_lines

    return (*removal_lines(plan.erasure), *applied_lines(plan.erasure))


def _check_words(request: Request) -> None:
    """Refuse words that no file could hold: arguments that were not UTF-8 on the command line."""
    for name, value in request.arguments.items():
        words = (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()
        if not all(map(_is_utf8, words)):
            raise Refused(f"{name.replace('_', '-')}: not valid UTF-8; accepted: text in UTF-8")


def _is_utf8(text: str) -> bool:
    """Whether it holds no half of a surrogate pair, which is how Python keeps bytes that it could not decode."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)
