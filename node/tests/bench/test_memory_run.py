"""The memory benchmark measures what is promised of its speed, and fails where a promise is not kept."""

from __future__ import annotations

import json
import sys

import pytest

from bench.memory import run, stores
from bench.memory.corpus import write_corpus
from bench.memory.figures import Figures, Row, Sample
from bench.memory.measure_http import measure_http
from bench.memory.measure_peers import measure_peers
from bench.memory.measure_sizes import measure_sizes
from bench.memory.plan import (
    ADD,
    FILTERED,
    GROWN,
    GROWN_FAISS,
    HTTP_EMPTY,
    HTTP_HOT,
    HTTP_WARM,
    READ,
    READ_BARE,
    READ_LEDGER,
    SEARCH,
    WRITE,
    WRITE_BY_MANY,
    Plan,
)
from bench.memory.stores import EXACT, OURS, Absent, make_home, running_node, running_peer
from bench.memory.targets import targets
from bench.memory.turns import Part, Subject, Turn, take_turns
from bench.transport.figures import Spread
from bench.transport.load import Spoiled
from csbond_tests.requirements import requirement


def quiet(_text):
    """Tell nobody."""


PLAN = Plan(1, quiet)
SMALL = Plan(1, quiet, 120, 240, 480, adds=4, adds_by_many=64, asked=4, reads=4, requests=4, fresh=4)
"""As much as shows that everything runs."""


def sample(what, store, entries, p50_ms=1.0, per_second=100.0, number=1):
    return Sample(Row(what, store, entries), number, (p50_ms,) * 3, per_second)


KEPT = (
    sample(ADD, OURS, 0, per_second=400),
    sample(ADD, "LangGraph", 0, per_second=200),
    sample(ADD, "Qdrant", 0, per_second=190),
    sample(SEARCH, OURS, 10_000, p50_ms=1.5),
    sample(SEARCH, "Chroma", 10_000),
    *(sample(what, OURS, 10_000, p50_ms=1.55) for what in FILTERED.values()),
    *(sample(WRITE, OURS, size, p50_ms=ms) for size, ms in ((1_000, 1.0), (10_000, 1.0), (100_000, 1.2))),
    sample(WRITE_BY_MANY, OURS, 10_000, per_second=500),
    sample(READ_BARE, OURS, 10_000),
    sample(READ, OURS, 10_000, p50_ms=9.0),
    sample(READ_LEDGER, OURS, 10_000, p50_ms=3.0),
    sample(GROWN, OURS, 10_000),
    sample(GROWN, OURS, 100_000, p50_ms=6.0),
    sample(GROWN_FAISS, OURS, 100_000, p50_ms=4.0),
    sample(HTTP_EMPTY, OURS, 100_000),
    sample(HTTP_HOT, OURS, 100_000, p50_ms=2.0),
    sample(HTTP_WARM, OURS, 100_000, p50_ms=4.0),
)


def figures_with(*changed):
    rows = {each.row for each in changed}
    return Figures([*(each for each in KEPT if each.row not in rows), *changed])


def missed(figures):
    return [target.promise for target in targets(figures, PLAN) if not target.kept]


def test_a_run_that_is_just_good_enough_keeps_every_promise():
    assert missed(figures_with()) == []
    assert len(list(targets(figures_with(), PLAN))) == 17


@requirement("MEM-003-speed-write")
@pytest.mark.parametrize(
    "slow, promise",
    [
        (sample(ADD, OURS, 0, per_second=399), "adds a second ÷ LangGraph"),
        (sample(ADD, "Qdrant", 0, per_second=201), "adds a second ÷ Qdrant"),
        (sample(WRITE_BY_MANY, OURS, 10_000, per_second=499), "adds a second of 64 writers ÷ of one"),
        (sample(WRITE, OURS, 100_000, p50_ms=1.26), "p50 of an add at 100,000 ÷ at 10,000"),
    ],
)
def test_writing_is_held_to_durable_peers_to_one_writer_and_to_fewer_entries(slow, promise):
    assert missed(figures_with(slow)) == [promise]


@requirement("MEM-003-speed-search")
@pytest.mark.parametrize(
    "slow, promise",
    [
        (sample(SEARCH, "Chroma", 10_000, p50_ms=0.99), "p50 of a hybrid search at 10,000 ÷ vectors alone by Chroma"),
        *(
            (sample(what, OURS, 10_000, p50_ms=1.6), f"p50 of a {what} ÷ without a filter")
            for what in FILTERED.values()
        ),
        (sample(GROWN, OURS, 100_000, p50_ms=6.1), "p50 of a search at 100,000 ÷ at 10,000, every vector compared"),
        (sample(GROWN_FAISS, OURS, 100_000, p50_ms=4.1), "p50 of a search at 100,000 ÷ at 10,000, with FAISS"),
    ],
)
def test_searching_is_held_to_a_peer_to_no_filter_and_to_fewer_entries(slow, promise):
    assert missed(figures_with(slow)) == [promise]


@requirement("MEM-003-speed-read")
def test_reading_by_id_is_held_to_the_bare_row():
    assert missed(figures_with(sample(READ_LEDGER, OURS, 10_000, p50_ms=3.1))) == [
        "p50 of a read by id ÷ of the bare row"
    ]


@requirement("MEM-001-1.1-latency")
@pytest.mark.parametrize("what, ms", [(HTTP_HOT, 2.1), (HTTP_WARM, 4.1)])
def test_reading_over_http_is_held_to_a_route_that_does_nothing(what, ms):
    slow = sample(what, OURS, 100_000, p50_ms=ms)
    assert missed(figures_with(slow)) == [f"p50 of a {what} at 100,000 ÷ an empty route"]


