"""Dialogues and paragraphs are read as they lie in their files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.recall.data import (
    REPOSITORY,
    Collection,
    Memory,
    Question,
    Unreadable,
    data_folder,
    dialogue_collections,
    pair_collections,
    paragraph_collections,
    shortened,
    turns_named,
)

DIALOGUE = {
    "conversation": {
        "speaker_a": "Ann Lee",
        "session_1_date_time": "noon",
        "session_1": [
            {"speaker": "Ann Lee", "dia_id": "D1:1", "text": "I moved to Porto."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "How is it?"},
        ],
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I have a dog."}],
    },
    "qa": [
        {"question": "Where does Ann live?", "evidence": ["D1:1"], "category": 1},
        {"question": "What do they have?", "evidence": ["D1:1; D2:1"], "category": 2},
        {"question": "What did nobody say?", "evidence": ["D1:2"], "category": 5},
        {"question": "Who knows?", "evidence": [], "category": 3},
        {"question": "When?", "evidence": ["D9:9", "D"], "category": 4},
    ],
}


def written(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path.parent


def test_a_turn_is_an_entry_and_questions_without_an_answer_in_the_dialogue_are_left_out(tmp_path):
    (collection,) = dialogue_collections(written(tmp_path / "locomo-2.json", [DIALOGUE]))
    assert collection.memories == (
        Memory("D1:1", "Ann Lee: I moved to Porto.", ("Ann_Lee",)),
        Memory("D1:2", "Bo: How is it?", ("Bo",)),
        Memory("D2:1", "Bo: I have a dog.", ("Bo",)),
    )
    assert collection.questions == {
        "dialogues": (
            Question("Where does Ann live?", frozenset({"D1:1"})),
            Question("What do they have?", frozenset({"D1:1", "D2:1"})),
        )
    }


def test_each_dialogue_is_a_memory_of_its_own(tmp_path):
    found = list(dialogue_collections(written(tmp_path / "locomo.json", [DIALOGUE, DIALOGUE])))
    assert [each.name for each in found] == ["locomo 0", "locomo 1"]


@pytest.mark.parametrize(
    "evidence, named",
    [
        (["D1:3"], ["D1:3"]),
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D9:1 D4:4"], ["D9:1", "D4:4"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05"], ["D30:5"]),
        (["D"], []),
        (["D7:7"], []),  # no turn of the dialogue
    ],
)
def test_evidence_names_turns_in_several_ways(evidence, named):
    keys = {"D1:3", "D8:6", "D9:17", "D9:1", "D4:4", "D11:26", "D30:5"}
    assert list(turns_named(evidence, keys)) == named


def test_a_paragraph_is_an_entry_that_its_questions_want(tmp_path):
    article = {"paragraphs": [{"id": "P1", "context": "青岛在海边。", "qas": [{"question": "青岛在哪儿？"}]}]}
    (collection,) = paragraph_collections(written(tmp_path / "cmrc-dev.json", [article]))
    assert collection == Collection(
        "cmrc-dev",
        (Memory("P1", "青岛在海边。"),),
        {"paragraphs": (Question("青岛在哪儿？", frozenset({"P1"})),)},
    )


@pytest.mark.parametrize("read, name", [(dialogue_collections, "locomo.json"), (paragraph_collections, "cmrc.json")])
@pytest.mark.parametrize("document", ["{", "{}", '[{"a": 1}]', "[[]]"], ids=["cut off", "object", "other", "list"])
def test_a_file_that_holds_something_else_is_named(tmp_path, read, name, document):
    (tmp_path / name).write_text(document, encoding="utf-8")
    with pytest.raises(Unreadable, match=name):
        list(read(tmp_path))


def test_where_no_file_lies_nothing_is_read(tmp_path):
    assert not list(dialogue_collections(tmp_path / "nowhere"))
    assert not list(paragraph_collections(tmp_path))


def test_the_folder_is_beside_the_repository_unless_it_is_named(tmp_path):
    assert data_folder({}) == REPOSITORY.parent / "shared" / "data" / "recall"
    assert data_folder({"CSB_RECALL_DATA": str(tmp_path)}) == tmp_path


def test_both_halves_stand_among_the_same_other_memories():
    development, frozen = pair_collections()
    assert set(development.memories) & set(frozen.memories) == {
        memory for memory in frozen.memories if memory.key.startswith("distractor")
    }
    for half in (development, frozen):
        keys = [memory.key for memory in half.memories]
        assert len(keys) == len(set(keys))
        assert {key for asked in half.questions.values() for each in asked for key in each.wanted} <= set(keys)


def test_what_is_shortened_keeps_the_questions_it_can_answer(tmp_path):
    (collection,) = shortened(list(dialogue_collections(written(tmp_path / "locomo.json", [DIALOGUE, DIALOGUE]))), 2)
    assert [memory.key for memory in collection.memories] == ["D1:1", "D1:2"]
    assert [each.text for each in collection.questions["dialogues"]] == ["Where does Ann live?"]
