from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from csbond.cli.written_file import write_text, written
from csbond.protocol.errors import LocalProtocolError


def mode(file):
    return stat.S_IMODE(file.stat().st_mode)


def test_a_new_file_is_for_nobody_else(tmp_path) -> None:
    file = tmp_path / "picture.svg"
    write_text(file, "茶")
    assert (file.read_text(encoding="utf-8"), mode(file)) == ("茶", 0o600)


def test_a_file_that_is_there_keeps_who_may_read_it(tmp_path) -> None:
    file = tmp_path / "picture.svg"
    file.write_text("before", encoding="utf-8")
    file.chmod(0o640)
    write_text(file, "after")
    assert (file.read_text(encoding="utf-8"), mode(file)) == ("after", 0o640)


def test_a_link_stays_a_link_and_what_it_leads_to_is_written(tmp_path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "picture.svg"
    link.symlink_to(tmp_path / "there" / "real.svg")
    write_text(link, "after")
    assert link.is_symlink()
    assert (tmp_path / "there" / "real.svg").read_text(encoding="utf-8") == "after"


def test_what_is_no_file_is_written_through() -> None:
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as pipe:
        write_text(Path(f"/dev/fd/{writer}"), "through")
        os.close(writer)
        assert pipe.read() == "through"


def test_a_block_that_fails_leaves_what_was_there_and_nothing_beside(tmp_path) -> None:
    file = tmp_path / "picture.svg"
    file.write_text("before", encoding="utf-8")

    def fails():
        with written(file) as kept:
            kept.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert [(each.name, each.read_text(encoding="utf-8")) for each in tmp_path.iterdir()] == [("picture.svg", "before")]


@pytest.mark.parametrize("place", ["missing/picture.svg", "."])
def test_a_place_that_cannot_be_written_is_refused(tmp_path, place) -> None:
    with pytest.raises(LocalProtocolError) as refused:
        write_text(tmp_path / place, "after")
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", "output")
