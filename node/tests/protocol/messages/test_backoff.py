from __future__ import annotations

import pytest

from csbond.protocol.messages.backoff import next_try_at
from csbond_tests.requirements import requirement


@requirement("A2A-PUSH-007")
@pytest.mark.parametrize(
    "failed, seconds", [(1, 1), (2, 2), (3, 4), (4, 8), (10, 512), (11, 600), (12, 600), (2000, 600)]
)
def test_the_wait_doubles_up_to_the_longest(failed: int, seconds: int) -> None:
    assert next_try_at(5_000, failed, 1.0, 600.0) == 5_000 + seconds * 1000


def test_a_fraction_of_a_second_is_kept_to_the_millisecond() -> None:
    assert next_try_at(0, 1, 0.25, 600.0) == 250
