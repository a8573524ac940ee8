from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

import csbond.store
from csbond.store.sqlite.migrations import migrate
from csbond.store.sqlite.statements import _named, _whole, statements

STORE = Path(csbond.store.__file__).parent
FRAGMENTS = {
    "task_columns",
    "task_filter",
    "thread_columns",
    "thread_filter",
    "session_columns",
    "message_columns",
    "entry_columns",
    "entry_kind",
    "entry_filter",
    "heard",
    "told_by",
    "shown",
    "holds_text",
    "found_columns",
    "visible_link",
    "links",
    "linking",
    "to_listener",
}

ELSEWHERE = {"index_text", "texts_with_words"}
"""They speak of a table that is made for one question."""


def test_every_statement_fits_the_schema():
    connection = apsw.Connection(":memory:")
    migrate(connection)
    for name, text in statements().items():
        if (
            name not in FRAGMENTS
            and not text.startswith(("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"))
            and name not in ELSEWHERE
        ):
            connection.execute(f"EXPLAIN {text}", dict.fromkeys(re.findall(r":([a-z_]+)", text)))
    connection.close()


@pytest.mark.parametrize(
    "name, index",
    [
        ("tasks_page", "task_by_time (caller_key=? AND status_at>? AND (status_at,id)<(?,?))"),
        ("tasks_page_of_context", "task_by_context (context_id=? AND caller_key=?)"),
        ("history", "message_by_task (task_id=?)"),
        ("thread_messages", "message_by_thread (caller_key=? AND thread_id=? AND seq>? AND seq<?)"),
        ("messages_of_sender", "message_by_sender (sender_name=? AND seq>? AND seq<?)"),
        ("threads_page", "thread_by_time ((updated_at,id)<(?,?))"),
        ("entries_page", "entry_by_time (space=? AND timestamp>? AND (timestamp,id)<(?,?))"),
        ("entries_page_of_project", "entry_by_project (space=? AND project=?"),
        ("entries_total_of_project", "entry_by_project (space=? AND project=?"),
        ("entries_page_of_target", "entry_link_by_target (target_row=?)"),
        ("entries_page_of_target", "entry_link_by_foreign_target (target_id=?)"),
        ("entries_page_of_text", "VIRTUAL TABLE INDEX"),
        ("entries_of_text", "entry_by_text (space=? AND text_key=? AND caller_key=? AND thread_id=?)"),
        ("living_ids", "sqlite_autoindex_entry_1 (id=?)"),
        ("next_in_order", "entry_link_by_target (target_row=? AND relation=?)"),
        ("next_in_order", "USING PRIMARY KEY (source_row=?)"),
        ("links_of_row", "USING PRIMARY KEY (source_row=?)"),
        ("entries_after", "entry_by_seq (space=? AND seq>?)"),
        ("living_total", "COVERING INDEX entry_by_kind (space=?)"),
        ("matching_ids", "COVERING INDEX entry_by_kind (space=?)"),
        ("matching_ids_of_tag", "PRIMARY KEY (tag=?)"),
        ("matching_ids_heard", "entry_by_origin (caller_key=? AND thread_id>? AND thread_id<?)"),
        ("matching_ids_heard", "entry_public (space=?)"),
        ("matching_ids_heard", "entry_trusted (space=?)"),
        ("matching_ids_of_project", "entry_by_project (space=? AND project=?"),
        ("matching_ids_of_target", "entry_link_by_target (target_row=?)"),
        ("matching_ids_of_text", "VIRTUAL TABLE INDEX"),
        ("vectors", "sqlite_autoindex_entry_vector_1 (space=? AND model_id=? AND entry_row>?)"),
        ("vectors_of", "sqlite_autoindex_entry_vector_1 (space=? AND model_id=? AND entry_row=?)"),
        ("drop_vectors", "sqlite_autoindex_entry_vector_1 (space=? AND model_id=?)"),
        ("drop_vectors_of", "sqlite_autoindex_entry_vector_1 (space=? AND model_id=? AND entry_row=?)"),
        ("models", "COVERING INDEX sqlite_autoindex_entry_vector_1 (space=? AND model_id=?)"),
        ("due_deliveries", "delivery_by_webhook (task_id=? AND config_id=? AND rowid<?)"),
        ("chunks", "task_chunk_by_task (task_row=?)"),
    ],
)
def test_what_grows_with_the_ledger_is_read_by_an_index(name, index):
    connection = apsw.Connection(":memory:")
    migrate(connection)
    text = statements()[name]
    plan = connection.execute(f"EXPLAIN QUERY PLAN {text}", dict.fromkeys(re.findall(r":([a-z_]+)", text))).fetchall()
    connection.close()
    assert any(index in str(step) for *_, step in plan), plan


def test_every_statement_is_used():
    code = "\n".join(file.read_text(encoding="utf-8") for file in STORE.rglob("*.py"))
    made = {f"tasks_{part}{of}" for part in ("page", "total") for of in ("", "_of_context")}
    made |= {"index_message", "index_entry", "unindex_entry", "last_entry", "last_message", "last_task"}
    assert {name for name in statements() if f'"{name}"' not in code} - made == FRAGMENTS


def test_no_statement_is_spelled_in_the_code():
    spelled = re.compile(r'"(SELECT|INSERT|UPDATE|DELETE|WITH) ')
    found = {file.name for file in STORE.rglob("*.py") if spelled.search(file.read_text(encoding="utf-8"))}
    assert found <= {"migrations.py"}


def test_a_statement_is_read_with_its_name_and_without_its_reasons():
    text = "-- name: one\n-- why\nSELECT 1;\n\n-- name: two\nSELECT\n-- inside\n2;\n"
    assert _named(text) == [("one", "SELECT 1"), ("two", "SELECT\n2")]


def test_a_fragment_that_is_not_there_is_named():
    assert _whole({"a": "x, {b}", "b": "y"}, "SELECT {a}") == "SELECT x, y"
    with pytest.raises(ValueError, match="nowhere"):
        _whole({}, "SELECT {nowhere}")
