"""What the distribution brings beside its code."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from csbond_tests.marks import requirement

DISTRIBUTION = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the source archive."""
    folder = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(build, cwd=DISTRIBUTION, check=True, capture_output=True, timeout=120)
    return folder


@requirement("CUST-16-02")
def test_wheel_and_source_archive_have_the_licence(built: Path) -> None:
    (wheel,), (source,) = built.glob("*.whl"), built.glob("*.tar.gz")
    text = (DISTRIBUTION / "LICENSE").read_bytes()
    assert b"Apache License" in text
    assert text == (DISTRIBUTION.parent / "LICENSE").read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/LICENSE"))
        assert archive.read(name) == text
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        said = Parser().parsestr(archive.read(metadata).decode("utf-8"))
    assert (said["Version"], said["License-Expression"]) == ("0.10.0", "Apache-2.0")
    assert said.get_all("Requires-Dist") is None
    assert [one for one in said.get_all("Classifier", []) if one.startswith("Development")] == [
        "Development Status :: 4 - Beta"
    ]
    with tarfile.open(source) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
    assert {"LICENSE", "README.md", "RELEASE-NOTES.md", "src/memory_custodian/cli.py"} <= names


def test_the_readme_links_to_nothing_that_is_not_there_outside_the_repository() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (DISTRIBUTION / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
