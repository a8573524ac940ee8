"""How the schema came to be: numbered scripts, run once each, in one transaction.

Two numbers are kept in the database: its schema version, and the oldest version that may still use it. A program
that knows at least the second works on, so a step back after an upgrade is possible where a migration allows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import Any

import apsw

from csbond.protocol.errors import RemoteProtocolError, Unavailable
from csbond.protocol.memory.entry_fields import PROJECT
from csbond.protocol.memory.link import is_foreign
from csbond.protocol.memory.link_json import set_apart
from csbond.protocol.memory.named_targets import named_targets
from csbond.protocol.memory.project import folded_name
from csbond.protocol.memory.text_key import text_key
from csbond.protocol.memory.words import index_text
from csbond.store.writing.json_columns import from_json, to_json

APPLICATION_ID = 0x63736264
"""`csbd`: tells a ledger from any other SQLite file."""

_FUNCTIONS: Mapping[str, Callable[[str], apsw.SQLiteValue]] = {
    "folded_name": folded_name,
    "index_text": index_text,
    "is_foreign": is_foreign,
    "named_targets": lambda extra: to_json(sorted(named_targets(from_json(extra)))),
    "one_list": lambda two: to_json(_one_list(*from_json(two))),
    "readable_project": lambda metadata: to_json(_readable_project(from_json(metadata))),
    "set_apart": lambda link_metadata: to_json(_set_apart(from_json(link_metadata))),
    "text_key": text_key,
    "trimmed": str.strip,
}
"""Rules of the protocol that a step of the schema asks by their names; of what is no text they say nothing."""
_FILE_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_OLDEST_READER = re.compile(r"-- oldest reader: (\d+)\n")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema, and the oldest version that may use a database after it."""

    version: int
    oldest_reader: int
    script: str


@cache
def migrations() -> tuple[Migration, ...]:
    """All steps in order; ValueError when a number is missing or a file does not say who may still read."""
    files = sorted((resources.files("csbond.store.sqlite") / "migrations").iterdir(), key=lambda file: file.name)
    steps = [_migration(file.name, file.read_text(encoding="utf-8")) for file in files]
    if [step.version for step in steps] != list(range(1, len(steps) + 1)):
        raise ValueError("migrations are numbered from 1 without a gap")
    return tuple(steps)


def migrate(connection: apsw.Connection, steps: Sequence[Migration] | None = None) -> None:
    """Bring a database to this program's schema; `storage_unavailable` when it is too new, or no ledger at all."""
    steps = migrations() if steps is None else steps
    if _version(connection, len(steps)) >= len(steps):
        return
    for name, rule in _FUNCTIONS.items():
        connection.create_scalar_function(name, partial(_of_text, rule), 1, deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[_version(connection, len(steps)) :]:
            connection.execute(step.script)
            connection.execute(
                "INSERT OR REPLACE INTO schema_version (only_row, version, oldest_reader) VALUES (1, ?, ?)",
                (step.version, step.oldest_reader),
            )
        connection.pragma("application_id", APPLICATION_ID)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def needs_migration(connection: apsw.Connection) -> bool:
    """Whether `migrate` would change the database, which is only read; it raises what `migrate` would."""
    known = len(migrations())
    return _version(connection, known) < known


def _migration(name: str, text: str) -> Migration:
    number, oldest = _FILE_NAME.fullmatch(name), _OLDEST_READER.match(text)
    if number is None or oldest is None:
        raise ValueError(f"{name} is no migration: it needs a number and a first line `-- oldest reader: N`")
    return Migration(int(number[1]), int(oldest[1]), text)


def _of_text(rule: Callable[[str], apsw.SQLiteValue], value: apsw.SQLiteValue) -> apsw.SQLiteValue:
    return rule(value) if isinstance(value, str) else None


def _set_apart(link_metadata: object) -> Mapping[str, Any]:
    return set_apart(link_metadata if isinstance(link_metadata, Mapping) else {"value": link_metadata})


def _one_list(first: Any, second: list[Any]) -> list[Any]:
    """What is in a list, or is none, and what is in another."""
    return [*(first if isinstance(first, list) else [] if first is None else [first]), *second]


def _readable_project(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Metadata whose project is one that may be named; what is none goes by another name."""
    named = metadata["project"]
    try:
        return {**metadata, "project": PROJECT.loose("metadata.project", named)}
    except RemoteProtocolError:
        rest = {name: value for name, value in metadata.items() if name != "project"}
        taken = "project_declared" in metadata
        return {**rest, "project_declared": [metadata["project_declared"], named] if taken else named}


def _version(connection: apsw.Connection, known: int) -> int:
    """The schema version of the database; 0 for an empty one."""
    if not connection.execute("SELECT count(*) FROM sqlite_schema").get:
        return 0
    if connection.pragma("application_id") != APPLICATION_ID:
        raise Unavailable(
            "storage_unavailable",
            "the database file holds something else than a ledger of csbond",
            next_step="name another file",
        )
    row = connection.execute("SELECT version, oldest_reader FROM schema_version").get
    if row is None:
        raise Unavailable(
            "storage_unavailable",
            "the ledger does not say which schema it has",
            next_step="restore a backup",
        )
    version, oldest_reader = row
    if oldest_reader > known:
        raise Unavailable(
            "storage_unavailable",
            f"the ledger has schema {version}, which needs a program that knows schema {oldest_reader};"
            f" this one knows {known}",
            next_step="install the newer csbond again, or restore a backup made before the upgrade",
        )
    return int(version)
