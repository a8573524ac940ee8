"""The story for programs: what the storyteller would have told, as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from csbond.cli.demo.processes import NodeProcess


class StoryRecord:
    """Keeps the story; nothing is printed while it goes on."""

    def __init__(self) -> None:
        self._chapters: list[dict[str, Any]] = []

    def chapter(self, english: str, chinese: str) -> None:
        """The next part, by its name in both languages."""
        self._chapters.append({"name": english, "name_zh": chinese, "steps": []})

    def say(self, who: str, what: str) -> None:
        """What somebody says, or what a search finds."""
        self._steps.append({"who": who, "said": what, "remarks": []})

    def add(self, remark: str) -> None:
        """A remark on what was said last."""
        self._steps[-1]["remarks"].append(remark)

    def note(self, text: str) -> None:
        """What happens, though nobody says it."""
        self._steps.append({"who": "", "said": text, "remarks": []})

    def document(self, nodes: Iterable[NodeProcess], *, ok: bool) -> dict[str, Any]:
        """The whole: whether every node answered as it should, who took part and where, and every step."""
        agents = [
            {"name": node.name, "did": node.home.identity.did, "url": node.url, "home": str(node.home.path)}
            for node in nodes
        ]
        return {"ok": ok, "agents": agents, "chapters": self._chapters}

    @property
    def _steps(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = self._chapters[-1]["steps"]
        return steps
