"""`csb memory reindex` asks the node and waits until it is through."""

from __future__ import annotations

import pytest

from csbond.cli.memory import reindex as command

BEGUN = {"model": "concepts-1", "started": True, "entries": 3}


def figures(**changes):
    memory = {"remaking": True, "waiting": 3, "indexed_through": 0, "failure": None}
    return {"memory": memory | changes}


@pytest.fixture
def looks(node, monkeypatch):
    """What the node answers at each look, one after the other."""
    node.answer("POST /v1/memory/reindex", BEGUN, 202)

    def answers(*statuses):
        left = list(statuses)

        def turn(_seconds=0.0):
            node.answer("GET /v1/status", left.pop(0))

        turn()
        monkeypatch.setattr("time.sleep", turn)

    return answers


def test_it_waits_until_every_vector_is_made_and_says_how_many(csb, home, looks) -> None:
    looks(figures(), figures(waiting=1, indexed_through=2), figures(waiting=0, indexed_through=3, remaking=False))
    ended = csb("memory", "reindex", "--home", home.path)
    assert (ended.status, ended.out) == (0, "3 memories are embedded anew by concepts-1.\n")


def test_the_figures_are_told_as_json(csb, home, looks) -> None:
    looks(figures(remaking=False, indexed_through=3))
    assert csb("memory", "reindex", "--home", home.path, "--json").json == {**BEGUN, "indexed_through": 3}


def test_the_progress_never_goes_back(node, looks, monkeypatch) -> None:
    class Node:
        def __init__(self, *statuses):
            self.left = list(statuses)

        def get(self, _path):
            return self.left.pop(0)

    monkeypatch.setattr("time.sleep", lambda _: None)
    steps: list[int] = []
    asked = (
        figures(),
        figures(waiting=1, indexed_through=2),
        figures(waiting=2, indexed_through=2),
        figures(waiting=0, indexed_through=3),
        figures(remaking=False),
    )
    command._followed(Node(*asked), 3, steps.append)  # type: ignore[arg-type]
    assert steps == [0, 2, 0, 1]


def test_an_embedder_that_does_not_answer_is_told_with_what_helps(csb, home, looks) -> None:
    looks(figures(failure="the embedder sleeps"))
    ended = csb("memory", "reindex", "--home", home.path)
    assert ended.status == 3
    assert "the embedder sleeps" in ended.err
    assert "goes on by itself" in ended.err
