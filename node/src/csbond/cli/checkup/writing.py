"""Whether a node could write where it must; asked by trying, and nothing is left behind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def hindrance(folder: Path, files: Iterable[Path]) -> str:
    """What keeps a node from making files in a folder, or from writing those of the files that are there; or empty."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        return f"{folder} cannot be written to: {fault.strerror}"
    for file in files:
        if file.exists() and not os.access(file, os.R_OK | os.W_OK):
            return f"{file} cannot be written to"
    return ""
