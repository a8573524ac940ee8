-- name: put_snapshot
INSERT INTO snapshot (id, space, created, source, description, total, levels, checksum, includes_links,
                      includes_embeddings, model_id)
VALUES (:id, :space, :created, :source, :description, :total, :levels, :checksum, :includes_links,
        :includes_embeddings, :model_id)
ON CONFLICT (id) DO NOTHING;

-- name: put_members
-- Each member is [id, version, links]; a vector only of what the memory says in that version.
INSERT INTO snapshot_member (snapshot_row, entry_id, entry_row, version, links, vector)
SELECT s.row, e.id, e.row, m.value ->> 1, m.value -> 2, v.vector
FROM snapshot s CROSS JOIN json_each(:members) m CROSS JOIN entry e ON e.id = m.value ->> 0
LEFT JOIN entry_vector v
    ON v.space = s.space AND v.model_id = s.model_id AND v.entry_row = e.row
    AND v.seq >= e.text_seq AND e.version = m.value ->> 1
WHERE s.id = :id AND e.version >= m.value ->> 1;

-- name: drop_members
DELETE FROM snapshot_member WHERE snapshot_row IN (SELECT row FROM snapshot WHERE id = :id);

-- name: drop_snapshot
DELETE FROM snapshot WHERE id = :id;

-- name: erase_members
DELETE FROM snapshot_member WHERE entry_row = :row;

-- name: log_load
INSERT INTO snapshot_load (id, snapshot_id, agent, source, checksum, loaded_at, loaded_by, counts, conflicts, lenient)
VALUES (:id, :snapshot_id, :agent, :source, :checksum, :loaded_at, :loaded_by, :counts, :conflicts, :lenient);

-- name: snapshot_columns
id, created, source, description, total, levels, checksum, includes_links, includes_embeddings, model_id

-- name: snapshot_head
SELECT {snapshot_columns} FROM snapshot WHERE id = :id;

-- name: snapshots_page
SELECT {snapshot_columns} FROM snapshot
WHERE space = :space AND (created, id) < (:before_at, :before_id)
ORDER BY created DESC, id DESC LIMIT :limit;

-- name: snapshots_total
SELECT count(*) FROM snapshot WHERE space = :space;

-- name: member_links
-- Those it showed then, but for what was deleted since.
CASE WHEN m.links = '[]' THEN '[]' ELSE (
    SELECT json_group_array(json(l.value) ORDER BY l.key)
    FROM json_each(m.links) l LEFT JOIN entry t ON t.id = l.value ->> 0
    WHERE l.value ->> 0 NOT GLOB 'mem_*' OR t.deleted_at = 0
) END

-- name: snapshot_members
-- Each in the version that the snapshot holds, whether it is the present one or not.
SELECT m.entry_id AS id, e.space, e.type, e.content, e.tags, e.timestamp, e.source, e.level, e.visibility, e.caller_key,
       e.thread_id, e.message_id, e.speaker, e.last_accessed, e.access_count, e.ttl, e.version, e.extends, e.piece,
       e.deleted_at, e.extra, e.seq, e.kept_at, e.project, e.deleted_by, e.deleter, e.text_seq, {member_links},
       m.links <> '[]', e.used_at, e.recent, e.found_at, e.moved_at, e.spared_until, m.vector
FROM snapshot_member m CROSS JOIN entry e ON e.row = m.entry_row AND e.version = m.version
WHERE m.snapshot_row = (SELECT row FROM snapshot WHERE id = :id) AND m.entry_id > :after_id AND e.deleted_at = 0
UNION ALL
SELECT m.entry_id AS id, e.space, v.type, v.content, v.tags, v.timestamp, v.source, v.level, v.visibility, v.caller_key,
       v.thread_id, v.message_id, v.speaker, v.last_accessed, v.access_count, v.ttl, v.version, v.extends, v.piece,
       v.deleted_at, v.extra, v.seq, e.kept_at, v.project, v.deleted_by, v.deleter, 0, {member_links},
       m.links <> '[]', 0, '', 0, 0, 0, m.vector
FROM snapshot_member m CROSS JOIN entry e ON e.row = m.entry_row AND e.version <> m.version
CROSS JOIN entry_version v ON v.entry_row = m.entry_row AND v.version = m.version
WHERE m.snapshot_row = (SELECT row FROM snapshot WHERE id = :id) AND m.entry_id > :after_id AND e.deleted_at = 0
ORDER BY id LIMIT :limit;

-- name: snapshot_vectors
SELECT e.id, v.vector
FROM json_each(:ids) i CROSS JOIN entry e ON e.id = i.value
CROSS JOIN entry_vector v ON v.space = :space AND v.model_id = :model_id AND v.entry_row = e.row
WHERE v.seq >= e.text_seq;

-- name: load_columns
id, snapshot_id, agent, source, checksum, loaded_at, loaded_by, counts, conflicts, lenient

-- name: loads_page
SELECT {load_columns} FROM snapshot_load
WHERE (loaded_at, id) < (:before_at, :before_id) ORDER BY loaded_at DESC, id DESC LIMIT :limit;

-- name: loads_total
SELECT count(*) FROM snapshot_load;
