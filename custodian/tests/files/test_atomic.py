"""One file is replaced at once, or not at all."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import pytest

from csbond_tests.marks import requirement
from memory_custodian.files import atomic

HALF = "." + "decisions.md." + "0" * 32 + ".tmp"


@requirement("CUST-B2.2-02")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_is_replaced_with_its_mode_kept(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "decisions.md"
    target.write_bytes(b"old\n")
    target.chmod(mode)
    prepared = atomic.prepare(str(target), b"new\n")
    assert target.read_bytes() == b"old\n"
    atomic.replace(prepared, str(target))
    assert target.read_bytes() == b"new\n"
    assert target.stat().st_mode & 0o7777 == mode
    assert os.listdir(tmp_path) == ["decisions.md"]


@requirement("CUST-B2.2-02")
def test_a_new_file_may_be_read_by_others_as_the_user_allows(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        atomic.replace(atomic.prepare(str(tmp_path / "a.md"), b"x"), str(tmp_path / "a.md"))
    finally:
        os.umask(before)
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o644


@requirement("CUST-B2.2-02")
def test_what_fails_while_it_is_prepared_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"old\n")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic.prepare(str(tmp_path / "a.md"), b"new\n")
    assert os.listdir(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"old\n"


def test_a_digest_is_that_of_the_bytes_and_of_nothing_where_there_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    assert atomic.digest_of(str(tmp_path / "a")) == hashlib.sha256(b"x").hexdigest()
    assert atomic.digest_of(str(tmp_path / "none")) == hashlib.sha256(b"").hexdigest()


def test_what_is_no_regular_file_has_no_digest_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "a").write_bytes(b"x")
    assert [atomic.digest_of(str(tmp_path / name)) for name in ("", "fifo", "link")] == ["", "", ""]
    assert atomic.digest_of(str(tmp_path / "a" / "below")) == hashlib.sha256(b"").hexdigest()


def test_a_file_whose_content_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read(self, _size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    (tmp_path / "a").write_bytes(b"x")
    monkeypatch.setattr(atomic, "open", lambda _path, _mode: Broken(), raising=False)
    with pytest.raises(OSError, match="Input/output error") as told:
        atomic.digest_of(str(tmp_path / "a"))
    assert told.value.filename == str(tmp_path / "a")


def test_only_prepared_files_are_swept(tmp_path: Path) -> None:
    folder = tmp_path / "areas"
    folder.mkdir()
    kept = ["decisions.md", "decisions.md.tmp", ".decisions.md.0123.tmp", "x" + HALF, f"{HALF}~"]
    for name in kept:
        (tmp_path / name).write_text("")
    (folder / HALF).write_text("")
    (tmp_path / HALF).write_text("")
    atomic.sweep(str(tmp_path), deep=False)
    assert sorted(os.listdir(tmp_path)) == sorted(["areas", *kept])
    assert os.listdir(folder) == [HALF]
    atomic.sweep(str(tmp_path), deep=True)
    assert os.listdir(folder) == []
    atomic.sweep(str(tmp_path / "none"), deep=True)


def test_a_folder_that_cannot_be_synced_is_no_failure(tmp_path: Path) -> None:
    atomic.sync_folder(str(tmp_path / "none"))
