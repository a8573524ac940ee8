"""`csb init` makes a home, says what to do next, and keeps its secrets to itself."""

from __future__ import annotations

from pathlib import Path

from csbond.config.home import open_home


def test_a_home_is_made_and_the_next_step_is_said(csb, tmp_path: Path) -> None:
    place = tmp_path / "home"
    ended = csb("init", "--home", place, "--name", "衡 🏠", "--emoji", "🏠", "--domain", "agent.example")
    assert ended.status == 0
    assert f"衡 🏠 has a home at {place}\n" in ended.out
    assert ended.out.endswith(f"Next: csb serve --home {place}\n")
    assert open_home(place).identity.also_known_as


def test_no_secret_is_printed(csb, tmp_path: Path) -> None:
    shown = csb("init", "--home", tmp_path / "home", "--name", "Heng", "--json")
    assert shown.json["identity"]["name"] == "Heng"
    home = open_home(tmp_path / "home")
    assert home.owner_token() not in shown.out
    assert home.key_file.read_text().strip() not in shown.out


def test_a_home_is_not_overwritten_when_init_is_repeated(csb, home) -> None:
    before = home.key_file.read_bytes()
    ended = csb("init", "--home", home.path, "--name", "Other", "--json")
    assert ended.status == 1
    assert ended.error["code"] == "already_exists"
    assert home.key_file.read_bytes() == before


def test_a_name_that_cannot_be_one_ends_with_the_status_of_misuse(csb, tmp_path: Path) -> None:
    ended = csb("init", "--home", tmp_path / "home", "--name", " ")
    assert ended.status == 2
    assert ended.err == "csb: a name has 1 to 64 characters and no control characters\n"
    assert not (tmp_path / "home").exists()
