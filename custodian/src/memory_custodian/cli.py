"""The command `memory-custodian`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from memory_custodian import __version__

__all__ = ["main"]

DESCRIPTION = """\
Keeps the project memory of coding agents as reviewable Markdown in a repository.

This release answers --version and --help only: the commands that read and write a
repository's memory are not part of it yet.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer `--version` or `--help` and return 0; argparse ends any other call with exit code 2."""
    parser = argparse.ArgumentParser(
        prog="memory-custodian",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memory-custodian {__version__}")
    parser.parse_args(arguments)
    parser.print_help()
    return 0
