-- name: insert_entry
-- No row changes when the id is taken.
INSERT INTO entry (id, space, seq, version, type, content, tags, timestamp, source, level, visibility, caller_key,
                   thread_id, message_id, speaker, last_accessed, access_count, ttl, extends, piece, deleted_at, extra)
VALUES (:id, :space, :seq, 1, :type, :content, :tags, :timestamp, :source, :level, :visibility, :caller_key,
        :thread_id, :message_id, :speaker, :last_accessed, :access_count, :ttl, :extends, :piece, :deleted_at, :extra)
ON CONFLICT (id) DO NOTHING;

-- name: keep_version
-- No row is added when the version before is another one.
INSERT INTO entry_version (entry_row, version, seq, type, content, tags, timestamp, source, level, visibility,
                           caller_key, thread_id, message_id, speaker, last_accessed, access_count, ttl, extends,
                           piece, deleted_at, extra)
SELECT row, version, seq, type, content, tags, timestamp, source, level, visibility,
       caller_key, thread_id, message_id, speaker, last_accessed, access_count, ttl, extends,
       piece, deleted_at, extra
FROM entry WHERE id = :id AND version = :version - 1
RETURNING entry_row, tags;

-- name: update_entry
-- An entry never moves to another Space.
UPDATE entry
SET seq = :seq, version = :version, type = :type, content = :content, tags = :tags, timestamp = :timestamp,
    source = :source, level = :level, visibility = :visibility, caller_key = :caller_key, thread_id = :thread_id,
    message_id = :message_id, speaker = :speaker, last_accessed = :last_accessed, access_count = :access_count,
    ttl = :ttl, extends = :extends, piece = :piece, deleted_at = :deleted_at, extra = :extra
WHERE row = :row;

-- name: tag_entry
INSERT OR IGNORE INTO entry_tag (tag, entry_row) SELECT value, :row FROM json_each(:tags);

-- name: untag_entry
DELETE FROM entry_tag WHERE entry_row = :row AND tag IN (SELECT value FROM json_each(:tags));

-- name: entry_columns
e.id, e.space, e.type, e.content, e.tags, e.timestamp, e.source, e.level, e.visibility, e.caller_key, e.thread_id,
e.message_id, e.speaker, e.last_accessed, e.access_count, e.ttl, e.version, e.extends, e.piece, e.deleted_at, e.extra,
e.seq

-- name: entry
SELECT {entry_columns} FROM entry e WHERE e.id = :id;

-- name: entries_by_id
SELECT {entry_columns} FROM entry e WHERE e.id IN (SELECT value FROM json_each(:ids));

-- name: entry_pieces
-- Up to where the text begins, then down to all that goes on from there; CROSS JOIN, so that statistics of a memory
-- with few long texts do not make it look at every entry.
WITH RECURSIVE
up (id, extends) AS (
    SELECT id, extends FROM entry WHERE id = :id
    UNION
    SELECT e.id, e.extends FROM up CROSS JOIN entry e ON e.id = up.extends WHERE up.extends <> ''
),
down (id) AS (
    SELECT id FROM up
    UNION
    SELECT e.id FROM down CROSS JOIN entry e ON e.extends = down.id WHERE e.extends <> ''
)
SELECT {entry_columns} FROM down CROSS JOIN entry e ON e.id = down.id ORDER BY e.piece, e.seq, e.row;

-- name: entry_filter
e.space = :space
AND (:level IS NULL OR e.level = :level)
AND (:type IS NULL OR e.type = :type)
AND (:source = '' OR e.source = :source)
AND (:tag = '' OR EXISTS (SELECT 1 FROM entry_tag WHERE tag = :tag AND entry_row = e.row))

-- name: heard
-- MEM-007 §7.3, as `protocol.memory.visibility.may_hear` decides it.
(:everything OR e.visibility = 'public'
 OR (e.caller_key = :caller_key AND (:thread_id = '' OR e.thread_id = :thread_id)))

-- name: entries_page
SELECT {entry_columns} FROM entry e
WHERE {entry_filter} AND {heard} AND (:include_deleted OR e.deleted_at = 0)
AND (e.timestamp, e.id) < (:before_at, :before_id)
ORDER BY e.timestamp DESC, e.id DESC LIMIT :limit;

-- name: entries_total
SELECT count(*) FROM entry e WHERE {entry_filter} AND {heard} AND (:include_deleted OR e.deleted_at = 0);

-- name: living_total
-- For an audience that hears everything; it needs the index `entry_by_kind` only.
SELECT count(*) FROM entry e WHERE {entry_filter} AND e.deleted_at = 0;

-- name: matching_ids
-- For an audience that hears everything; it needs the index `entry_by_kind` only.
SELECT e.id FROM entry e WHERE {entry_filter} AND e.deleted_at = 0;

-- name: matching_ids_of_tag
-- Apart from `matching_ids`, because only this form begins at the tag.
SELECT e.id FROM entry_tag g CROSS JOIN entry e ON e.row = g.entry_row
WHERE g.tag = :tag AND {entry_filter} AND e.deleted_at = 0 AND {heard};

-- name: matching_ids_heard
-- For one caller: begins at public entries and its own, so the rest of the Space is not looked at.
WITH own (row) AS (
    SELECT row FROM entry WHERE space = :space AND visibility = 'public'
    UNION
    SELECT row FROM entry WHERE caller_key = :caller_key AND thread_id BETWEEN :first_thread AND :last_thread
)
SELECT e.id FROM own CROSS JOIN entry e ON e.row = own.row WHERE {entry_filter} AND e.deleted_at = 0;

-- name: last_entry
SELECT coalesce(max(row), 0) FROM entry;

-- name: indexed_entries
SELECT count(*) FROM entry_words_docsize;

-- name: term_frequencies
SELECT term, doc FROM entry_vocabulary WHERE term IN (SELECT value FROM json_each(:stems));

-- name: match_frequency
SELECT count(*) FROM entry_words WHERE entry_words MATCH :match;

-- name: search_entries
-- The index sorts by rank first; rows are looked up only until the limit is reached.
SELECT e.id, -w.rank FROM entry_words w CROSS JOIN entry e ON e.row = w.rowid
WHERE w.entry_words MATCH :match AND {entry_filter} AND {heard} AND e.deleted_at = 0
ORDER BY w.rank LIMIT :limit;

-- name: entries_after
SELECT {entry_columns} FROM entry e WHERE e.space = :space AND e.seq > :seq ORDER BY e.seq, e.row LIMIT :limit;
