"""What memory-custodian promises of its speed, as ratios to the bare interpreter in one run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bench.custodian.measure import Figures

__all__ = ["Target", "targets"]

READ = 2.0
"""At most: times what an interpreter takes that only imports argparse. Agents run `read` before they work."""
ADD = 2.5
"""At most: the same for `add`, which reads the whole set and writes durably under two locks."""


class Target(NamedTuple):
    """One promise, and what was seen."""

    promise: str
    bound: float
    seen: float

    @property
    def kept(self) -> bool:
        """Whether what was seen is no more than the bound."""
        return self.seen <= self.bound


def targets(figures: Figures) -> Iterator[Target]:
    """Yield every promise."""
    yield Target("read --task implementation ÷ interpreter", READ, figures.read.ratio)
    yield Target("add ÷ interpreter", ADD, figures.add.ratio)
    yield Target("acknowledged entries that writers at once lost", 0, figures.crowd.lost)
    yield Target("failures other than a lock time-out", 0, figures.crowd.unexplained)
