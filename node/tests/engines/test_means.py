from __future__ import annotations

import pytest

from csbond_tests.requirements import requirement

np = pytest.importorskip("numpy", reason="absent extra: semantic")
means = pytest.importorskip("csbond.engines.means", reason="absent extra: semantic")


def test_there_is_a_mean_of_statements_and_another_of_questions():
    rows = means.role_means()
    assert rows.shape == (2, 512)
    assert rows.dtype == np.dtype("<f4")
    assert 0.1 < np.linalg.norm(rows[0] - rows[1]) < 1.0


@requirement("MEM-002-2.2-means")
def test_a_vector_loses_the_mean_of_its_role_and_has_length_one_again():
    vectors = np.eye(2, 512, dtype=np.float32)
    for row, role in enumerate(("document", "query")):
        moved = vectors - means.role_means()[row]
        expected = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        assert np.allclose(means.centred(vectors, role), expected)


def test_a_vector_that_is_the_mean_has_no_direction_left():
    assert not means.centred(means.role_means()[:1], "document").any()
