"""How a command may end, beside 0: the statuses are in `protocol.errors.EXIT_STATUS`."""

from __future__ import annotations

from csbond.protocol.errors import Exit

ENDINGS = {
    Exit.NEGATIVE: "A considered no: not found, refused, in conflict, a task that failed, a fault that was found.",
    Exit.USAGE: "The command, a setting or a file is not as it must be.",
    Exit.UNAVAILABLE: "Something needed is not there now: the node, another agent, the database.",
    Exit.FORBIDDEN: "The token is missing, unknown, or not for this.",
    Exit.INTERNAL: "A fault of the program itself; the traceback is on standard error.",
}
"""What each status says."""
INTERRUPTED = 130
"""Ended by Ctrl-C, as shells count it."""
NOBODY_READS = 141
"""The reader of standard output went away (`| head`), as shells count SIGPIPE."""
