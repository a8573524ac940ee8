"""What a preview drew, kept until its apply: the date, random values, and the nonce (§8.1). Outside the project."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state, publish_private, read_private, replace_private
from memory_custodian.rules.lock_record import SEED_AGE_SECONDS
from memory_custodian.rules.plan import Argument

__all__ = ["SeededDraws", "draws_for", "fresh_draws"]

_KEY_BYTES = 32


class SeededDraws:
    """The draws of one request, the same every time they are replayed. Keeps the protocol of `rules/draws.py`."""

    def __init__(self, path: str, seed: Mapping[str, Any]) -> None:
        self._path = path
        self._date = str(seed.get("date") or _today())
        self._suffixes = [str(suffix) for suffix in seed.get("entry_suffixes", ())]
        self._nonce = str(seed.get("plan_nonce") or os.urandom(16).hex())
        self._project_id = str(seed.get("project_id") or "")
        self._drawn = 0

    @property
    def today(self) -> str:
        """The local date of the preview."""
        return self._date

    @property
    def nonce(self) -> str:
        """128 random bits as hex."""
        return self._nonce

    def suffix(self) -> str:
        """Return the next eight hex digits: the first of a UUIDv4 (§4.1)."""
        if self._drawn == len(self._suffixes):
            self._suffixes.append(_uuid4()[:8])
        self._drawn += 1
        return self._suffixes[self._drawn - 1]

    def project_id(self) -> str:
        """Return the UUIDv4 for a project that has none; always the same one."""
        if not self._project_id:
            self._project_id = _uuid4()
        return self._project_id

    def keep(self) -> None:
        """Write the seed down, so that the apply of this plan draws the same."""
        import json

        seed = {
            "date": self._date,
            "entry_suffixes": self._suffixes,
            "plan_nonce": self._nonce,
            "project_id": self._project_id,
        }
        replace_private(self._path, json.dumps(seed, sort_keys=True).encode("ascii"))

    def drop(self) -> None:
        """Forget the seed: its plan is made."""
        if self._path and os.path.lexists(self._path):
            os.unlink(self._path)

    def replayed(self) -> SeededDraws:
        """Return draws that begin again with the first suffix."""
        again = SeededDraws(self._path, {"date": self._date, "plan_nonce": self._nonce})
        again._suffixes, again._project_id = self._suffixes, self._project_id
        return again


def fresh_draws() -> SeededDraws:
    """Return draws for a command without a preview; nothing is kept."""
    return SeededDraws("", {})


def draws_for(place: Place, command: str, arguments: Mapping[str, Argument], *, preview: bool) -> SeededDraws:
    """Return the draws of a request: those of its pending preview, or new ones.

    A preview on a later date takes that date; an apply keeps the date of its preview, also after midnight. Seeds of
    more than seven days are removed first, whosever they are: their Plan IDs then ask for a new preview.
    """
    folder = private_state(place).plans
    _clean(folder, time.time())
    path = os.path.join(folder, _name(folder, place, command, arguments))
    seed = _read(path)
    if preview:
        seed = {**seed, "date": _today()}
    return SeededDraws(path, seed)


def _name(folder: str, place: Place, command: str, arguments: Mapping[str, Argument]) -> str:
    """Name the seed of a request. A plain hash of it would let anybody who reads the folder try topics out."""
    import hmac
    import json

    key = publish_private(os.path.join(folder, "key"), os.urandom(_KEY_BYTES))
    request = json.dumps([command, place.root, place.memory_dir, dict(arguments)], sort_keys=True)
    return f"{command.replace(' ', '-')}-{hmac.new(key, request.encode('ascii'), 'sha256').hexdigest()[:32]}.json"


def _read(path: str) -> dict[str, Any]:
    import json

    raw = read_private(path)
    try:
        found = json.loads(raw) if raw else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("entry_suffixes", []), list) else {}


def _clean(folder: str, now: float) -> None:
    for entry in os.scandir(folder):
        if entry.name == "key" or entry.is_dir(follow_symlinks=False):
            continue
        try:
            if now - entry.stat(follow_symlinks=False).st_mtime > SEED_AGE_SECONDS:
                os.unlink(entry.path)
        except FileNotFoundError:
            continue


def _uuid4() -> str:
    """Return a UUIDv4 as it is written; importing `uuid` for it would take a tenth of the time of an `add`."""
    raw = bytearray(os.urandom(16))
    raw[6], raw[8] = raw[6] & 0x0F | 0x40, raw[8] & 0x3F | 0x80
    digits = raw.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.localtime())
