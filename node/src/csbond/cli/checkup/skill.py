"""What answers messages: that it can be loaded as the settings describe it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from csbond.cli.checkup.finding import Finding, looked_at
from csbond.config.home import Home
from csbond.config.settings import Settings


def check_skill(home: Home, settings: Settings) -> Iterator[Finding]:
    """Load the skill of [skill] and let it go again."""

    def look() -> str:
        from csbond.skills.load import load_skill

        skill = load_skill(settings.skill, home.path)
        asyncio.run(skill.close())
        return f"{skill.card.name}: {skill.card.description}"

    yield looked_at("skill", look)
