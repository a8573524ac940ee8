"""The samples in `spec/vectors/memory/imports`: what each format finds in them is written beside them."""

from __future__ import annotations

import orjson
import pytest

from csbond_tests.import_samples import FOLDER, SAMPLES, files, found
from csbond_tests.requirements import requirement


@requirement(
    "MEM-003-interop-mcp",
    "MEM-003-interop-markdown",
    "MEM-003-interop-custodian",
    "MEM-003-interop-json",
    "MEM-003-interop-format",
    "MEM-002-2.1-published",
)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_finds_in_its_sample_what_is_written_beside_it(name):
    assert found(name) == orjson.loads((FOLDER / f"{name}.expected.json").read_bytes())


@requirement("MEM-003-interop-custodian")
def test_the_ids_of_all_entries_of_a_project_memory_are_found():
    named = {each["name"]["key"] for each in found("custodian") if "name" in each}
    written = {
        line.split()[1]
        for file in files("custodian")
        if file.path not in ("subjects.md", "changelog.md")
        for line in file.text.splitlines()
        if line.startswith("## MC-")
    }
    assert len(written) > 10
    assert written <= named
