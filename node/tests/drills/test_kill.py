"""`kill -9` under load, again and again on one home: what was acknowledged is there, and nothing is there by half."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from csbond.config.home import Home
from csbond.store.sqlite.statements import statements
from csbond_tests.drills.acknowledged import Acknowledged, missing
from csbond_tests.drills.form import FULL
from csbond_tests.drills.ledger_rules import faults_in, unfinished_in
from csbond_tests.drills.lives import Death, Life, Lives
from csbond_tests.drills.load import LOAD_SKILL, Inbox, Load, inbox
from csbond_tests.drills.processes import descendants, eventually, new_home
from csbond_tests.drills.wire import Wire
from csbond_tests.requirements import requirement

ROUNDS = 50 if FULL else 4
IN_TRANSACTION_SHARE = 0.3
LOAD_S = (0.2, 1.2) if FULL else (0.2, 0.5)
"""How long a life may work, in seconds, before it is killed at a random moment."""
PATIENCE = 8
"""How many times as long a life may work until it comes by its crash point."""
INSIDE = ["before_commit", *(f"after_{name}" for name in ("begin", "savepoint", "release", "update_task"))]
INSIDE += [f"after_{name}" for name in statements() if name.startswith(("insert_", "append_", "save_", "index_"))]
OUTSIDE = ["before_begin", "after_commit"]
SETTINGS = """
[skill]
kind = "function"
function = "load_skill:answer"
path = "."
[push]
allow_hosts = ["127.0.0.1"]
[log]
level = "warning"
[memory]
semantic = "SEMANTIC"
"""
SEMANTIC = "auto" if FULL else "off"
"""In the short form only the last life pays for the start of the encoder."""


@dataclass
class Drill:
    """One home through all its lives."""

    home: Home
    inbox: Inbox
    held: Acknowledged = field(default_factory=Acknowledged)
    latest: Acknowledged = field(default_factory=Acknowledged)
    deaths: list[tuple[str, Death]] = field(default_factory=list)

    @property
    def file(self) -> Path:
        """The file of the ledger."""
        return self.home.path / "csb.db"

    async def live(self, lives: Lives, name: str, crash_at: str, kill_after_s: float) -> None:
        """One life under load, until its crash point or a kill; then what it left is looked at."""
        life = await lives.begin(self.home.path, crash_at)
        if life.port:
            await self.look_at(life, self.latest)
            load = Load(name, life.port, self.home.owner_token(), self.inbox)
            timer = asyncio.get_running_loop().call_later(kill_after_s, life.kill)
            await load.until_it_dies()
            timer.cancel()
            self.latest = load.held
            self.held.add(load.held)
        self.deaths.append((crash_at, await life.ended()))
        assert faults_in(self.file, self.home.identity.did) == [], name

    async def look_at(self, life: Life, held: Acknowledged) -> None:
        """A node that started again has ended what its predecessor left, and has what was acknowledged."""
        assert unfinished_in(self.file) == []
        assert await missing(held, life.port, self.home.owner_token()) == []

    async def end(self, lives: Lives) -> None:
        """A last life: the vectors catch up, the webhooks have heard of every end, and the home is found whole."""
        self.home.settings_file.write_text(SETTINGS.replace("SEMANTIC", "auto"), encoding="utf-8")
        life = await lives.begin(self.home.path)
        await self.look_at(life, self.held)
        wire = await Wire.open(life.port, self.home.owner_token())

        async def caught_up() -> bool:
            status = await wire.good("GET", "/v1/status")
            memory = status["memory"]
            assert memory["semantic"], memory["failure"]
            done = memory["indexed_through"] >= memory["space_seq"] and not memory["waiting"]
            return bool(done and not status["counts"]["deliveries"])

        await eventually(caught_up, "vectors and notifications catch up", 300)
        found = await wire.good("POST", "/v1/memory/search", {"query": "the colour of a box"})
        assert found["semantic"], found
        helpers = descendants(life.pid)
        wire.vanish()
        life.kill()
        await life.ended()
        await eventually(lambda: not any(Path(f"/proc/{each}").exists() for each in helpers), "its processes end")


@pytest.mark.timeout(3600 if FULL else 170)
@requirement("FAULT-18")
async def test_what_was_acknowledged_is_there_after_every_kill_and_nothing_is_there_by_half(tmp_path, record_figures):
    home = new_home(tmp_path / "home", SETTINGS.replace("SEMANTIC", SEMANTIC), {"load_skill": LOAD_SKILL})
    async with inbox() as box, Lives(tmp_path / "log") as lives:
        drill = Drill(home, box)
        for number, (crash_at, kill_after_s) in enumerate(plans(ROUNDS)):
            await drill.live(lives, f"r{number}", crash_at, kill_after_s)
        await drill.end(lives)
    assert faults_in(drill.file, home.identity.did) == []
    assert_every_webhook_heard_an_end(drill)
    assert_doctor_finds_it_whole(home.path)
    hits = [death.in_transaction for _, death in drill.deaths]
    assert len(hits) == ROUNDS
    assert {death.status for _, death in drill.deaths} == {-9}
    assert sum(hits) / len(hits) >= IN_TRANSACTION_SHARE
    record_figures(report(drill))


def plans(rounds: int) -> Iterator[tuple[str, float]]:
    """A crash point of each life, and the seconds after which it is killed anyway.

    In turn: a point inside a transaction, a random moment, another named point, and any point, early ones too: then a
    life ends while it reconciles what the one before left.
    """
    random = Random(20260401)
    named = [*random.sample(INSIDE, len(INSIDE)), *OUTSIDE]
    for number in range(rounds):
        kill_after_s = random.uniform(*LOAD_S)
        if number % 2 == 0:
            yield f"{named[number // 2 % len(named)]}:{random.randrange(1, 40)}", PATIENCE * kill_after_s
        elif number % 4 == 1:
            yield "", kill_after_s
        else:
            yield (
                f"any:{random.randrange(5, 60) if number % 8 == 3 else random.randrange(60, 2000)}",
                PATIENCE * kill_after_s,
            )


def assert_every_webhook_heard_an_end(drill: Drill) -> None:
    """Each notification is sent at least once, whatever dies between."""
    working = {webhook.task_id for webhook in drill.held.webhooks}
    deaf = [id_ for id_ in working if "TASK_STATE_FAILED" not in drill.inbox.heard.get(id_, [])]
    assert working
    assert not deaf


def assert_doctor_finds_it_whole(home: Path) -> None:
    command = [sys.executable, "-m", "csbond.cli", "doctor", "--home", str(home), "--json"]
    looked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    findings = json.loads(looked.stdout)["findings"]
    assert [each for each in findings if each["verdict"] == "fault"] == []
    assert "database" in {each["subject"] for each in findings}


def report(drill: Drill) -> str:
    """The figures of the run."""
    phases = Counter(death.phase for _, death in drill.deaths)
    random = [death for crash_at, death in drill.deaths if not crash_at]
    share = sum(death.in_transaction for _, death in drill.deaths) / len(drill.deaths)
    share_of_random = sum(death.in_transaction for death in random) / len(random)
    held = drill.held
    return (
        f"kills: {len(drill.deaths)}, in a transaction: {share:.0%} ({dict(phases)}; of the random ones "
        f"{share_of_random:.0%})\npoints: {sorted({death.point for _, death in drill.deaths})}\n"
        f"acknowledged and found: {len(held.tasks)} tasks, {len(held.message_ids)} messages, {len(held.memories)} "
        f"memories, {len(held.webhooks)} webhooks"
    )
