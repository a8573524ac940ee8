"""Two homes may name one database; one process works on it."""

from __future__ import annotations

from pathlib import Path

import apsw
import httpx

from csbond.schedule.jobs import JOBS
from csbond_tests.requirements import requirement
from csbond_tests.running import csb, new_home, running

QUIET = '[memory]\nsemantic = "off"\n'


@requirement("EDGE-009")
def test_a_second_home_on_the_same_database_is_refused_and_the_file_is_named(tmp_path: Path) -> None:
    database = tmp_path / "shared.db"
    first, second = new_home(tmp_path / "first", QUIET), new_home(tmp_path / "second", QUIET)
    with running(first, "--database", f"sqlite:///{database}") as node:
        ended = csb(second, "serve", "--port", "0", "--database", f"sqlite:///{database}")
        assert ended.status == 3
        assert f"another process already works on the database {database}" in ended.err
        assert "--database" in ended.err
        assert "Traceback" not in ended.err
        assert httpx.get(f"{node.url}/health").json()["status"] == "ok"
        for _ in range(200):
            if "look_after_ledger" in jobs_of(database):
                break
            httpx.get(f"{node.url}/health")
        assert jobs_of(database) == {job.name for job in JOBS}
    with running(second, "--database", f"sqlite:///{database}") as node:
        assert httpx.get(f"{node.url}/health").json()["status"] == "ok"


def jobs_of(database: Path) -> set[str]:
    """The jobs that ran, as the file knows them."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {name for (name,) in connection.execute("SELECT name FROM job")}
    finally:
        connection.close()


@requirement("FAULT-08")
def test_a_second_process_on_the_same_home_is_refused_with_the_first_one_s_address(tmp_path: Path) -> None:
    home = new_home(tmp_path / "home", QUIET)
    with running(home) as node:
        ended = csb(home, "serve", "--port", "0")
        assert ended.status == 3
        assert f"process {node.process.pid} already runs the home {home.path} at {node.url}" in ended.err
        assert httpx.get(f"{node.url}/health").json()["status"] == "ok"
    with running(home) as again:
        assert httpx.get(f"{again.url}/health").json()["status"] == "ok"
