"""Facets and filters by chance, from few values, so that filters let some in and leave some out."""

from __future__ import annotations

from hypothesis import strategies as st

from csbond.protocol.memory.entry import Level, Origin, Visibility
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.visibility import Audience

__all__ = ["AUDIENCES", "FACETS", "FILTERS", "PLAIN"]

_CALLERS, _THREADS = ("owner", "ann", ""), ("", "t1", "t2")
_TYPES, _SOURCES, _PROJECTS = ("event", "todo"), ("user", "agent"), ("", "boat", "thread:t1")
PLAIN = Facets("event", 0, "user", Level.WARM)
"""What most entries of a test have."""

FACETS = st.builds(
    Facets,
    type=st.sampled_from(_TYPES),
    timestamp=st.integers(0, 5),
    source=st.sampled_from(_SOURCES),
    level=st.sampled_from(Level),
    visibility=st.sampled_from(Visibility),
    origin=st.builds(Origin, st.sampled_from(_CALLERS), st.sampled_from(_THREADS)),
    project=st.sampled_from(_PROJECTS),
)
FILTERS = st.builds(
    EntryFilter,
    level=st.one_of(st.none(), st.sampled_from(Level)),
    type=st.sampled_from((None, *_TYPES, "lesson")),
    source=st.sampled_from(("", *_SOURCES, "skill")),
    project=st.sampled_from((None, *_PROJECTS, "car")),
    since=st.one_of(st.none(), st.integers(0, 6), st.just(-(2**80))),
    until=st.one_of(st.none(), st.integers(0, 6), st.just(2**80)),
    thread=st.sampled_from(("", "", "t1", "t9")),
)
AUDIENCES = st.one_of(
    st.just(Audience(everything=True)),
    st.builds(
        Audience,
        caller_key=st.sampled_from((*_CALLERS, "eve")),
        thread_id=st.sampled_from((*_THREADS, "\x00")),
        trusted=st.booleans(),
    ),
)
