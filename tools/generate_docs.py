"""Writes the pages of docs/reference that are made from the code; with --check it says which differ and exits 1."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from csbond.api.life_cycle import life_cycle_markdown
from csbond.api.reference import errors_markdown, routes_markdown
from csbond.cli.reference import cli_markdown
from csbond.config.reference import settings_markdown
from csbond.schedule.reference import jobs_markdown
from csbond.transport.reference import methods_markdown

ROOT = Path(__file__).resolve().parent.parent
PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/cli.md": cli_markdown,
    "docs/reference/errors.md": errors_markdown,
    "docs/reference/jobs.md": jobs_markdown,
    "docs/reference/life-cycle.md": life_cycle_markdown,
    "docs/reference/methods.md": methods_markdown,
    "docs/reference/routes.md": routes_markdown,
    "docs/reference/settings.md": settings_markdown,
}


def main(arguments: list[str] | None = None) -> int:
    """Write the pages below `--root`, or say which are not what the code says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    given = parser.parse_args(arguments)
    stale = [name for name, page in PAGES.items() if _is_stale(given.root / name, page())]
    for name in stale:
        if given.check:
            print(f"{name} is not what the code says: run {Path(__file__).name}")
            continue
        (given.root / name).parent.mkdir(parents=True, exist_ok=True)
        (given.root / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"{name} is written")
    return 1 if given.check and stale else 0


def _is_stale(path: Path, text: str) -> bool:
    return not path.exists() or path.read_text(encoding="utf-8") != text


if __name__ == "__main__":
    sys.exit(main())
