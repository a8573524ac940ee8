"""What a preview drew is drawn again by its apply, for seven days, and tells nobody what it was about."""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from pathlib import Path

import pytest

from csbond_tests import custodian_fixtures
from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian.files import seeds
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state
from memory_custodian.files.project import find_place
from memory_custodian.files.seeds import SeededDraws, draws_for, fresh_draws
from memory_custodian.rules.lock_record import SEED_AGE_SECONDS

DAY = 24 * 3600.0


world, place = custodian_fixtures.world, custodian_fixtures.place


@pytest.fixture
def plans(place: Place) -> Path:
    return Path(private_state(place).plans)


def draws(place: Place, *, topic: str = "heron", preview: bool = False) -> SeededDraws:
    return draws_for(place, "forget", {"topic": topic, "mode": "hard"}, preview=preview)


def kept(plans: Path) -> list[Path]:
    return sorted(path for path in plans.iterdir() if path.name != "key")


def drawn(some: SeededDraws) -> tuple[str, ...]:
    return (some.today, some.nonce, some.suffix(), some.suffix(), some.project_id())


@requirement("CUST-08.1-09", "CUST-13.1-13")
def test_an_apply_draws_what_its_preview_drew(place: Place, plans: Path) -> None:
    first = draws(place, preview=True)
    values = drawn(first)
    first.keep()
    assert drawn(draws(place)) == values
    assert drawn(draws(place, preview=True)) == values
    (seed,) = kept(plans)
    assert json.loads(seed.read_text()) == {
        "date": values[0],
        "plan_nonce": values[1],
        "entry_suffixes": list(values[2:4]),
        "project_id": values[4],
    }


@requirement("CUST-08.1-09", "CUST-B5.7-02")
def test_a_seed_is_a_private_file_outside_the_project(world: Project, place: Place, plans: Path) -> None:
    draws(place, preview=True).keep()
    for path in plans.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    assert not str(plans).startswith(str(world.root))


@requirement("CUST-08.1-10")
def test_the_name_and_content_of_a_seed_tell_nothing_of_the_topic(place: Place, plans: Path) -> None:
    """The name is made with a key of this user: the same request has another name elsewhere."""
    one = draws(place, preview=True)
    one.suffix()
    one.keep()
    (seed,) = kept(plans)
    assert re.fullmatch(r"forget-[0-9a-f]{32}\.json", seed.name)
    assert "heron" not in seed.read_text()
    (plans / "key").unlink()
    draws(place, preview=True).keep()
    assert len({path.name for path in kept(plans)}) == 2
    assert len((plans / "key").read_bytes()) == 32


def test_another_request_has_draws_of_its_own(place: Place, plans: Path, tmp_path: Path) -> None:
    one, two = draws(place, preview=True), draws(place, topic="crane", preview=True)
    other = project(tmp_path / "other")
    three = draws(find_place(str(other.root), "docs/memory"), preview=True)
    for some in (one, two, three):
        some.keep()
    assert len(kept(plans)) == 3
    assert len({some.nonce for some in (one, two, three)}) == 3


@requirement("CUST-04.1-04")
@pytest.mark.parametrize("raw", [bytes(16), bytes(range(16)), b"\xff" * 16])
def test_the_random_part_of_an_id_is_the_head_of_a_uuid4(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    """As the standard library makes it of the same random bytes."""
    monkeypatch.setattr(os, "urandom", lambda _count: raw)
    assert fresh_draws().project_id() == str(uuid.uuid4())
    assert fresh_draws().suffix() == uuid.uuid4().hex[:8]


@requirement("CUST-04.1-04")
def test_fresh_draws_differ_and_leave_nothing() -> None:
    assert fresh_draws().suffix() != fresh_draws().suffix()
    assert fresh_draws().nonce != fresh_draws().nonce
    assert re.fullmatch("[0-9a-f]{32}", fresh_draws().nonce)
    fresh_draws().drop()


def test_the_date_is_the_local_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = time.struct_time((2026, 3, 2, 23, 59, 0, 0, 61, -1))
    monkeypatch.setattr(time, "localtime", lambda *_seconds: moment)
    assert fresh_draws().today == "2026-03-02"
    assert draws(place, preview=True).today == "2026-03-02"


@requirement("CUST-T-10")
def test_after_midnight_an_apply_keeps_the_date_and_a_preview_takes_the_new_one(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, "_today", lambda: "2026-03-02")
    first = draws(place, preview=True)
    nonce, suffix = first.nonce, first.suffix()
    first.keep()
    monkeypatch.setattr(seeds, "_today", lambda: "2026-03-03")
    assert draws(place).today == "2026-03-02"
    again = draws(place, preview=True)
    assert (again.today, again.nonce, again.suffix()) == ("2026-03-03", nonce, suffix)


@requirement("CUST-08.1-11", "CUST-13.1-12")
@pytest.mark.parametrize("age, stays", [(7 * DAY - 60, True), (7 * DAY + 60, False)])
def test_a_seed_of_more_than_seven_days_is_removed_at_the_next_access(
    place: Place, plans: Path, age: float, stays: bool
) -> None:
    assert SEED_AGE_SECONDS == 7 * DAY
    old = draws(place, preview=True)
    old.keep()
    for path in plans.iterdir():
        os.utime(path, (time.time() - age, time.time() - age))
    draws(place, topic="crane")
    assert (len(kept(plans)) == 1) is stays
    assert (draws(place).nonce == old.nonce) is stays
    assert (plans / "key").exists()


def test_a_seed_is_dropped_with_its_plan(place: Place, plans: Path) -> None:
    some = draws(place, preview=True)
    some.keep()
    some.drop()
    some.drop()
    assert kept(plans) == []


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", pytest.param("[" * 200_000, id="nested without end"), '{"entry_suffixes": 7}', "\udcff"]
)
def test_a_malformed_seed_counts_as_none(place: Place, plans: Path, raw: str) -> None:
    some = draws(place, preview=True)
    some.keep()
    (seed,) = kept(plans)
    seed.write_bytes(raw.encode("utf-8", "surrogateescape"))
    assert draws(place).nonce != some.nonce


def test_a_folder_that_somebody_put_among_the_seeds_hinders_nobody(place: Place, plans: Path) -> None:
    folder = plans / "notes"
    folder.mkdir()
    os.utime(folder, (time.time() - 8 * DAY, time.time() - 8 * DAY))
    draws(place, preview=True).keep()
    assert folder.is_dir()
    assert len(kept(plans)) == 2
