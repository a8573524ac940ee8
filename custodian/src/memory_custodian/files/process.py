"""What this system says of processes: which runs here, and whether another one still does."""

from __future__ import annotations

import os

__all__ = ["hostname", "is_gone", "start_of"]


def hostname() -> str:
    """Return the name of this machine."""
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return name or "unknown"


def is_gone(pid: int, start: str) -> bool:
    """Whether no process has this number, or another one has taken it since; `start` is empty where nobody noted it."""
    if os.name == "nt":
        return _is_gone_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    now = start_of(pid)
    return bool(start and now and start != now)


def start_of(pid: int) -> str:
    """Return what tells a process from a later one with its number; empty where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            # The name in parentheses may hold spaces and parentheses of its own; the 20th word behind it is the start.
            ticks = stream.read().rpartition(b")")[2].split()[19].decode("ascii")
        with open("/proc/sys/kernel/random/boot_id", "rb") as stream:
            boot = stream.read().decode("ascii").strip()
    except (OSError, IndexError, UnicodeDecodeError):
        return ""
    return f"{boot}/{ticks}"


def _is_gone_on_windows(pid: int) -> bool:
    """`os.kill` would end the process there."""
    import ctypes

    query_limited_information, invalid_parameter, still_active = 0x1000, 87, 259
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return bool(ctypes.get_last_error() == invalid_parameter)  # type: ignore[attr-defined,unused-ignore]
    code = ctypes.c_ulong()
    known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return bool(known) and code.value != still_active
