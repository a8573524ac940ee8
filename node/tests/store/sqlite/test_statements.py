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
    "told_links",
    "linking",
    "own",
    "told_end",
    "to_listener",
    "archive_columns",
    "review_columns",
    "snapshot_columns",
    "member_links",
    "load_columns",
}


def test_every_statement_fits_the_schema():
    connection = apsw.Connection(":memory:")
    migrate(connection)
    for name, text in statements().items():
        if name not in FRAGMENTS and not text.startswith(("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")):
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
        ("network_edges", "entry_link_by_target (target_row=?)"),
        ("days_counted", "entry_by_day (space=? AND kept_at>?)"),
        ("entries_page_of_text", "VIRTUAL TABLE INDEX"),
        ("entries_page_of_deleted_text", "VIRTUAL TABLE INDEX"),
        ("entries_of_text", "entry_by_text (text_key=? AND caller_key=? AND thread_id=?)"),
        ("entry_versions", "entry_version_1 (entry_row=? AND version<?)"),
        ("living_ids", "sqlite_autoindex_entry_1 (id=?)"),
        ("reached_in_order", "entry_link_by_target (target_row=? AND relation=?)"),
        ("reached_in_order", "USING PRIMARY KEY (source_row=?)"),
        ("links_of_row", "USING PRIMARY KEY (source_row=?)"),
        ("entries_after", "entry_by_seq (space=? AND seq>?)"),
        ("due_for_clearing", "entry_deleted (space=? AND (deleted_at,id)>(?,?) AND deleted_at<?)"),
        ("outlived", "entry_mortal (space=? AND level=? AND <expr>>? AND <expr><?)"),
        ("least_used", "entry_by_use (space=? AND level=? AND (used_at,id)>(?,?) AND used_at<?)"),
        ("least_used_of_project", "entry_warm_by_project (space=? AND project=? AND (used_at,id)>(?,?) AND used_at<?)"),
        ("often_used", "entry_by_use (space=? AND level=? AND (used_at,id)>(?,?))"),
        ("often_used_of_late", "entry_used (space=? AND (used_at,id)>(?,?))"),
        ("found_cold", "entry_found (space=? AND id>?)"),
        ("rule_matches_of_kind", "entry_by_kind (space=? AND level=? AND type=? AND source=? AND (timestamp,id)>(?,?)"),
        ("rule_matches_of_tag", "PRIMARY KEY (tag=? AND entry_row>?)"),
        ("tier_size", "COVERING INDEX entry_by_use (space=? AND level=?)"),
        ("crowded_projects", "COVERING INDEX entry_warm_by_project (space=?)"),
        ("erase_tags", "entry_tag_by_entry (entry_row=?)"),
        ("erase_vectors", "entry_vector_by_entry (entry_row=?)"),
        ("erase_versions", "entry_version_1 (entry_row=?)"),
        ("erase_links_to", "entry_link_by_target (target_row=?)"),
        ("archive_page", "archive_by_time (space=? AND (cleared_at,id)<(?,?))"),
        ("expired_archive", "archive_by_time (space=? AND (cleared_at,id)>(?,?) AND cleared_at<?)"),
        ("reviews_page", "review_by_time (space=? AND (asked_at,id)<(?,?))"),
        ("waiting_reviews_page", "review_waiting (space=? AND (asked_at,id)<(?,?))"),
        ("latest_reviews", "review_of_entry (entry_id=? AND kind=?)"),
        ("open_reviews", "review_open (entry_id=?)"),
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
    made |= {f"{act}_{table}" for act in ("index", "unindex") for table in ("entry", "deleted")}
    made |= {"index_message", "last_entry", "last_message", "last_task"}
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
