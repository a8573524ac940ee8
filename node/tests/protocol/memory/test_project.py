from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.entry import Origin
from csbond.protocol.memory.project import folded_name, project_of
from csbond_tests.requirements import requirement


@requirement("MEM-001-1.1-project")
def test_the_project_of_an_entry_is_the_one_it_names():
    assert project_of("Apollo", Origin(thread_id="t-1")) == "apollo"


@requirement("MEM-001-1.1-project")
@pytest.mark.parametrize("named", ["", " ", "--"])
def test_where_none_is_named_it_is_the_thread(named):
    assert project_of(named, Origin(thread_id="T_1")) == "thread:T_1"


@requirement("MEM-001-1.1-project")
def test_without_a_thread_there_is_none():
    assert project_of("", Origin()) == ""


@requirement("MEM-005-report-13-overwritten")
@pytest.mark.parametrize(
    "name", ["cafe\u0301 notes", "Café Notes", "ＣＡＦÉ　notes", "café_notes", "café--notes ", " café -_ notes"]
)
def test_names_are_compared_without_case_width_and_composition(name):
    assert folded_name(name) == "café-notes"


@pytest.mark.parametrize("name", ["cafe notes", "café/notes", "cafénotes"])
def test_names_of_other_letters_stay_apart(name):
    assert folded_name(name) != "café-notes"


@given(st.text())
def test_a_folded_name_stays_as_it_is(name):
    assert folded_name(folded_name(name)) == folded_name(name)
