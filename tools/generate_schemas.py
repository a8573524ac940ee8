"""Writes the schemas of spec/schemas that are made from the code; with --check it says which differ and exits 1."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from csbond.api.entry_schema import entry_schema_text

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS: dict[str, Callable[[], str]] = {"spec/schemas/memory-v1.schema.json": entry_schema_text}


def main(arguments: list[str] | None = None) -> int:
    """Write the schemas below `--root`, or say which are not what the code says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    given = parser.parse_args(arguments)
    stale = [name for name, text in SCHEMAS.items() if _is_stale(given.root / name, text())]
    for name in stale:
        if given.check:
            print(f"{name} is not what the code says: run {Path(__file__).name}")
            continue
        (given.root / name).parent.mkdir(parents=True, exist_ok=True)
        (given.root / name).write_text(SCHEMAS[name](), encoding="utf-8")
        print(f"{name} is written")
    return 1 if given.check and stale else 0


def _is_stale(path: Path, text: str) -> bool:
    return not path.exists() or path.read_text(encoding="utf-8") != text


if __name__ == "__main__":
    sys.exit(main())
