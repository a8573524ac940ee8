"""Says what became of an earlier command's change, however the command that saw to it ends itself (§14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.journal import Earlier
from memory_custodian.rules.plan import Argument
from memory_custodian.rules.problems import Interrupted, Problem, Unavailable, of_disk
from memory_custodian.rules.value import Value

__all__ = ["earlier_told"]

_SIGINT_ENDS = 130


@contextmanager
def earlier_told(
    arguments: Mapping[str, Argument], finish: Callable[[], Earlier]
) -> Iterator[Callable[[Outcome], Outcome]]:
    """Finish what an earlier command had begun, and give what adds that to an outcome.

    A problem that is raised inside tells of it too, and so do an error of the disk and the end by a signal. It comes
    first, and no line about the plan of this command speaks of it.
    """
    told = _Told(_finished(arguments, finish))
    try:
        yield told.in_outcome
    except Problem as problem:
        if not told.words:
            raise
        raise type(problem)(problem.message + told.words, **told.shown(problem)) from problem
    except OSError as error:
        if not told.words:
            raise
        raise Unavailable(of_disk(error).message + told.words, **told.shown()) from error
    except (KeyboardInterrupt, SystemExit) as end:
        if not told.words:
            raise
        code = end.code if isinstance(end, SystemExit) and isinstance(end.code, int) else _SIGINT_ENDS
        message = f"Interrupted; nothing of its own was written{told.words}"
        raise Interrupted(message, code, **told.shown()) from end


class _Told(Value):
    earlier: Earlier

    @property
    def words(self) -> str:
        """What follows a message."""
        finished, taken_back = (", ".join(paths) for paths in self.earlier)
        verb, paths = ("finished", finished) if finished else ("taken back", taken_back)
        return f". Before that, what an earlier command had begun was {verb}: {paths}" if paths else ""

    @property
    def lines(self) -> tuple[str, ...]:
        finished, taken_back = self.earlier
        return (
            *(f"Finished what an earlier command had begun: {path}" for path in finished),
            *(f"Took back what an earlier command had begun: {path}" for path in taken_back),
        )

    @property
    def data(self) -> dict[str, Any]:
        return {name: list(paths) for name, paths in self.earlier._asdict().items()}

    def in_outcome(self, outcome: Outcome) -> Outcome:
        return outcome._replace(earlier=self.lines, data={**outcome.data, **self.data})

    def shown(self, problem: Problem | None = None) -> dict[str, Any]:
        """What a problem shows besides its message."""
        lines, data = (problem.shown, problem.shown_data) if problem else ((), {})
        return {"shown": (*self.lines, *lines), "shown_data": {**data, **self.data} if self.lines else data}


def _finished(arguments: Mapping[str, Argument], finish: Callable[[], Earlier]) -> Earlier:
    """Return what was made of it as it may be shown: a file may be named by what is being forgotten."""
    try:
        finished, taken_back = finish()
    except Problem as problem:
        raise type(problem)(_public(arguments, problem.message)) from problem
    return Earlier(*(tuple(_public(arguments, path) for path in paths) for paths in (finished, taken_back)))


def _public(arguments: Mapping[str, Argument], text: str) -> str:
    topic = arguments.get("topic")
    if not isinstance(topic, str) or arguments.get("mode") == "soft":
        return text
    from memory_custodian.rules.topic_redaction import redacted

    return redacted(text, topic)
