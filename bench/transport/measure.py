"""The rounds: every server in turn, again and again, so that what disturbs one disturbs all."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import orjson

from bench.transport.figures import Figures, Following, Footprint, Kept, Sample, StreamSample, Writing, percentile
from bench.transport.load import (
    Answer,
    Request,
    Spoiled,
    Window,
    ask_once,
    check_answer,
    check_stream,
    connect,
    get_request,
    load,
    send_request,
)
from bench.transport.servers import Kind, Server, on_processor, running
from bench.transport.texts import texts

CONCURRENCY = (1, 8, 32)
STREAM_CHUNKS = 200
WRITING_CHUNKS = (50, 200, 800)
WRITING_LIMIT = 200
"""The longest answer whose writing is measured on the peer: it rewrites the whole task for every chunk."""
WARM_UP_S = 0.5
WARM_UP_CONCURRENCY = 8
CATCH_UP_S = 600.0
"""Seconds the vectors may need after a stretch of load before the run gives up."""
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure."""

    seconds: float
    """Of each stretch of load."""
    rounds: int
    streams: int
    """Streamed answers of each server in each round."""
    say: Callable[[str], None]
    """Hears what is done next."""


def measure(plan: Plan, folder: Path) -> Figures:
    """Everything, in one run on one machine with one client."""
    figures = Figures()
    _measure_messages(plan, folder, figures)
    _measure_streams(plan, folder, figures)
    _measure_writing(plan, folder, figures)
    return figures


def _measure_messages(plan: Plan, folder: Path, figures: Figures) -> None:
    with ExitStack() as stack:
        servers: list[Server] = []
        for kind in Kind:
            plan.say(f"start: {kind}")
            servers.append(stack.enter_context(running(kind, folder / kind.name.lower())))
        answers = dict.fromkeys(Kind, 0)
        idle = {}
        for server in servers:
            answers[server.kind] += len(_loaded(server, WARM_UP_CONCURRENCY, WARM_UP_S, "warm").answers)
            _follow(server)
            idle[server.kind] = server.resident()
        for number in range(1, plan.rounds + 1):
            for concurrency in CONCURRENCY:
                for server in servers:
                    plan.say(f"round {number} of {plan.rounds}: {concurrency} at once, {server.kind}")
                    window = _loaded(server, concurrency, plan.seconds, f"r{number}")
                    answers[server.kind] += len(window.answers)
                    figures.samples.append(_sample(server, number, concurrency, window))
                    if server.kind is Kind.NODE:
                        figures.followings.append(_follow(server))
        for server in servers:
            before, after = idle[server.kind], server.resident()
            figures.footprints.append(
                Footprint(
                    server.kind,
                    server.start_s,
                    before.own / MIB,
                    before.children / MIB,
                    after.own / MIB,
                    after.children / MIB,
                    answers[server.kind],
                )
            )
        figures.kept = _kept(servers[-1], answers[Kind.NODE])


