-- name: begin_reading
-- Every statement until the end sees the same state.
BEGIN;

-- name: counts
-- What a visitor of the node could count; softly deleted entries and hidden tasks are not there for anybody.
SELECT (SELECT count(*) FROM task WHERE hidden = 0), (SELECT count(*) FROM thread), (SELECT count(*) FROM message),
       (SELECT count(*) FROM entry WHERE deleted_at = 0), (SELECT count(*) FROM delivery), (SELECT count(*) FROM audit);

-- name: integrity_check
PRAGMA integrity_check(20);

-- name: foreign_key_check
PRAGMA foreign_key_check;

-- name: entries_without_words
SELECT id FROM entry WHERE deleted_at = 0 AND row NOT IN (SELECT id FROM entry_words_docsize) LIMIT 20;

-- name: words_without_entry
SELECT id FROM entry_words_docsize WHERE id NOT IN (SELECT row FROM entry WHERE deleted_at = 0) LIMIT 20;

-- name: deleted_without_words
SELECT id FROM entry WHERE deleted_at > 0 AND row NOT IN (SELECT id FROM deleted_words_docsize) LIMIT 20;

-- name: words_without_deleted
SELECT id FROM deleted_words_docsize WHERE id NOT IN (SELECT row FROM entry WHERE deleted_at > 0) LIMIT 20;

-- name: messages_without_words
SELECT id FROM message WHERE row NOT IN (SELECT id FROM message_words_docsize) LIMIT 20;

-- name: words_without_message
SELECT id FROM message_words_docsize WHERE id NOT IN (SELECT row FROM message) LIMIT 20;

-- name: entries_with_lost_versions
-- Every version before the present one is kept.
SELECT id FROM entry e WHERE version - 1 <> (SELECT count(*) FROM entry_version WHERE entry_row = e.row) LIMIT 20;

-- name: entries_with_wrong_link_mark
SELECT id FROM entry e WHERE NOT linked AND EXISTS (SELECT 1 FROM entry_link WHERE source_row = e.row) LIMIT 20;

-- name: links_to_another_end
SELECT l.target_id FROM entry_link l CROSS JOIN entry t ON t.row = l.target_row WHERE t.id <> l.target_id LIMIT 20;

-- name: entries_with_unreadable_uses
-- 16 characters each, 16 of them at most.
SELECT id FROM entry WHERE length(recent) % 16 <> 0 OR length(recent) > 256 LIMIT 20;

-- name: pieces_without_beginning
-- Such as go on from themselves, in a circle, or from what is not there.
WITH RECURSIVE text (id) AS (
    SELECT h.id FROM entry p CROSS JOIN entry h ON h.id = p.extends WHERE p.extends <> '' AND h.extends = ''
    UNION
    SELECT e.id FROM text CROSS JOIN entry e ON e.extends = text.id WHERE e.extends <> ''
)
SELECT id FROM entry WHERE extends <> '' AND id NOT IN (SELECT id FROM text) LIMIT 20;

-- name: cleared_entries
SELECT a.id FROM archive a CROSS JOIN entry e ON e.id = a.id LIMIT 20;

-- name: documents_with_lost_versions
SELECT name FROM policy GROUP BY name HAVING max(version) <> count(*) LIMIT 20;

-- name: vectors_of_another_text
-- Up to where a Space is indexed by a model, every living entry with a vector has that of its present text.
SELECT e.id FROM index_progress p
CROSS JOIN entry_vector v ON v.space = p.space AND v.model_id = p.model_id
CROSS JOIN entry e ON e.row = v.entry_row
WHERE v.seq < e.text_seq AND e.seq <= p.through AND e.deleted_at = 0 LIMIT 20;

-- name: snapshots_with_lost_versions
SELECT m.entry_id FROM snapshot_member m CROSS JOIN entry e ON e.row = m.entry_row
WHERE e.id <> m.entry_id OR (e.version <> m.version AND NOT EXISTS (
    SELECT 1 FROM entry_version v WHERE v.entry_row = m.entry_row AND v.version = m.version
)) LIMIT 20;

-- name: compared_texts
-- So many of them, evenly spread.
SELECT id, content, text_key FROM entry
WHERE text_key <> x'' AND row % (SELECT max(1, max(row) / :at_most) FROM entry) = 0 LIMIT :at_most;

-- name: threads_with_wrong_count
SELECT id FROM thread t
WHERE message_count <> (SELECT count(*) FROM message WHERE caller_key = t.caller_key AND thread_id = t.id) LIMIT 20;

-- name: spaces_ahead
-- A row that claims a later place than its Space has given.
SELECT id FROM (SELECT id, space, seq FROM entry UNION ALL SELECT id, space, seq FROM message) r
WHERE seq > coalesce((SELECT seq FROM space WHERE space.id = r.space), 0) LIMIT 20;

-- name: audit_records
SELECT seq, id, type, timestamp, body, hash, signature, signed_by FROM audit ORDER BY seq;
