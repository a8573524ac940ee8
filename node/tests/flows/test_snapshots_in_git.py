"""Snapshots are distributed by a Git folder: small differences, and what is cloned can be loaded (MEM-006 §6.2)."""

from __future__ import annotations

import asyncio
import os
import shutil

import pytest

from csbond.flows.edit_memory import edit_memory
from csbond.flows.load_snapshot import counts_of
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.snapshot import SUFFIX
from csbond.protocol.messages.caller import OWNER
from csbond.testing import InMemoryLedger
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, small_world
from csbond_tests.snapshots import file_of_home, loaded

AUTHOR = {
    f"GIT_{who}_{what}": f"luna{at}" for who in ("AUTHOR", "COMMITTER") for what, at in (("NAME", ""), ("EMAIL", "@x"))
}
NAME = f"known{SUFFIX}"


async def git(place, *arguments):
    environment = {**os.environ, **AUTHOR, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    process = await asyncio.create_subprocess_exec(
        "git", *arguments, cwd=place, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


@requirement("MEM-006-6.2-git")
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_a_changed_memory_is_three_lines_of_a_git_difference_and_a_clone_is_loaded(stored, tmp_path):
    entries = [await remember(stored, f"memory {number} 河", level="hot") for number in range(20)]
    folder, clone = tmp_path / "protocol", tmp_path / "clone"
    folder.mkdir()
    (folder / NAME).write_bytes(await file_of_home(stored))
    await git(folder, "init", "-q")
    await git(folder, "add", NAME)
    await git(folder, "commit", "-qm", "What is known")
    stored.clock.advance(60_000)
    await edit_memory(stored, entries[7].id, {"content": "changed"}, LevelNames(), caller=OWNER, intent=INTENT)
    (folder / NAME).write_bytes(await file_of_home(stored))
    assert (await git(folder, "diff", "--numstat")).split() == ["3", "3", NAME]
    await git(folder, "commit", "-qam", "One is known better")
    await git(tmp_path, "clone", "-q", str(folder), str(clone))
    second = small_world(InMemoryLedger())
    outcome = await loaded(second, (clone / NAME).read_bytes(), source=NAME)
    assert counts_of(outcome)["loaded"] == 20
    here = (await second.ledger.entries_by_id([entries[7].id]))[entries[7].id]
    assert (here.content, here.level) == ("changed", "warm")
