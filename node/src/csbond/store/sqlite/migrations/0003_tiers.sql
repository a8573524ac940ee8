-- oldest reader: 3
-- Tiers and forgetting: how memories are used and when they moved, what is left of cleared ones, what waits for a
-- person. An earlier program would not overwrite what it deletes, and would give ids again that were cleared.

ALTER TABLE entry ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN recent TEXT NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN found_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN moved_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN spared_until INTEGER NOT NULL DEFAULT 0;

-- An access that is ahead of the clock counts as none.
UPDATE entry
SET used_at = max(kept_at, iif(last_accessed <= CAST(unixepoch('subsec') * 1000 AS INTEGER), last_accessed, 0));

-- What is due is found by these, whatever else there is; the first piece of a text stands for all of it.
CREATE INDEX entry_by_use ON entry (space, level, used_at, id) WHERE deleted_at = 0 AND piece = 0;
CREATE INDEX entry_used ON entry (space, used_at, id)
WHERE level = 'warm' AND recent <> '' AND deleted_at = 0 AND piece = 0;
-- In brackets: otherwise SQLite (3.54) does not see that this index alone is enough, and reads every row to count it.
CREATE INDEX entry_warm_by_project ON entry (space, project, used_at, id)
WHERE level = 'warm' AND (deleted_at = 0 AND piece = 0);
CREATE INDEX entry_mortal ON entry (space, level, timestamp + ttl, id) WHERE ttl > 0 AND deleted_at = 0 AND piece = 0;
CREATE INDEX entry_found ON entry (space, id) WHERE level = 'cold' AND found_at > 0 AND deleted_at = 0 AND piece = 0;
CREATE INDEX entry_deleted ON entry (space, deleted_at, id) WHERE deleted_at <> 0 AND piece = 0;
-- With the time, so that a rule about age reads no younger entry.
DROP INDEX entry_by_kind;
CREATE INDEX entry_by_kind ON entry (space, level, type, source, timestamp, id) WHERE deleted_at = 0;

-- What is removed with an entry is found by these.
CREATE INDEX entry_tag_by_entry ON entry_tag (entry_row);
CREATE INDEX entry_vector_by_entry ON entry_vector (entry_row);

-- Memories that an entry names beside its links, in fields of links that are not known and in what was declared of them,
-- and those that an earlier version of it has links to: that goes with them.
CREATE TABLE entry_name (
    target_id TEXT NOT NULL,
    entry_row INTEGER NOT NULL REFERENCES entry (row),
    PRIMARY KEY (target_id, entry_row)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_name_by_entry ON entry_name (entry_row);
INSERT OR IGNORE INTO entry_name (target_id, entry_row)
SELECT n.value, t.row
FROM (
    SELECT row, extra FROM entry WHERE instr(extra, '"link_') > 0
    UNION ALL
    SELECT entry_row, extra FROM entry_version WHERE instr(extra, '"link_') > 0
) t CROSS JOIN json_each(named_targets(t.extra)) n;
INSERT OR IGNORE INTO entry_name (target_id, entry_row)
SELECT l.value ->> 0, v.entry_row FROM entry_version v CROSS JOIN json_each(v.links) l
WHERE v.links <> '[]' AND l.value ->> 0 GLOB 'mem_*';

-- What is left of a memory that was cleared: no content, tag or vector.
CREATE TABLE archive (
    id             TEXT NOT NULL PRIMARY KEY,
    space          TEXT NOT NULL,
    type           TEXT NOT NULL,
    timestamp      INTEGER NOT NULL,
    original_level TEXT NOT NULL,
    deleted_at     INTEGER NOT NULL,
    cleared_at     INTEGER NOT NULL,
    reason         TEXT NOT NULL,
    operator       TEXT NOT NULL,
    trigger        TEXT NOT NULL,
    rule           TEXT NOT NULL,
    original_seq   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX archive_by_time ON archive (space, cleared_at, id);

CREATE TABLE review (
    id            TEXT NOT NULL PRIMARY KEY,
    space         TEXT NOT NULL,
    entry_id      TEXT NOT NULL,
    entry_version INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    proposed      TEXT NOT NULL,
    reason        TEXT NOT NULL,
    asked_at      INTEGER NOT NULL,
    decided_at    INTEGER NOT NULL,
    verdict       TEXT NOT NULL,
    decided_by    TEXT NOT NULL,
    again_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX review_open ON review (entry_id, kind) WHERE decided_at = 0;
CREATE INDEX review_of_entry ON review (entry_id, kind, asked_at);
CREATE INDEX review_by_time ON review (space, asked_at, id);
CREATE INDEX review_waiting ON review (space, asked_at, id) WHERE decided_at = 0;

-- Documents that the owner sets, with all their versions.
CREATE TABLE policy (
    name     TEXT NOT NULL,
    version  INTEGER NOT NULL,
    document TEXT NOT NULL,
    set_at   INTEGER NOT NULL,
    PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;

-- A row for each erased entry until none of its bytes is left in the files. Row 0 stands for what was deleted before
-- deleting overwrote it, anywhere in the file.
CREATE TABLE erasure (
    row      INTEGER PRIMARY KEY,
    asked_at INTEGER NOT NULL
) STRICT;
INSERT INTO erasure (row, asked_at) SELECT 0, 0 WHERE EXISTS (SELECT 1 FROM entry);
