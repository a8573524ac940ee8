-- name: insert_entry
-- No row changes when the id is taken, or was: what was cleared does not come back under its id.
INSERT INTO entry (id, space, seq, version, type, content, tags, timestamp, source, level, visibility, caller_key,
                   thread_id, message_id, speaker, last_accessed, access_count, ttl, extends, piece, deleted_at, extra,
                   kept_at, project, text_key, text_seq, deleted_by, deleter, used_at, recent, found_at, moved_at)
SELECT :id, :space, :seq, 1, :type, :content, :tags, :timestamp, :source, :level, :visibility, :caller_key,
       :thread_id, :message_id, :speaker, :last_accessed, :access_count, :ttl, :extends, :piece, :deleted_at, :extra,
       :kept_at, :project, :text_key, :seq, :deleted_by, :deleter, :used_at, :recent, :found_at, :moved_at
WHERE NOT EXISTS (SELECT 1 FROM archive WHERE id = :id)
ON CONFLICT (id) DO NOTHING;

-- name: keep_version
-- No row is added when the version before is another one, or says something else than was read: what an erasure took
-- from it makes no version. What the text was tells what need not be indexed again.
INSERT INTO entry_version (entry_row, version, seq, type, content, tags, timestamp, source, level, visibility,
                           caller_key, thread_id, message_id, speaker, last_accessed, access_count, ttl, extends,
                           piece, deleted_at, extra, project, deleted_by, deleter, links)
SELECT e.row, e.version, e.seq, e.type, e.content, e.tags, e.timestamp, e.source, e.level, e.visibility,
       e.caller_key, e.thread_id, e.message_id, e.speaker, e.last_accessed, e.access_count, e.ttl, e.extends,
       e.piece, e.deleted_at, e.extra, e.project, e.deleted_by, e.deleter, {told_links}
FROM entry e WHERE e.id = :id AND e.version = :version - 1 AND (e.seq IN (:read_seq, :seq) OR :read_seq = 0)
RETURNING entry_row, tags, content, deleted_at;

-- name: update_entry
-- An entry never moves to another Space; when it was kept and how it was used is not part of an edit. That it was
-- found is forgotten where its tier changes.
UPDATE entry
SET seq = :seq, version = :version, type = :type, content = :content, tags = :tags, timestamp = :timestamp,
    source = :source, level = :level, visibility = :visibility, caller_key = :caller_key, thread_id = :thread_id,
    message_id = :message_id, speaker = :speaker, ttl = :ttl, extends = :extends, piece = :piece,
    deleted_at = :deleted_at, extra = :extra, project = :project, deleted_by = :deleted_by,
    deleter = :deleter, moved_at = :moved_at, found_at = iif(level = :level, found_at, 0)
WHERE row = :row;

-- name: note_text
-- Apart from `update_entry`: most versions say what the one before said.
UPDATE entry SET text_key = :text_key, text_seq = :seq WHERE row = :row;

-- name: tag_entry
INSERT OR IGNORE INTO entry_tag (tag, entry_row) SELECT value, :row FROM json_each(:tags);

-- name: untag_entry
DELETE FROM entry_tag WHERE entry_row = :row AND tag IN (SELECT value FROM json_each(:tags));

-- name: note_names
INSERT OR IGNORE INTO entry_name (target_id, entry_row) SELECT value, :row FROM json_each(:ids);

-- name: note_names_of_version
INSERT OR IGNORE INTO entry_name (target_id, entry_row)
SELECT l.value ->> 0, v.entry_row FROM entry_version v CROSS JOIN json_each(v.links) l
WHERE v.entry_row = :row AND v.version = :version - 1 AND l.value ->> 0 GLOB 'mem_*';

-- name: entry_columns
e.id, e.space, e.type, e.content, e.tags, e.timestamp, e.source, e.level, e.visibility, e.caller_key, e.thread_id,
e.message_id, e.speaker, e.last_accessed, e.access_count, e.ttl, e.version, e.extends, e.piece, e.deleted_at, e.extra,
e.seq, e.kept_at, e.project, e.deleted_by, e.deleter, e.text_seq, {told_links}, e.linked, e.used_at, e.recent, e.found_at,
e.moved_at, e.spared_until

-- name: entry
SELECT {entry_columns} FROM entry e WHERE e.id = :id;

-- name: entries_by_id
SELECT {entry_columns} FROM entry e WHERE e.id IN (SELECT value FROM json_each(:ids));

