-- name: begin
-- IMMEDIATE: the write lock is taken now, so no statement of the group can find it gone.
BEGIN IMMEDIATE;

-- name: savepoint
SAVEPOINT unit;

-- name: release
RELEASE unit;

-- name: rollback_unit
ROLLBACK TO unit;

-- name: rollback
ROLLBACK;

-- name: commit
COMMIT;

-- name: space_seq
SELECT seq FROM space WHERE id = :space;

-- name: save_space_seq
INSERT INTO space (id, seq) VALUES (:space, :seq)
ON CONFLICT (id) DO UPDATE SET seq = excluded.seq;

-- name: last_audit
SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1;

-- name: insert_audit
INSERT INTO audit (seq, id, type, timestamp, body, hash, signature, signed_by)
VALUES (:seq, :id, :type, :timestamp, :body, :hash, :signature, :signed_by);

-- name: index_message
INSERT INTO message_words (rowid, words) VALUES (:row, :words);

-- name: index_entry
-- REPLACE: an entry that changes is indexed anew.
INSERT OR REPLACE INTO entry_words (rowid, words) VALUES (:row, :words);

-- name: unindex_entry
DELETE FROM entry_words WHERE rowid = :row;

-- name: index_deleted
INSERT OR REPLACE INTO deleted_words (rowid, words) VALUES (:row, :words);

-- name: unindex_deleted
DELETE FROM deleted_words WHERE rowid = :row;
