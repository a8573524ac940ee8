from __future__ import annotations

import pytest

np = pytest.importorskip("numpy", reason="absent extra: semantic")
question_map = pytest.importorskip("csbond.engines.question_map", reason="absent extra: semantic")


def test_the_correction_is_of_low_rank_and_small():
    left, right = question_map.correction()
    assert (left.shape, right.shape) == ((512, 128), (128, 512))
    assert np.linalg.norm(left @ right, 2) < 1.0


def test_a_question_is_turned_and_a_statement_is_not():
    from csbond.engines.means import centred

    vectors = np.eye(3, 512, dtype=np.float32)
    assert np.array_equal(question_map.placed(vectors, "document"), centred(vectors, "document"))
    asked = question_map.placed(vectors, "query")
    assert np.array_equal(asked, question_map.turned(centred(vectors, "query")))
    assert not np.allclose(asked, centred(vectors, "query"), atol=1e-3)
    assert np.allclose(np.linalg.norm(asked, axis=1), 1.0, atol=1e-5)


def test_what_has_no_direction_gets_none():
    assert not question_map.turned(np.zeros((1, 512), dtype=np.float32)).any()
