"""A home is made whole, refuses to overwrite, and keeps its secrets."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from csbond.config import home as home_module
from csbond.config.home import create_home, file_modes, open_home, read_private
from csbond.config.settings import Settings
from csbond.config.settings_file import read_settings
from csbond.config.system import SystemClock, SystemIdentifiers
from csbond.protocol.errors import CsbError, LocalProtocolError, Unavailable
from csbond_tests.requirements import requirement

FILES = {"identity.json", "node.key", "owner.token", "csb.toml"}


def test_a_home_holds_an_identity_a_key_a_token_and_settings(make_home) -> None:
    home = make_home(name="衡 🏠", emoji="🏠", domain="agent.example")
    assert {path.name for path in home.path.iterdir()} == FILES
    assert open_home(home.path) == home
    assert home.identity.name == "衡 🏠"
    assert home.identity.also_known_as[0].startswith("did:csb:agent.example:agent:")
    assert home.node_key().did == home.identity.did
    assert read_settings(home.settings_file) == Settings()


@requirement("MEM-001-1.2-declared", "MEM-002-2.3-storage")
def test_identity_json_declares_tiers_and_storage(home) -> None:
    document = json.loads(home.identity_file.read_text())
    assert document["memory_level_map"] == {"hot": "hot", "warm": "warm", "cold": "cold"}
    assert document["memory_storage"] == "sqlite"
    assert document["capabilities"]["memory.search"] is True
    assert document["created_at"] == 1_700_000_000_000


def test_only_its_owner_can_read_a_home_whatever_the_umask(make_home) -> None:
    before = os.umask(0)
    try:
        home = make_home()
    finally:
        os.umask(before)
    assert set(file_modes(home).values()) == {0o700, 0o600}
    assert stat.S_IMODE(home.settings_file.stat().st_mode) == 0o600


def test_two_homes_have_different_keys_and_tokens(make_home, tmp_path: Path) -> None:
    one, two = make_home(tmp_path / "one"), make_home(tmp_path / "two")
    assert one.identity.did != two.identity.did
    assert one.owner_token() != two.owner_token()


def test_missing_parents_and_an_empty_directory_are_no_obstacle(make_home, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert make_home(empty).node_key()
    assert {path.name for path in empty.iterdir()} == FILES
    assert stat.S_IMODE(empty.stat().st_mode) == 0o700
    assert make_home(tmp_path / "a" / "b" / ".." / "c").path == tmp_path / "a" / "c"


def test_a_home_is_never_overwritten(make_home, home) -> None:
    before = {path.name: path.read_bytes() for path in home.path.iterdir()}
    with pytest.raises(LocalProtocolError, match="is there already") as refused:
        make_home(name="Another")
    assert refused.value.code.name == "already_exists"
    assert {path.name: path.read_bytes() for path in home.path.iterdir()} == before


@pytest.mark.parametrize("kind", ["file", "full directory", "dangling link"])
def test_whatever_is_at_the_place_is_left_alone(make_home, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    match kind:
        case "file":
            place.write_text("mine")
        case "full directory":
            place.mkdir()
            (place / "mine").touch()
        case _:
            place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(LocalProtocolError, match="is there already"):
        make_home(place)
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


@pytest.mark.parametrize("fails_at", sorted(FILES))
@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_init_leaves_nothing_behind(make_home, tmp_path: Path, monkeypatch, fails_at, fault) -> None:
    write = home_module._write_private

    def failing(path: Path, text: str) -> None:
        if path.name == fails_at:
            raise fault
        write(path, text)

    monkeypatch.setattr(home_module, "_write_private", failing)
    (tmp_path / "volume").mkdir()
    with pytest.raises((Unavailable, KeyboardInterrupt)):
        make_home(tmp_path / "volume")
    assert list((tmp_path / "volume").iterdir()) == []
    (tmp_path / "volume").rmdir()
    with pytest.raises((Unavailable, KeyboardInterrupt)) as failed:
        make_home(tmp_path / "new" / "parents" / "home")
    assert not isinstance(failed.value, CsbError) or failed.value.code.name == "storage_full"
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_appears_meanwhile_is_not_overwritten(make_home, tmp_path: Path, monkeypatch) -> None:
    place = tmp_path / "home"
    write = home_module._write_private

    def slow(path: Path, text: str) -> None:
        place.mkdir(exist_ok=True)
        (place / "mine").touch()
        write(path, text)

    monkeypatch.setattr(home_module, "_write_private", slow)
    with pytest.raises(LocalProtocolError, match="is there already"):
        make_home(place)
    assert [path.name for path in place.iterdir()] == ["mine"]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_two_who_fill_the_same_empty_directory_do_not_mix(make_home, tmp_path: Path, monkeypatch) -> None:
    place = tmp_path / "volume"
    place.mkdir()
    write = home_module._write_private

    def slow(path: Path, text: str) -> None:
        if path.name == "csb.toml":
            (place / "node.key").write_text("of the other")
        write(path, text)

    monkeypatch.setattr(home_module, "_write_private", slow)
    with pytest.raises(LocalProtocolError, match="is there already"):
        make_home(place)
    assert {path.name: path.read_text() for path in place.iterdir()} == {"node.key": "of the other"}


@pytest.mark.parametrize(
    "words", [{"name": ""}, {"name": "a\nb"}, {"name": "x" * 65}, {"emoji": "a b"}, {"domain": "-bad-"}]
)
def test_a_name_that_cannot_be_one_makes_no_home(make_home, tmp_path: Path, words: dict[str, str]) -> None:
    with pytest.raises(CsbError) as refused:
        make_home(**words)
    assert refused.value.field == next(iter(words))
    assert list(tmp_path.iterdir()) == []


def test_a_place_below_a_file_is_refused_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LocalProtocolError, match="Not a directory"):
        create_home(tmp_path / "file" / "home", "Heng", "", "", SystemClock(), SystemIdentifiers())


def test_without_a_home_one_is_told_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(LocalProtocolError) as missing:
        open_home(tmp_path / "none")
    assert missing.value.code.name == "home_missing"
    assert missing.value.next_step == f"csb init --home {tmp_path / 'none'} --name NAME"


@pytest.mark.parametrize("file", ["node.key", "owner.token"])
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_secret_that_others_can_reach_is_refused_with_the_command_that_helps(home, file: str, mode: int) -> None:
    (home.path / file).chmod(mode)
    with pytest.raises(LocalProtocolError, match=f"mode {mode:04o}") as refused:
        home.node_key() if file == "node.key" else home.owner_token()
    assert refused.value.next_step == f"chmod 600 {home.path / file}"


def test_the_key_of_another_identity_is_refused(make_home, tmp_path: Path) -> None:
    one, two = make_home(tmp_path / "one"), make_home(tmp_path / "two")
    one.key_file.write_text(two.key_file.read_text())
    with pytest.raises(LocalProtocolError, match="is not the key of"):
        one.node_key()


@pytest.mark.parametrize("text", ["", "not base64!", "AAAA", "密"])
def test_a_damaged_key_is_refused_without_being_shown(home, text: str) -> None:
    home.key_file.write_text(text, encoding="utf-8")
    with pytest.raises(LocalProtocolError, match="not an Ed25519 seed") as refused:
        home.node_key()
    assert not text or text not in refused.value.reason


@pytest.mark.parametrize("text", ["", "two words", "密"])
def test_a_damaged_token_is_refused(home, text: str) -> None:
    home.token_file.write_text(text, encoding="utf-8")
    with pytest.raises(LocalProtocolError, match="holds no token"):
        home.owner_token()


@pytest.mark.parametrize(
    "content", [b"{", b"\xff", b"[]", b'{"name": 1}', b'{"name": "x", "did": "did:web:x"}', b"[" * 9999]
)
def test_a_damaged_identity_is_refused_with_its_file(home, content: bytes) -> None:
    home.identity_file.write_bytes(content)
    with pytest.raises(LocalProtocolError, match=r"identity\.json") as refused:
        open_home(home.path)
    assert refused.value.code.name == "setting_invalid"


def test_a_missing_secret_is_refused_with_its_file(home) -> None:
    home.key_file.unlink()
    with pytest.raises(LocalProtocolError, match=r"node\.key cannot be read"):
        read_private(home.key_file)