@requirement("MEM-005-report-15-slow-ingest")
@pytest.mark.parametrize("size", [1_000, 10_000, 100_000])
def test_an_add_in_a_hundred_may_take_ten_milliseconds_whatever_is_there(size):
    row = Row(WRITE, OURS, size)
    slow, fast = (Sample(row, 1, (1.0,) * (300 - some) + (10.1,) * some, 100.0) for some in (3, 2))
    assert missed(figures_with(slow)) == [f"p99 of an add at {size:,}, in ms"]
    assert missed(figures_with(fast)) == []


def test_what_was_not_measured_is_not_judged():
    assert [target.promise for target in targets(Figures([sample(ADD, OURS, 0)]), PLAN)] == []


def test_a_ratio_is_made_within_a_round_and_its_median_is_judged():
    ours = [sample(SEARCH, OURS, 10_000, ms, number=place) for place, ms in enumerate((1.0, 9.0, 30.0))]
    theirs = [sample(SEARCH, "Chroma", 10_000, ms, number=place) for place, ms in enumerate((1.0, 6.0, 10.0))]
    spread = Figures([*ours, *theirs]).ratio(ours[0].row, theirs[0].row, "p50_ms")
    assert spread == Spread(1.5, 1.0, 3.0)


def test_turns_come_in_portions_one_after_the_other():
    done, figures = [], Figures()

    def doing(name):
        def do(count):
            done.append((name, count))
            return Part((0.001,) * count, 0.1, count, ((1, 2),) * count, (2,) * count)

        return Turn(Row(name, OURS, 1), 10, do)

    take_turns(figures, 1, (doing("a"), doing("b")))
    assert done == [("a", 5), ("b", 5), ("a", 5), ("b", 5)]
    assert [(each.row.what, len(each.calls_ms), each.per_second, each.right) for each in figures.samples] == [
        ("a", 10, 50.0, 1.0),
        ("b", 10, 50.0, 1.0),
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory") / "corpus"
    return write_corpus(folder, SMALL.documents, 40, SMALL.asked_among, quiet)


def test_the_sizes_are_filled_searched_and_read(corpus, tmp_path):
    figures = Figures()
    measure_sizes(SMALL, tmp_path, corpus, figures)
    rows = {(row.what, row.entries) for row in figures.rows()}
    assert {(WRITE, 120), (WRITE, 240), (WRITE, 480), (WRITE_BY_MANY, 240), (GROWN, 480), (READ, 240)} <= rows
    assert ((GROWN_FAISS, 480) in rows) is ("FAISS" not in figures.absent)
    assert figures.right(Row(GROWN, OURS, 480)) == 1.0
    assert [each.entries for each in figures.footprints] == [120, 240, 480]
    assert all(each.disk_bytes > 1_000 for each in figures.footprints)


def test_a_hot_and_a_warm_memory_are_read_over_http(corpus, tmp_path):
    figures = Figures()
    measure_http(SMALL, tmp_path, corpus, figures)
    assert [row.what for row in figures.rows()] == [HTTP_EMPTY, HTTP_HOT, HTTP_WARM]


def test_a_peer_that_cannot_run_is_left_out_with_its_reason(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "PEER_PYTHON", sys.executable)
    with running_peer("Chroma", tmp_path / "alone", corpus) as peer, pytest.raises(Absent, match="chromadb"):
        peer.ask(do="open")
    figures = Figures()
    measure_peers(SMALL, tmp_path / "all", corpus, figures)
    assert set(figures.absent) == {"LangGraph", "Qdrant", "Chroma"}
    assert {row.store for row in figures.rows()} == {OURS}
    assert {row.what for row in figures.rows()} == {ADD, SEARCH, *FILTERED.values()}


def test_a_store_that_ends_instead_of_answering_spoils_the_run(corpus, tmp_path):
    home = make_home(tmp_path / "home")
    with running_node(home, corpus, EXACT) as store, pytest.raises(Spoiled, match="FileNotFoundError"):
        Subject(store, corpus, 120).add(1 + SMALL.documents * 10)


def test_what_a_filter_should_have_left_out_spoils_the_run(corpus, tmp_path):
    home = make_home(tmp_path / "home")
    with running_node(home, corpus, EXACT) as store:
        subject = Subject(store, corpus, 120)
        subject.fill(120)
        with pytest.raises(Spoiled, match="one type"):
            subject.check("type", [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])


def test_without_its_peers_the_run_says_how_to_get_them(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run, "PEER_PYTHON", tmp_path / "nowhere")
    assert run.main(["peers"]) == 2
    assert "make bench-memory" in capsys.readouterr().err


def test_a_missed_promise_ends_with_one_and_every_figure_is_written(monkeypatch, tmp_path):
    def measured(_plan, _folder, _corpus, figures):
        figures.samples += figures_with(sample(READ_LEDGER, OURS, 10_000, p50_ms=3.5)).samples

    monkeypatch.setattr(run, "write_corpus", lambda *_: None)
    monkeypatch.setitem(run.PARTS, "sizes", measured)
    told = tmp_path / "figures.json"
    assert run.main(["sizes", "--json", str(told)]) == 1
    document = json.loads(told.read_text(encoding="utf-8"))
    assert [target["promise"] for target in document["targets"] if not target["kept"]] == [
        "p50 of a read by id ÷ of the bare row"
    ]
    assert document["options"]["large"] == 100_000
    assert {row["what"] for row in document["rows"]} == {each.row.what for each in KEPT}


def test_a_part_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit):
        run.main(["songs"])
    assert "peers, sizes, http" in capsys.readouterr().err
