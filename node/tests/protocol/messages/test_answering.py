from __future__ import annotations

from csbond.protocol.messages.answering import answer_parts
from csbond.protocol.messages.events import ArtifactGrew
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.task import Artifact


def grew(*parts: Part, artifact: str = "answer", append: bool = True) -> ArtifactGrew:
    return ArtifactGrew("t", "c", Artifact(artifact, parts), append)


def test_a_text_that_goes_on_from_chunk_to_chunk_is_one_part() -> None:
    chunks = [grew(text_part("it "), append=False), grew(text_part("goes ")), grew(text_part("on"))]
    assert answer_parts(chunks) == (text_part("it goes on"),)


def test_two_texts_of_one_chunk_stay_two() -> None:
    assert answer_parts([grew(text_part("a"), text_part("b"), append=False)]) == (text_part("a"), text_part("b"))


def test_the_text_after_a_file_begins_anew() -> None:
    file = Part(PartKind.FILE, b"x")
    chunks = [grew(text_part("a"), append=False), grew(file), grew(text_part("b")), grew(text_part("c"))]
    assert answer_parts(chunks) == (text_part("a"), file, text_part("bc"))


def test_texts_of_two_artifacts_do_not_join() -> None:
    chunks = [grew(text_part("a"), append=False), grew(text_part("b"), artifact="other"), grew(text_part("c"))]
    assert answer_parts(chunks) == (text_part("a"), text_part("b"), text_part("c"))


def test_a_text_with_something_beside_it_keeps_it_to_itself() -> None:
    marked = Part(PartKind.TEXT, "b", metadata={"lang": "en"})
    chunks = [grew(text_part("a"), append=False), grew(marked), grew(text_part("c"))]
    assert answer_parts(chunks) == (text_part("a"), marked, text_part("c"))


def test_nothing_said_is_no_part() -> None:
    assert answer_parts([]) == ()
