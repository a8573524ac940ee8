from __future__ import annotations

import subprocess
import sys

import pytest

from csbond.engines.index_choice import Comparing, chosen_index
from csbond.flows.ports import IndexState
from csbond_tests.requirements import requirement


@requirement("MEM-002-2.2-exact")
@pytest.mark.parametrize("wish", ["auto", "exact", "faiss"])
def test_up_to_the_switch_vectors_are_compared_exactly_and_nothing_is_said(wish):
    assert chosen_index(100_000, Comparing(wish, faiss_there=True)) == IndexState("exact")


@requirement("MEM-002-2.2-exact")
def test_beyond_it_they_still_are_without_faiss_and_the_status_says_so():
    found = chosen_index(100_001, Comparing())
    assert found.kind == "exact"
    assert "100001 vectors are compared one by one" in found.note
    assert "csbond[faiss]" in found.note


@requirement("MEM-002-2.2-faiss")
@pytest.mark.parametrize("wish", ["auto", "faiss"])
def test_beyond_it_faiss_looks_where_it_is_installed(wish):
    assert chosen_index(100_001, Comparing(wish, faiss_there=True)) == IndexState("faiss")


def test_an_owner_who_wants_exact_gets_it_at_any_size_without_a_note():
    assert chosen_index(10_000_000, Comparing("exact", faiss_there=True)) == IndexState("exact")


def test_a_faiss_that_was_asked_for_and_is_not_there_is_noted_from_the_start():
    found = chosen_index(0, Comparing("faiss"))
    assert found.kind == "exact"
    assert "not installed" in found.note


@pytest.mark.parametrize(
    "absent, wish, kind",
    [("faiss", "auto", "ExactIndex"), ("nothing", "exact", "ExactIndex"), ("nothing", "auto", "FaissIndex")],
)
def test_the_index_that_is_opened_is_that_of_what_is_there_and_loads_faiss_only_to_build(absent, wish, kind):
    pytest.importorskip("faiss", reason="absent extra: faiss")
    script = (
        "import importlib.util, sys\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == sys.argv[1] else found(name, *rest)\n"
        "from csbond.engines.vector_index import open_index\n"
        "print(type(open_index(sys.argv[2], 100_000)).__name__, 'faiss' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, absent, wish], check=True, capture_output=True, text=True)
    assert done.stdout.split() == [kind, "False"]
