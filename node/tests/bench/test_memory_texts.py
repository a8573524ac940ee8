"""What the memory benchmark tells every store: the same texts and vectors in every run, like those of a language."""

from __future__ import annotations

import numpy as np
import pytest

from bench.memory.corpus import SHARD, write_corpus
from bench.memory.texts import HOT_ENTRIES, PROJECT_ENTRIES, documents, questions
from bench.memory.vectors import DIMENSION
from csbond.protocol.memory.words import query_terms


def quiet(_text):
    """Tell nobody."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "files", SHARD + 1, 50, (SHARD,), quiet)


def is_chinese(text):
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def test_a_document_is_the_same_wherever_one_begins():
    assert list(documents(40, 3)) == list(documents(0, 43))[40:]


def test_no_two_documents_are_alike():
    texts = [document.text for document in documents(0, 3_000)]
    assert len(set(texts)) == len(texts)


def test_three_in_five_are_chinese():
    assert sum(is_chinese(document.text) for document in documents(0, 3_000)) / 3_000 == pytest.approx(0.6, abs=0.03)


def test_words_are_as_common_as_those_of_a_language():
    """One that is in most texts would be a stop word; were all rare, searching by them would cost nothing."""
    english = [document.text.split(": ")[1] for document in documents(0, 3_000) if not is_chinese(document.text)]
    places = [set(text.rstrip(".").split()) for text in english]
    shares = sorted((sum(word in each for each in places) / len(places) for word in set().union(*places)), reverse=True)
    assert 0.05 < shares[0] < 0.25
    assert shares[len(shares) // 2] < 0.01


def test_the_tiers_and_projects_hold_no_more_than_a_node_lets_them():
    made = list(documents(0, 1_000))
    assert [document.level for document in made].count("hot") == HOT_ENTRIES == 100
    assert [document.project for document in made].count("project-3") == PROJECT_ENTRIES <= 200


def test_a_question_is_some_words_of_its_document():
    for question in questions("seed", 500, 40):
        (document,) = documents(question.document, 1)
        terms = query_terms(question.text).terms
        assert 2 <= len(terms) <= 4
        assert all(term in document.text for term in terms)


def test_every_store_reads_the_same_texts_and_vectors(corpus):
    told = list(corpus.told(SHARD - 2, 3))
    assert [each.document for each in told] == list(documents(SHARD - 2, 3))
    assert all(each.vector.shape == (DIMENSION,) for each in told)
    again = list(corpus.told(SHARD - 2, 3))
    assert all(np.array_equal(one.vector, other.vector) for one, other in zip(told, again, strict=True))


def test_the_vector_of_a_question_is_nearest_to_its_document(corpus):
    vectors = np.stack([each.vector for each in corpus.told(0, SHARD)])
    asked = corpus.asked(SHARD, 0, 50)
    nearest = [int(np.argmax(vectors @ each.vector)) for each in asked]
    assert nearest == [each.question.document for each in asked]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_questions_begin_again_where_they_end(corpus):
    assert [each.question for each in corpus.asked(SHARD, 48, 4)] == [
        each.question for first in (48, 0) for each in corpus.asked(SHARD, first, 2)
    ]
