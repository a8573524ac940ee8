"""Whether the file still says what was written: structure, references, indexes, and the chain of records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from csbond.protocol.audit.record import FIRST_HASH
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.identifiers import public_key_of
from csbond.protocol.memory.text_key import text_key
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import from_json
from csbond.store.writing.writing import Row

COMPARED_TEXTS = 1_000
"""Texts whose keys are made again: a second of work at most."""
_RULES = {
    "entries_without_words": "the entry {} cannot be found by its words",
    "words_without_entry": "the full text index of entries knows a row {} that is not there",
    "deleted_without_words": "the deleted entry {} cannot be found by its words",
    "words_without_deleted": "the full text index of deleted entries knows a row {} that is not there",
    "messages_without_words": "the message {} cannot be found by its words",
    "words_without_message": "the full text index of messages knows a row {} that is not there",
    "entries_with_lost_versions": "the entry {} does not have all its versions",
    "entries_with_wrong_link_mark": "the entry {} has links and does not say so",
    "links_to_another_end": "a link to {} leads to another entry",
    "entries_with_unreadable_uses": "the uses of the entry {} cannot be read",
    "pieces_without_beginning": "the entry {} goes on from no beginning of a text: erase it and write it anew",
    "cleared_entries": "the entry {} is there, and is said to be cleared",
    "documents_with_lost_versions": "the document {} does not have all its versions",
    "vectors_of_another_text": "the entry {} is found by what it said before: csb memory reindex",
    "snapshots_with_lost_versions": "a snapshot holds a version of the entry {} that is not there",
    "threads_with_wrong_count": "the thread {} counts other messages than it has",
    "spaces_ahead": "{} claims a later place than its Space has given",
}


def file_faults(reader: Reader) -> list[str]:
    """What is wrong with the rows and indexes; empty when all is well.

    SQLite's own check covers the tables, their column types, and the inside of the full text indexes.
    """
    faults = [f"the file is damaged: {row[0]}" for row in reader.rows("integrity_check") if row[0] != "ok"]
    faults += [
        f"a row of {row[0]} points to a row of {row[2]} that is not there" for row in reader.rows("foreign_key_check")
    ]
    for name, sentence in _RULES.items():
        faults += [sentence.format(row[0]) for row in reader.rows(name)]
    return faults + [
        f"the entry {id_} is compared by another text than it has"
        for id_, content, key in reader.rows("compared_texts", {"at_most": COMPARED_TEXTS})
        if text_key(content) != key
    ]


def audit_faults(reader: Reader, did: str) -> list[str]:
    """Where the chain of audit records is broken, or not signed by this node; empty when it is whole.

    1. each record follows the one before, and says what its columns say; 2. it has the hash it claims; 3. the last
    record of its commit group is there and carries a good signature of the node's key.
    """
    return list(_audit_faults(reader.rows("audit_records"), did))


def _audit_faults(rows: list[Row], did: str) -> Iterator[str]:
    key = _key(did)
    previous, expected, unsigned = FIRST_HASH, 1, ""
    for seq, id_, type_, timestamp, body, digest, signature, signed_by in rows:
        said = _body(body)
        if seq != expected or said.get("previous") != previous:
            yield f"the record {id_} does not follow the one before it"
        if (said.get("id"), said.get("type"), said.get("timestamp")) != (id_, type_, timestamp):
            yield f"the record {id_} and its columns differ"
        if "sha256:" + hashlib.sha256(body.encode()).hexdigest() != digest:
            yield f"the record {id_} was changed"
        if said.get("agent", {}).get("id") != did:
            yield f"the record {id_} names another key than this node's"
        if unsigned and signed_by != unsigned:
            yield f"a record of the group of {unsigned} is missing"
        unsigned = "" if signed_by == id_ else signed_by
        if not unsigned and not _good(key, digest, signature):
            yield f"the record {id_} has no good signature"
        previous, expected = digest, seq + 1
    if unsigned:
        yield f"the record {unsigned}, which carries the signature of its group, is missing"


def _body(text: str) -> dict[str, Any]:
    try:
        said = from_json(text)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _key(did: str) -> VerifyKey | None:
    try:
        return VerifyKey(public_key_of(did))
    except LocalProtocolError:
        return None


def _good(key: VerifyKey | None, digest: str, signature: bytes | None) -> bool:
    if key is None or not isinstance(signature, bytes):
        return False
    try:
        key.verify(digest.encode(), signature)
    except (BadSignatureError, ValueError):
        return False
    return True
