"""A thread is summarised: by an extract, or by a model where the owner chose one and its text can be trusted."""

from __future__ import annotations

from typing import Any

from csbond.flows.world import World
from csbond.protocol.continuity.model_summary import summary_wish, with_text
from csbond.protocol.continuity.summary import Generator, SummaryOptions, context_summary
from csbond.protocol.continuity.window import Window


async def summarise_thread(
    world: World, window: Window, generator: Generator = "sender", options: SummaryOptions | None = None
) -> dict[str, Any] | None:
    """The `context_summary` of what lies beyond a window; None when there is nothing to tell of it.

    A model that does not answer, writes too much or leaves a key decision out has the extract told.
    """
    extract = context_summary(window, world.clock.now(), generator, options)
    if extract is None or world.summariser is None:
        return extract
    wish = summary_wish(window, extract)
    return extract if wish is None else with_text(extract, wish, await world.summariser.summarise(wish))
