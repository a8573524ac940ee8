"""The node's memory over HTTP: a memory read by its id, beside a route of the same application that does nothing."""

from __future__ import annotations

import asyncio
import json
import select
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from bench.memory.corpus import Corpus
from bench.memory.figures import Figures, Row
from bench.memory.measure_sizes import filled_home
from bench.memory.plan import HTTP_EMPTY, HTTP_HOT, HTTP_WARM, Plan
from bench.memory.stores import OURS, ROOT
from bench.memory.turns import Part, Turn, take_turns
from bench.transport.load import Answer, Request, Spoiled, connect, get_request
from bench.transport.servers import free_port, on_processor

__all__ = ["measure_http"]

START_S = 120.0
STOP_S = 30.0
_IDS = "SELECT id, content FROM entry WHERE level = ? AND deleted_at = 0 ORDER BY row DESC LIMIT ?"


def measure_http(plan: Plan, folder: Path, corpus: Corpus, figures: Figures) -> None:
    """Ask each route in turn, one request after another on a connection that is kept."""
    home = filled_home(plan.large, plan, folder, corpus, figures)
    contents = {what: _contents(home, what, plan) for what in (HTTP_HOT, HTTP_WARM)}
    token = (home / "owner.token").read_text(encoding="ascii").strip()
    port = free_port()
    with _serving(home, port):
        routes = {HTTP_EMPTY: cycle([_request(port, "/v1/bench/empty", "", token)])}
        for what, rows in contents.items():
            routes[what] = cycle([_request(port, f"/v1/memory/{id_}", text, token) for id_, text in rows])
        for number in range(plan.rounds + 1):
            plan.say(f"round {number} of {plan.rounds}: over HTTP at {plan.large:,}")
            take_turns(figures if number else Figures(), number, _turns(plan, port, routes))


def _turns(plan: Plan, port: int, routes: Mapping[str, Iterator[Request]]) -> Iterator[Turn]:
    for what, requests in routes.items():
        yield Turn(Row(what, OURS, plan.large), plan.requests, partial(_asked, port, requests))


def _asked(port: int, requests: Iterator[Request], count: int) -> Part:
    asked = list(islice(requests, count))
    with on_processor(1):
        answers = asyncio.run(_ask(port, asked))
    for request, answer in zip(asked, answers, strict=True):
        if answer.status != 200 or json.loads(answer.body).get("content", "") != request.text:
            raise Spoiled(f"status {answer.status}: {answer.body[:500]!r}")
    calls = [answer.seconds for answer in answers]
    return Part(calls, sum(calls), count)


async def _ask(port: int, requests: Sequence[Request]) -> list[Answer]:
    connection = await connect(port)
    try:
        return [await connection.ask(request) for request in requests]
    finally:
        connection.close()


def _request(port: int, path: str, text: str, token: str) -> Request:
    return Request(text, get_request(port, path, token).wire)


def _contents(home: Path, what: str, plan: Plan) -> list[tuple[str, str]]:
    """Memories of a tier, by id; the hot ones are few and are read again and again, as hot ones are."""
    level = "hot" if what == HTTP_HOT else "warm"
    with closing(sqlite3.connect(f"file:{home / 'csb.db'}?mode=ro", uri=True)) as database:
        rows = database.execute(_IDS, (level, plan.requests)).fetchall()
    if not rows:
        raise Spoiled(f"there is no {level} memory in {home}")
    return rows


@contextmanager
def _serving(home: Path, port: int) -> Iterator[None]:
    command = [sys.executable, "-m", "bench.memory.http_server", str(home), str(port)]
    with (home.with_name("http.log")).open("wb") as log, on_processor(0):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log)
    assert process.stdout is not None
    try:
        readable, _, _ = select.select([process.stdout], [], [], START_S)
        if not readable or not process.stdout.readline():
            raise Spoiled(f"the node does not serve {home}; see {log.name}")
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
