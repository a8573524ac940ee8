"""`kill -9` while eight clients write memories in every way: nothing is lost, doubled, half there or readable again."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from csbond.config.home import Home
from csbond_tests.drills.checkup import doctor_faults
from csbond_tests.drills.form import FULL
from csbond_tests.drills.ledger_rules import faults_in
from csbond_tests.drills.lives import Death, Life, Lives
from csbond_tests.drills.memory_held import Held, copies_in, lost, readable_in
from csbond_tests.drills.memory_load import MemoryLoad
from csbond_tests.drills.processes import eventually, new_home
from csbond_tests.drills.wire import Wire
from csbond_tests.requirements import requirement

ROUNDS = 100 if FULL else 4
LOAD_S = (0.3, 2.0) if FULL else (0.4, 1.0)
"""How long a life may work, in seconds, before it is killed at a random moment."""
SETTINGS = """
[log]
level = "warning"
[memory]
semantic = "SEMANTIC"
[tiers]
hot_cap = 20
warm_cap = 40
"""


@dataclass
class Drill:
    """One home through all its lives."""

    home: Home
    held: Held = field(default_factory=Held)
    latest: Held = field(default_factory=Held)
    deaths: list[Death] = field(default_factory=list)

    @property
    def file(self) -> Path:
        """The file of the ledger."""
        return self.home.path / "csb.db"

    async def live(self, lives: Lives, name: str, kill_after_s: float) -> None:
        """One life under load until it is killed; then what it left is looked at."""
        life = await lives.begin(self.home.path)
        await self.look_at(life, self.latest)
        load = MemoryLoad(name, life.port, self.home.owner_token())
        timer = asyncio.get_running_loop().call_later(kill_after_s, life.kill)
        await load.until_it_dies()
        timer.cancel()
        self.latest = load.held
        self.held.add(load.held)
        self.deaths.append(await life.ended())
        await self.look_at_files(name, load.held.secrets)

    async def look_at(self, life: Life, held: Held) -> None:
        """A node that started again has what was acknowledged, and each of it once, however often it is asked for."""
        unheard = [repeat for repeat in held.to_repeat() if not repeat.ids]
        assert await lost(held, life.port, self.home.owner_token()) == []
        self.held.secrets |= held.secrets
        copies = copies_in(self.file)
        assert {text: count for text, count in copies.items() if count > 1} == {}
        for repeat in unheard:
            assert {text for text in repeat.written.contents if text not in copies} == set(), repeat.written

    async def look_at_files(self, name: str, secrets: dict[str, str]) -> None:
        """Whatever killed it: rows, indexes and records agree, and what was erased cannot be read."""
        assert faults_in(self.file, self.home.identity.did) == [], name
        assert await doctor_faults(self.home) == [], name
        assert readable_in(self.home.path, secrets) == [], name

    async def end(self, lives: Lives) -> None:
        """A last life, in which the vectors catch up; then everything is looked at once more."""
        self.home.settings_file.write_text(SETTINGS.replace("SEMANTIC", "auto"), encoding="utf-8")
        life = await lives.begin(self.home.path)
        await self.look_at(life, self.latest)
        self.held.repeats = []
        await self.look_at(life, self.held)
        wire = await Wire.open(life.port, self.home.owner_token())

        async def caught_up() -> bool:
            memory = (await wire.good("GET", "/v1/status"))["memory"]
            assert memory["semantic"], memory["failure"]
            return bool(memory["indexed_through"] >= memory["space_seq"] and not memory["waiting"])

        await eventually(caught_up, "the vectors catch up", 600)
        wire.vanish()
        life.kill()
        await life.ended()
        await self.look_at_files("the last life", self.held.secrets)
        there = {each.secret: each.id for each in self.held.memories.values() if isinstance(each.state, tuple)}
        assert len({each.partition(" ")[0] for each in readable_in(self.home.path, there)}) == len(there)


@pytest.mark.timeout(7200 if FULL else 170)
@requirement("MEM-003-drill-kill")
async def test_no_kill_loses_doubles_or_brings_back_a_memory(tmp_path, record_figures):
    home = new_home(tmp_path / "home", SETTINGS.replace("SEMANTIC", "auto" if FULL else "off"))
    random = Random(20260402)
    async with Lives(tmp_path / "log") as lives:
        drill = Drill(home)
        for number in range(ROUNDS):
            await drill.live(lives, f"r{number}", random.uniform(*LOAD_S))
        await drill.end(lives)
    assert {death.status for death in drill.deaths} == {-9}
    assert drill.held.memories
    assert drill.held.secrets
    record_figures(report(drill))


def report(drill: Drill) -> str:
    """The figures of the run."""
    phases = dict(Counter(death.phase for death in drill.deaths))
    states = dict(
        Counter(str(each.state) if isinstance(each.state, str) else "there" for each in drill.held.memories.values())
    )
    return (
        f"kills: {len(drill.deaths)} ({phases})\nacknowledged and found: {states}\n"
        f"unreadable: {len(drill.held.secrets)}"
    )
