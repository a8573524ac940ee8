-- oldest reader: 5
-- Snapshots: which version of which memory each holds, and no copy of what it says, so that an erased memory is in none.
-- An earlier program could not erase a memory that is in one.

CREATE TABLE snapshot (
    row                 INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL UNIQUE,
    space               TEXT NOT NULL,
    created             INTEGER NOT NULL,
    source              TEXT NOT NULL,
    description         TEXT NOT NULL,
    total               INTEGER NOT NULL,
    levels              TEXT NOT NULL,
    checksum            TEXT NOT NULL,
    includes_links      INTEGER NOT NULL,
    includes_embeddings INTEGER NOT NULL,
    model_id            TEXT NOT NULL
) STRICT;
CREATE INDEX snapshot_by_time ON snapshot (space, created, id);

-- By the id of the memory, in whose order a snapshot is written; the links are those that it showed.
CREATE TABLE snapshot_member (
    snapshot_row INTEGER NOT NULL REFERENCES snapshot (row),
    entry_id     TEXT NOT NULL,
    entry_row    INTEGER NOT NULL REFERENCES entry (row),
    version      INTEGER NOT NULL,
    links        TEXT NOT NULL,
    vector       BLOB,
    PRIMARY KEY (snapshot_row, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX snapshot_member_by_entry ON snapshot_member (entry_row);

CREATE TABLE snapshot_load (
    row         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    snapshot_id TEXT NOT NULL,
    agent       TEXT NOT NULL,
    source      TEXT NOT NULL,
    checksum    TEXT NOT NULL,
    loaded_at   INTEGER NOT NULL,
    loaded_by   TEXT NOT NULL,
    counts      TEXT NOT NULL,
    conflicts   TEXT NOT NULL,
    lenient     INTEGER NOT NULL
) STRICT;
CREATE INDEX snapshot_load_by_time ON snapshot_load (loaded_at, id);
