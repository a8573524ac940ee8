"""A bar on standard error for work that takes long; there is none without a terminal and where JSON is wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]
"""Says how much more is done."""


@contextmanager
def progress(total: int | None, what: str, *, shown: bool = True) -> Iterator[Advance]:
    """While the block works: a bar of how much of the total is done; of no known end for None."""
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _more: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bars:
        bar = bars.add_task(what, total=total)
        yield lambda more: bars.advance(bar, more)
