"""Where the private state of a user may lie, outside every project (§7.1)."""

from __future__ import annotations

from collections.abc import Mapping

from memory_custodian.rules.digest import sha256_hex
from memory_custodian.rules.value import Value

__all__ = ["Machine", "state_candidates"]


class Machine(Value):
    """What a system tells about its user."""

    windows: bool
    environment: Mapping[str, str]
    home: str
    """Absolute; empty where the user has none."""
    uid: int | None
    """None where users have no number."""


def state_candidates(machine: Machine) -> tuple[str, ...]:
    """Return the directories for the private state, the best first; the last ones are in temporary directories.

    A variable that is empty or no absolute path counts as unset.
    """
    environment = machine.environment
    if machine.windows:
        local = environment.get("LOCALAPPDATA", "")
        settled = [f"{_stripped(local)}\\MemoryCustodian\\state"] if _drive_path(local) else []
        temporary = [environment.get(name, "") for name in ("TEMP", "TMP")]
        folders = [_stripped(folder) for folder in [*temporary, "C:\\Windows\\Temp"] if _drive_path(folder)]
        return (*settled, *(f"{folder}\\{_fallback_name(machine)}" for folder in _once(folders)))
    state = environment.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        state = f"{_stripped(machine.home)}/.local/state" if machine.home.startswith("/") else ""
    settled = [f"{_stripped(state)}/memory-custodian"] if state else []
    temporary = [environment.get("TMPDIR", ""), "/tmp", "/var/tmp"]  # noqa: S108 - checked for its owner before use
    folders = [_stripped(folder) for folder in temporary if folder.startswith("/")]
    return (*settled, *(f"{folder}/{_fallback_name(machine)}" for folder in _once(folders)))


def _fallback_name(machine: Machine) -> str:
    if machine.uid is not None:
        return f"memory-custodian-state-{machine.uid}"
    return f"memory-custodian-state-{sha256_hex(machine.home.encode('utf-8', 'surrogatepass'))[:12]}"


def _drive_path(path: str) -> bool:
    return path[1:3] in {":\\", ":/"} or path.startswith("\\\\")


def _stripped(folder: str) -> str:
    return folder.rstrip("/\\")


def _once(folders: list[str]) -> list[str]:
    return list(dict.fromkeys(folders))