-- name: entry_versions
-- The columns of an entry; the links are what the version showed, but for those to what was erased since.
SELECT e.id, e.space, v.type, v.content, v.tags, v.timestamp, v.source, v.level, v.visibility, v.caller_key,
       v.thread_id, v.message_id, v.speaker, v.last_accessed, v.access_count, v.ttl, v.version, v.extends, v.piece,
       v.deleted_at, v.extra, v.seq, e.kept_at, v.project, v.deleted_by, v.deleter, 0,
       CASE WHEN v.links = '[]' THEN '[]' ELSE (
           SELECT json_group_array(json(l.value) ORDER BY l.key) FROM json_each(v.links) l
           WHERE l.value ->> 0 NOT GLOB 'mem_*' OR EXISTS (SELECT 1 FROM entry t WHERE t.id = l.value ->> 0)
       ) END, v.links <> '[]', 0, '', 0, 0, 0
FROM entry e CROSS JOIN entry_version v ON v.entry_row = e.row
WHERE e.id = :id AND v.version < :version ORDER BY v.version DESC LIMIT :limit;

-- name: was_linked
SELECT 1 FROM entry e CROSS JOIN entry_version v ON v.entry_row = e.row CROSS JOIN json_each(v.links) l
WHERE e.id = :id AND v.links <> '[]' AND l.value ->> 0 = :target_id AND l.value ->> 3 = :made_by
  AND EXISTS (SELECT 1 FROM entry t WHERE t.id = :target_id)
LIMIT 1;

-- name: entries_of_text
-- A text that others go on from is the first piece of a longer one.
SELECT {entry_columns} FROM entry e
WHERE e.space = :space AND e.text_key = :text_key AND e.text_key <> x''
AND e.caller_key = :caller_key AND e.thread_id = :thread_id
AND (:timestamp IS NULL OR e.timestamp = :timestamp)
AND (
    :content IS NULL OR (
        e.project = :project AND e.type = :type AND e.visibility = :visibility AND e.speaker = :speaker
        AND e.content = :content
    )
)
AND e.extends = '' AND e.piece = 0 AND e.deleted_at = 0
AND NOT EXISTS (SELECT 1 FROM entry p WHERE p.extends = e.id AND p.extends <> '')
ORDER BY e.row DESC LIMIT :limit;

-- name: living_ids
SELECT e.id FROM json_each(:ids) i CROSS JOIN entry e ON e.id = i.value WHERE e.deleted_at = 0 AND {heard};

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

-- name: entry_kind
-- What the index `entry_by_kind` and the tags tell of an entry.
e.space = :space
AND (:level IS NULL OR e.level = :level)
AND (:type IS NULL OR e.type = :type)
AND (:source = '' OR e.source = :source)
AND (:tag = '' OR EXISTS (SELECT 1 FROM entry_tag WHERE tag = :tag AND entry_row = e.row))

-- name: entry_filter
-- `+`: a page is led to its latest entry by its cursor, which is never later than `until`.
{entry_kind}
AND e.timestamp >= :since AND +e.timestamp <= :until
AND (:project IS NULL OR e.project = :project)
AND (:thread = '' OR (e.thread_id = :thread AND {told_by}))

-- name: told_by
-- As `protocol.memory.visibility.told_by` decides it.
(:everything OR (e.caller_key = :caller_key AND (:thread_id = '' OR e.thread_id = :thread_id)))

-- name: heard
-- MEM-007 §7.3, as `protocol.memory.visibility.may_hear` decides it.
({told_by} OR e.visibility = 'public' OR (:trusted AND e.visibility = 'trusted'))

-- name: shown
-- What a page shows: the living, the softly deleted, or both.
{entry_filter} AND {heard} AND (:with_deleted OR e.deleted_at = 0) AND (:with_living OR e.deleted_at > 0)

-- name: holds_text
(:match = '' OR e.row IN (SELECT rowid FROM entry_words WHERE entry_words MATCH :match))

-- name: entries_page
SELECT {entry_columns} FROM entry e
WHERE {shown} AND (e.timestamp, e.id) < (:before_at, :before_id)
ORDER BY e.timestamp DESC, e.id DESC LIMIT :limit;

-- name: entries_page_of_project
SELECT {entry_columns} FROM entry e INDEXED BY entry_by_project
WHERE e.project = :project AND e.project <> '' AND {shown} AND (e.timestamp, e.id) < (:before_at, :before_id)
ORDER BY e.timestamp DESC, e.id DESC LIMIT :limit;

-- name: found_columns
-- The columns of the rows of a page only: a sort of all that is found would carry them along.
SELECT {entry_columns} FROM found CROSS JOIN entry e ON e.row = found.row ORDER BY e.timestamp DESC, e.id DESC

-- name: entries_page_of_target
WITH {linking},
found (row) AS (
    SELECT e.row FROM linking CROSS JOIN entry e ON e.row = linking.row
    WHERE e.deleted_at = 0 AND {shown} AND {holds_text} AND (e.timestamp, e.id) < (:before_at, :before_id)
    ORDER BY e.timestamp DESC, e.id DESC LIMIT :limit
)
{found_columns};

