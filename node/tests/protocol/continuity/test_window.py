from __future__ import annotations

import pytest

from csbond.protocol.continuity.window import window_of, window_size
from csbond_tests.conversations import conversation
from csbond_tests.requirements import requirement


@requirement("A2A-004-4.3-window")
def test_a_window_holds_the_latest_messages_and_the_rest_lies_beyond():
    thread = conversation(("Alice", "one"), ("Luna", "two"), ("Alice", "three"))
    window = window_of(thread, 2)
    assert window.inside == thread[1:]
    assert window.beyond == thread[:1]


def test_a_short_thread_is_all_inside():
    thread = conversation(("Alice", "one"))
    assert window_of(thread, 20).inside == thread
    assert window_of(thread, 20).beyond == ()


def test_a_window_of_nothing_leaves_everything_beyond():
    thread = conversation(("Alice", "one"), ("Luna", "two"))
    assert window_of(thread, 0).inside == ()
    assert window_of(thread, 0).beyond == thread


@requirement("A2A-004-4.2-history-length")
@pytest.mark.parametrize("asked, size", [(None, 20), (5, 5), (0, 0), (20, 20), (500, 20)])
def test_a_request_narrows_the_window_of_a_skill_but_never_widens_it(asked, size):
    assert window_size(20, asked) == size
