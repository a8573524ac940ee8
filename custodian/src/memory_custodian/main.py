"""`python -m memory_custodian.main`, and `memory_custodian.main:main`: the command by its older name."""

from __future__ import annotations

import sys

from memory_custodian.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
