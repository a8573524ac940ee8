from __future__ import annotations

import pytest

from csbond.protocol.memory.reindexing import needs_vector
from csbond_tests.ledger_samples import an_entry
from csbond_tests.requirements import requirement


@requirement("MEM-002-2.2-no-second-embedding")
@pytest.mark.parametrize(
    "vector_seq, needed",
    [
        (None, True),
        (3, True),
        (4, False),
        (9, False),
    ],
)
def test_a_text_is_embedded_when_it_has_no_vector_or_changed_since_it_had_one(vector_seq, needed):
    assert needs_vector(an_entry("mem_1", text_seq=4, seq=12), vector_seq) is needed
