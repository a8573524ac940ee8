"""`python -m csbond.cli` is `csb`."""

from __future__ import annotations

import sys

from csbond.cli import main

sys.exit(main())
