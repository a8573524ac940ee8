"""Runs in place of the command of a subprocess skill: takes its limits on, then becomes the command.

Started as a script of its own (isolated, without site packages), because limits set between fork and exec of a
process with threads can deadlock, and limits set from outside come too late.
"""

from __future__ import annotations

import os
import resource
import sys

LIMITS = ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE")
NOT_STARTED = 126
"""Exit status when the command could not be started (sh uses it so)."""


def main(arguments: list[str]) -> int:
    """Become the command after the limits, one number each in the order of `LIMITS`; returns only when that fails."""
    numbers, command = arguments[: len(LIMITS)], arguments[len(LIMITS) :]
    os.umask(0o077)
    try:
        for name, number in zip(LIMITS, map(int, numbers), strict=True):
            # macOS knows the limit of the address space, but refuses to set it.
            if not (name == "RLIMIT_AS" and sys.platform == "darwin"):
                resource.setrlimit(getattr(resource, name), (number, number))
        os.execvp(command[0], command)  # noqa: S606  (no shell is wanted)
    except (OSError, ValueError) as fault:
        sys.stderr.write(f"{command[0]} cannot be started: {fault}\n")
    return NOT_STARTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