def _loaded(server: Server, concurrency: int, seconds: float, name: str) -> Window:
    """One stretch of load, every answer verified after the clock has stopped."""
    seed = f"{name}-{concurrency}"
    requests = _requests(server.port, "SendMessage", seed)
    with on_processor(1), _no_garbage_collection():
        window = asyncio.run(load(server.port, requests, concurrency, seconds))
    for request, answer in window.answers:
        check_answer(request, answer)
    return window


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """The client keeps every answer; looking through them again and again would be charged to the server."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _requests(port: int, method: str, seed: str) -> Iterator[Request]:
    for number, text in enumerate(texts(seed)):
        yield send_request(port, method, text, f"{seed}-{number:07}")


def _sample(server: Server, number: int, concurrency: int, window: Window) -> Sample:
    latencies = window.latencies
    p50, p99 = (percentile(latencies, share) * 1000 for share in (0.5, 0.99))
    return Sample(server.kind, number, concurrency, len(latencies), window.per_second, p50, p99)


def _follow(server: Server) -> Following:
    """Wait until every entry of a node has its vector, so that no other server is measured beside that work."""
    if server.kind is not Kind.NODE:
        return Following(0, 0.0)
    began, lag = perf_counter(), 0
    while perf_counter() - began < CATCH_UP_S:
        memory = _status(server)["memory"]
        lag = max(lag, memory["waiting"])
        behind = memory["semantic"] and memory["indexed_through"] < memory["space_seq"]
        if not memory["waiting"] and not behind:
            return Following(lag, perf_counter() - began)
        asyncio.run(asyncio.sleep(0.05))
    raise Spoiled(f"{lag} entries had no vector, and after {CATCH_UP_S:g} seconds there still were some")


def _status(server: Server) -> dict[str, dict[str, int]]:
    answer = asyncio.run(ask_once(server.port, get_request(server.port, "/v1/status", server.token())))
    if answer.status != 200:
        raise Spoiled(f"status {answer.status}: {answer.body!r}")
    found: dict[str, dict[str, int]] = orjson.loads(answer.body)
    return found


def _kept(server: Server, answers: int) -> Kept:
    _follow(server)
    status = _status(server)
    counts, memory = status["counts"], status["memory"]
    return Kept(
        answers,
        counts["tasks"],
        counts["entries"],
        _rows(server, "entry_vector"),
        counts["audit"],
        memory["space_seq"],
        memory["indexed_through"],
        bool(memory["semantic"]),
    )


def _rows(server: Server, table: str) -> int:
    with closing(sqlite3.connect(f"file:{server.database()}?mode=ro", uri=True)) as database:
        count: int = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - names of ours
        return count


def _measure_streams(plan: Plan, folder: Path, figures: Figures) -> None:
    kinds = (Kind.DATABASE, Kind.MEMORY, Kind.NODE)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(running(kind, folder / f"streams-{kind.name.lower()}", STREAM_CHUNKS)) for kind in kinds
        ]
        for server in servers:
            _streamed(server, STREAM_CHUNKS, 2, "warm")
            _follow(server)
        for number in range(1, plan.rounds + 1):
            for server in servers:
                plan.say(f"round {number} of {plan.rounds}: streams of {STREAM_CHUNKS} chunks, {server.kind}")
                answers = _streamed(server, STREAM_CHUNKS, plan.streams, f"r{number}")
                first = median(answer.first_byte_s for answer in answers) * 1000
                whole = median(answer.seconds for answer in answers) * 1000
                figures.streams.append(StreamSample(server.kind, number, STREAM_CHUNKS, first, whole))
                _follow(server)


def _measure_writing(plan: Plan, folder: Path, figures: Figures) -> None:
    for kind in (Kind.DATABASE, Kind.NODE):
        for chunks in WRITING_CHUNKS:
            if kind is Kind.NODE or chunks <= WRITING_LIMIT:
                plan.say(f"what is written for {chunks} chunks: {kind}")
                with running(kind, folder / f"writing-{kind.name.lower()}-{chunks}", chunks) as server:
                    figures.writings.append(_writing(server, chunks, plan.streams))


def _writing(server: Server, chunks: int, streams: int) -> Writing:
    _streamed(server, chunks, 1, "warm")
    _follow(server)
    node = server.kind is Kind.NODE
    rows, written = _rows(server, "task_chunk") if node else 0, server.written()
    _streamed(server, chunks, streams, "writing")
    after = server.written()
    total = chunks * streams
    return Writing(
        server.kind,
        chunks,
        (after.calls - written.calls) / total,
        (after.bytes - written.bytes) / total,
        (_rows(server, "task_chunk") - rows) / total if node else None,
    )


def _streamed(server: Server, chunks: int, streams: int, name: str) -> list[Answer]:
    """Streamed answers one after the other, each verified after the clock has stopped."""
    requests = _requests(server.port, "SendStreamingMessage", f"stream-{name}")
    asked = [next(requests) for _ in range(streams)]
    with on_processor(1), _no_garbage_collection():
        answers = asyncio.run(_ask_in_turn(server.port, asked))
    for request, answer in zip(asked, answers, strict=True):
        check_stream(request, answer, chunks)
    return answers


async def _ask_in_turn(port: int, requests: list[Request]) -> list[Answer]:
    connection = await connect(port)
    try:
        return [await connection.ask(request) for request in requests]
    finally:
        connection.close()
