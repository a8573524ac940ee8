"""Says which files of an earlier command were replaced, however the command that finished it ends itself (§14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from memory_custodian.commands.outcome import Outcome
from memory_custodian.rules.plan import Argument
from memory_custodian.rules.problems import Problem

__all__ = ["earlier_told"]


@contextmanager
def earlier_told(arguments: Mapping[str, Argument], finished: Sequence[str]) -> Iterator[Callable[[Outcome], Outcome]]:
    """Give what adds the files to an outcome; a problem that is raised inside gets them too.

    They come first, and no line about the plan of this command speaks of them.
    """
    paths = _shown(arguments, finished)
    lines = tuple(f"Finished what an earlier command had begun: {path}" for path in paths)

    def told(outcome: Outcome) -> Outcome:
        return outcome._replace(lines=(*lines, *outcome.lines), data={**outcome.data, "finished": list(paths)})

    try:
        yield told
    except Problem as problem:
        if not paths:
            raise
        raise type(problem)(
            f"{problem.message}. Before that, what an earlier command had begun was finished: {', '.join(paths)}",
            shown=(*lines, *problem.shown),
            shown_data={**problem.shown_data, "finished": list(paths)},
        ) from problem


def _shown(arguments: Mapping[str, Argument], finished: Sequence[str]) -> tuple[str, ...]:
    """Return the paths as they may be shown: a file may be named by what is being forgotten."""
    topic = arguments.get("topic")
    if not finished or not isinstance(topic, str) or arguments.get("mode") == "soft":
        return tuple(finished)
    from memory_custodian.rules.topic_redaction import redacted

    return tuple(redacted(path, topic) for path in finished)
