"""Several processes and one memory: on SQLite one of them is the node, and the others write through it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

import csbond_tests
from csbond_tests.drills.checkup import doctor_faults
from csbond_tests.drills.form import FULL
from csbond_tests.drills.lives import Life, Lives
from csbond_tests.drills.memory_held import copies_in
from csbond_tests.drills.memory_writer import SHARED_EVERY
from csbond_tests.drills.processes import NodeProcess, new_home, serving
from csbond_tests.drills.wire import Gone, Wire
from csbond_tests.requirements import requirement

WRITERS = 8 if FULL else 4
WRITES = 200 if FULL else 30
READERS = 4 if FULL else 2
CALLS = 50
KILLS = 20 if FULL else 3
SETTINGS = """
[log]
level = "warning"
[memory]
semantic = "off"
"""


async def ended(*command: str, told: str = "") -> tuple[int, str, str]:
    """The status of a process and what it wrote, once it has ended."""
    places = [str(Path(csbond_tests.__file__).parent.parent), *sys.path]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
    )
    try:
        out, errors = await process.communicate(told.encode())
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


async def read_on(node: NodeProcess, until: asyncio.Event) -> int:
    """How often the memory was read in three ways; each time with a good answer."""
    wire = await node.connect()
    times = 0
    while not until.is_set():
        page = await wire.good("GET", "/v1/memory?limit=5")
        await wire.good("POST", "/v1/memory/search", {"query": "a blue shelf"})
        for memory in page["memories"]:
            await wire.good("GET", f"/v1/memory/{memory['id']}")
        times += 1
    return times


@pytest.mark.timeout(1800 if FULL else 170)
@requirement("MEM-003-drill-processes", "MEM-005-report-06-locked")
async def test_processes_that_write_and_read_at_once_see_no_error_and_lose_and_double_nothing(tmp_path, record_figures):
    home = new_home(tmp_path / "home", SETTINGS)
    async with serving(home) as node:
        done = asyncio.Event()
        readers = [asyncio.create_task(read_on(node, done)) for _ in range(READERS)]
        writer = "csbond_tests.drills.memory_writer"
        writers = (
            ended(writer, str(node.port), f"w{number}", str(WRITES), told=node.token) for number in range(WRITERS)
        )
        results = await asyncio.gather(*writers)
        done.set()
        reads = await asyncio.gather(*readers)
        assert [(status, errors) for status, _, errors in results] == [(0, "")] * WRITERS
        told = [json.loads(out) for _, out, _ in results]
        ids = {content: {each[content] for each in told if content in each} for each in told for content in each}
        assert {content for content, of in ids.items() if len(of) > 1} == set()
        own = WRITES - len(range(0, WRITES, SHARED_EVERY))
        expected = WRITERS * own + (WRITES - own)
        wire = await node.connect()
        assert (await wire.good("GET", "/v1/memory?limit=1"))["total"] == expected
        assert copies_in(home.path / "csb.db") == dict.fromkeys(ids, 1)
        assert len(ids) == expected
        assert "database is locked" not in node.said()
    assert min(reads) > 0
    assert await doctor_faults(home) == []
    record_figures(f"{WRITERS} processes, {WRITES} writes each; {expected} memories, read {sum(reads)} times beside")


async def call(wire: Wire, content: str) -> str:
    """The id of a memory that is written; empty when the node died before it answered."""
    try:
        answer = await wire.ask(
            "POST", "/v1/memory", {"content": content}, {"idempotency-key": content.replace(" ", "-")}
        )
    except Gone:
        return ""
    assert answer.status in (200, 201), answer
    return str(answer.body["id"])


async def answered_until_killed(life: Life, wires: list[Wire], contents: list[str]) -> dict[str, str]:
    """The ids that were told of calls at once; the node dies with the first answer, while others are under way."""
    calls = [asyncio.create_task(call(wire, content)) for wire, content in zip(wires, contents, strict=True)]
    await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    life.kill()
    told = dict(zip(contents, await asyncio.gather(*calls), strict=True))
    for wire in wires:
        wire.vanish()
    await life.ended()
    return told


@pytest.mark.timeout(1800 if FULL else 170)
@requirement("MEM-005-report-09-parallel-calls")
async def test_fifty_calls_at_once_and_a_kill_leave_a_database_that_counts_right(tmp_path, record_figures):
    home = new_home(tmp_path / "home", SETTINGS)
    file, before, heard = home.path / "csb.db", dict[str, str](), 0
    async with Lives(tmp_path / "log") as lives:
        for number in range(KILLS):
            life = await lives.begin(home.path)
            wires = [await Wire.open(life.port, home.owner_token()) for _ in range(CALLS)]
            again = dict(zip(before, await asyncio.gather(*map(call, wires, before)), strict=True))
            assert [content for content, id_ in before.items() if id_ and again[content] != id_] == []
            assert copies_in(file) == {f"Call {each} of life {of}": 1 for of in range(number) for each in range(CALLS)}
            before = await answered_until_killed(
                life, wires, [f"Call {each} of life {number}" for each in range(CALLS)]
            )
            heard += sum(map(bool, before.values()))
            copies = copies_in(file)
            assert [content for content, id_ in before.items() if id_ and content not in copies] == []
            assert set(copies.values()) == {1}
            assert await doctor_faults(home) == []
    record_figures(f"{KILLS} kills under {CALLS} calls at once, of which {heard} were answered before")


@pytest.mark.timeout(170)
@requirement("MEM-005-report-10-two-servers")
async def test_a_second_node_on_one_database_is_refused_and_the_first_keeps_every_write(tmp_path):
    home = new_home(tmp_path / "home", SETTINGS)
    other = new_home(tmp_path / "other", SETTINGS)
    file = home.path / "csb.db"
    serve = ("csbond.cli", "serve", "--port", "0", "--json", "--home")
    async with serving(home) as node:
        wire = await node.connect()
        seconds = [
            asyncio.create_task(ended(*serve, str(home.path))),
            asyncio.create_task(ended(*serve, str(other.path), "--database", f"sqlite:///{file}")),
        ]
        contents: list[str] = []
        while not all(second.done() for second in seconds) or not contents:
            contents.append(f"Note {len(contents)} beside a second node")
            assert await call(wire, contents[-1])
        for second, named in zip(await asyncio.gather(*seconds), (home.path, file), strict=True):
            status, _, told = second
            assert status > 0
            assert "already" in told
            assert str(named) in told
        assert await call(wire, "The last note")
        assert (await wire.good("GET", "/v1/memory?limit=1"))["total"] == len(contents) + 1
    assert copies_in(file) == dict.fromkeys([*contents, "The last note"], 1)
    assert await doctor_faults(home) == []