-- name: entries_page_of_text
WITH found (row) AS (
    SELECT e.row FROM entry_words w CROSS JOIN entry e ON e.row = w.rowid
    WHERE w.entry_words MATCH :match AND {shown} AND (e.timestamp, e.id) < (:before_at, :before_id)
    ORDER BY e.timestamp DESC, e.id DESC LIMIT :limit
)
{found_columns};

-- name: entries_page_of_deleted_text
WITH found (row) AS (
    SELECT e.row FROM deleted_words w CROSS JOIN entry e ON e.row = w.rowid
    WHERE w.deleted_words MATCH :match AND {shown} AND (e.timestamp, e.id) < (:before_at, :before_id)
    ORDER BY e.timestamp DESC, e.id DESC LIMIT :limit
)
{found_columns};

-- name: entries_total
SELECT count(*) FROM entry e WHERE {shown};

-- name: entries_total_of_project
SELECT count(*) FROM entry e INDEXED BY entry_by_project WHERE e.project = :project AND e.project <> '' AND {shown};

-- name: entries_total_of_target
WITH {linking}
SELECT count(*) FROM linking CROSS JOIN entry e ON e.row = linking.row WHERE e.deleted_at = 0 AND {shown} AND {holds_text};

-- name: entries_total_of_text
SELECT count(*) FROM entry_words w CROSS JOIN entry e ON e.row = w.rowid WHERE w.entry_words MATCH :match AND {shown};

-- name: entries_total_of_deleted_text
SELECT count(*) FROM deleted_words w CROSS JOIN entry e ON e.row = w.rowid
WHERE w.deleted_words MATCH :match AND {shown};

-- name: living_total
-- For an audience that hears everything, and kinds only: it needs the index `entry_by_kind` and no row.
SELECT count(*) FROM entry e WHERE {entry_kind} AND e.deleted_at = 0;

-- name: matching_ids
-- For an audience that hears everything, and kinds only: it needs the index `entry_by_kind` and no row.
SELECT e.id FROM entry e WHERE {entry_kind} AND e.deleted_at = 0;

-- name: matching_ids_narrowed
SELECT e.id FROM entry e WHERE {entry_filter} AND e.deleted_at = 0;

-- name: matching_ids_of_project
SELECT e.id FROM entry e INDEXED BY entry_by_project
WHERE e.project = :project AND e.project <> '' AND {entry_filter} AND {heard} AND e.deleted_at = 0;

-- name: matching_ids_of_target
WITH {linking}
SELECT e.id FROM linking CROSS JOIN entry e ON e.row = linking.row
WHERE {entry_filter} AND {heard} AND {holds_text} AND e.deleted_at = 0;

-- name: matching_ids_of_text
SELECT e.id FROM entry_words w CROSS JOIN entry e ON e.row = w.rowid
WHERE w.entry_words MATCH :match AND {entry_filter} AND {heard} AND e.deleted_at = 0;

-- name: matching_ids_of_tag
-- Apart from `matching_ids`, because only this form begins at the tag; the filter's own `:tag` is empty, or each of its
-- entries would be asked for it once more.
SELECT e.id FROM entry_tag g CROSS JOIN entry e ON e.row = g.entry_row
WHERE g.tag = :begins_with AND {entry_filter} AND e.deleted_at = 0 AND {heard};

-- name: own
-- For one caller: what it may be told, so the rest of the Space is not looked at.
own (row) AS (
    SELECT row FROM entry WHERE space = :space AND visibility = 'public'
    UNION
    SELECT row FROM entry WHERE space = :space AND visibility = 'trusted' AND :trusted
    UNION
    SELECT row FROM entry WHERE caller_key = :caller_key AND thread_id BETWEEN :first_thread AND :last_thread
)

-- name: matching_ids_heard
WITH {own}
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
WHERE w.entry_words MATCH :words AND {entry_filter} AND {heard} AND e.deleted_at = 0
ORDER BY w.rank LIMIT :limit;

-- name: search_entries_among
-- Only among those that link to something, or hold a text.
WITH {linking}
SELECT e.id, -w.rank FROM entry_words w CROSS JOIN entry e ON e.row = w.rowid
WHERE w.entry_words MATCH :words AND {entry_filter} AND {heard} AND e.deleted_at = 0
AND (:link_target = '' OR e.row IN linking) AND {holds_text}
ORDER BY w.rank LIMIT :limit;

-- name: entries_after
SELECT {entry_columns} FROM entry e WHERE e.space = :space AND e.seq > :seq ORDER BY e.seq, e.row LIMIT :limit;
