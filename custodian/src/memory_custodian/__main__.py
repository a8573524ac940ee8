"""`python -m memory_custodian` is the command `memory-custodian`."""

from __future__ import annotations

import sys

from memory_custodian.cli import main

if __name__ == "__main__":
    sys.exit(main())
