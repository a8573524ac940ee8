"""The recall benchmark remembers and asks as a node does, and fails where the search does not find enough."""

from __future__ import annotations

import json

import pytest

from bench.recall import run
from bench.recall.data import Collection, Memory, Question
from bench.recall.ingest import Spoiled, filled
from bench.recall.measure import Result, measure
from bench.recall.score import METRICS
from bench.recall.targets import targets
from csbond.engines.embedder_choice import LoadedEmbedder
from csbond.protocol.errors import RemoteProtocolError
from csbond.testing.meaning import ConceptEmbedder

CATS = Collection(
    "cats",
    (
        Memory("kitten", "A kitten sleeps on the sofa."),
        Memory("umbrella", "Take an umbrella tomorrow."),
        Memory("key", "The lighthouse key is under the mat."),
        Memory("again", "A kitten sleeps on the sofa."),
    ),
    {
        "meaning": (Question("猫", frozenset({"again"})), Question("weather", frozenset({"umbrella"}))),
        "words": (Question("lighthouse weather", frozenset({"key"})),),
    },
)


def quiet(text):
    """Tell nobody."""


async def test_every_question_is_asked_by_words_by_meaning_and_by_both(tmp_path):
    figures = await measure([CATS], ConceptEmbedder(), tmp_path, quiet)
    first = {name: {way: marks["R@1"] for way, marks in result.ways.items()} for name, result in figures.items()}
    assert first["meaning"] == {"words": 0.0, "vectors": 1.0, "fusion": 1.0}
    assert (first["words"]["words"], first["words"]["vectors"]) == (1.0, 0.0)
    assert [(result.questions, result.entries) for result in figures.values()] == [(2, 3), (1, 3)]


async def test_a_memory_that_is_there_twice_is_one_entry_by_both_its_keys(tmp_path):
    async with filled(CATS, ConceptEmbedder(), tmp_path / "cats") as memory:
        assert memory.entries["kitten"] == memory.entries["again"]
        assert len(set(memory.entries.values())) == 3


async def test_questions_of_one_set_to_several_memories_are_one_mean(tmp_path):
    other = Collection("other", CATS.memories[:1], {"meaning": (Question("dog", frozenset({"kitten"})),)})
    figures = await measure([CATS, other], ConceptEmbedder(), tmp_path, quiet)
    assert (figures["meaning"].questions, figures["meaning"].entries) == (3, 4)
    assert figures["meaning"].ways["words"]["R@10"] == 0.0
    assert figures["meaning"].ways["vectors"]["R@10"] == 1.0


async def test_a_memory_that_nothing_is_asked_of_has_no_result(tmp_path):
    assert await measure([Collection("mute", CATS.memories, {"meaning": ()})], ConceptEmbedder(), tmp_path, quiet) == {}


async def test_every_run_ranks_alike(tmp_path):
    assert await measure([CATS], ConceptEmbedder(), tmp_path / "1", quiet) == await measure(
        [CATS], ConceptEmbedder(), tmp_path / "2", quiet
    )


async def test_what_is_not_kept_spoils_the_run(tmp_path):
    long = Collection("long", (Memory("a", "a" * 3000),), {})
    with pytest.raises(RemoteProtocolError, match="2048"):
        await measure([long], ConceptEmbedder(), tmp_path, quiet)


def figures_of(**sets):
    """Figures in which every metric of a way has one value: `dialogues=(words, vectors, fusion)`."""
    ways = ("words", "vectors", "fusion")
    return {
        name.replace("_", " "): Result(
            1, 1, {way: dict.fromkeys(METRICS, value) for way, value in zip(ways, values, strict=True)}
        )
        for name, values in sets.items()
    }


@pytest.mark.parametrize(
    "figures, missed",
    [
        (figures_of(dialogues=(0.6, 0.5, 0.64)), []),
        (figures_of(dialogues=(0.6, 0.5, 0.639)), ["dialogues: R@10 of the fusion"]),
        (
            figures_of(dialogues=(0.65, 0.5, 0.65)),
            [f"dialogues: {metric} of the fusion, more than the better part" for metric in ("R@10", "nDCG@10")],
        ),
        (figures_of(paragraphs=(0.97, 0.7, 0.95)), []),
        (figures_of(paragraphs=(0.7, 0.97, 0.94)), ["paragraphs: R@1 of the fusion, the better part less 0.02"]),
        (figures_of(frozen_zh=(0.1, 0.82, 0.80), development_en=(0.1, 0.72, 0.70)), []),
        (figures_of(frozen_zh=(0.1, 0.79, 0.79)), ["frozen zh: R@5 of the fusion"]),
        (figures_of(development_en=(0.1, 0.69, 0.69)), ["development en: R@5 of the fusion"]),
        (figures_of(frozen_cross=(0.0, 0.5, 0.47)), ["frozen cross: R@5 of the fusion, the better part less 0.02"]),
    ],
)
def test_the_search_is_held_to_what_it_promises(figures, missed, monkeypatch, tmp_path):
    assert [target.promise for target in targets(figures) if not target.kept] == missed

    async def measured(*_):
        return figures

    monkeypatch.setattr(run, "measure", measured)
    monkeypatch.setattr(run, "load_embedder", lambda _: LoadedEmbedder(ConceptEmbedder()))
    told = tmp_path / "figures.json"
    assert run.main(["pairs", "--json", str(told)]) == bool(missed)
    document = json.loads(told.read_text(encoding="utf-8"))
    assert [target["promise"] for target in document["targets"] if not target["kept"]] == missed


def test_without_the_supplied_sets_the_pairs_are_asked_and_the_rest_is_said_to_be_absent(monkeypatch, tmp_path, capsys):
    """An encoder of three concepts finds few of them."""
    monkeypatch.setattr(run, "load_embedder", lambda _: LoadedEmbedder(ConceptEmbedder()))
    assert run.main(["--data", str(tmp_path), "--json", "--folder", str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert set(json.loads(told.out)["sets"]) == {
        f"{half} {name}" for half in ("development", "frozen") for name in ("zh", "en", "cross")
    }
    assert f"there are no dialogues in {tmp_path}" in told.err
    assert f"there are no paragraphs in {tmp_path}" in told.err
    assert not list(tmp_path.iterdir())


def test_without_an_embedder_or_a_set_nothing_is_measured(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run, "load_embedder", lambda _: LoadedEmbedder(None))
    assert run.main([]) == 2
    assert "semantic" in capsys.readouterr().err
    monkeypatch.setattr(run, "load_embedder", lambda _: LoadedEmbedder(ConceptEmbedder()))
    assert run.main(["dialogues", "--data", str(tmp_path)]) == 2


def test_an_embedder_that_fails_is_not_measured_as_a_search(monkeypatch, capsys):
    monkeypatch.setattr(run, "load_embedder", lambda _: LoadedEmbedder(ConceptEmbedder(failing=True)))
    assert run.main(["pairs"]) == 2
    assert "the embedder sleeps" in capsys.readouterr().err


def test_a_set_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit):
        run.main(["songs"])
    assert "pairs, dialogues, paragraphs" in capsys.readouterr().err


async def test_a_text_without_a_vector_spoils_the_run(tmp_path):
    class Forgetful(ConceptEmbedder):
        async def embed(self, texts, role):
            if any("umbrella" in text for text in texts):
                self.failing = True
                try:
                    return await super().embed(texts, role)
                finally:
                    self.failing = False
            return await super().embed(texts, role)

    with pytest.raises(Spoiled, match="2 vectors for 3 entries"):
        await measure([CATS], Forgetful(), tmp_path, quiet)
