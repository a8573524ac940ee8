-- name: entry_at_version
SELECT row, deleted_at FROM entry WHERE id = :id AND version = :version;

-- name: erase_versions
DELETE FROM entry_version WHERE entry_row = :row;

-- name: erase_tags
DELETE FROM entry_tag WHERE entry_row = :row;

-- name: erase_vectors
DELETE FROM entry_vector WHERE entry_row = :row;

-- name: erase_links
DELETE FROM entry_link WHERE source_row = :row;

-- name: erase_links_to
DELETE FROM entry_link WHERE target_row = :row;

-- name: erase_names
DELETE FROM entry_name WHERE entry_row = :row;

-- name: naming_entries
SELECT e.row, e.extra FROM entry_name n CROSS JOIN entry e ON e.row = n.entry_row WHERE n.target_id = :id;

-- name: naming_versions
SELECT v.entry_row, v.version, v.extra, v.links
FROM entry_name n CROSS JOIN entry_version v ON v.entry_row = n.entry_row WHERE n.target_id = :id;

-- name: keep_extra
-- In its Space it gets a new place in the order, so that nobody writes back what was read of it before.
UPDATE entry SET extra = :extra, seq = iif(space = :space, :seq, seq) WHERE row = :row;

-- name: keep_rest_of_version
UPDATE entry_version SET extra = :extra, links = :links WHERE entry_row = :row AND version = :version;

-- name: erase_names_of
DELETE FROM entry_name WHERE target_id = :id;

-- name: erase_entry
DELETE FROM entry WHERE row = :row;

-- name: note_erasure
INSERT INTO erasure (asked_at) VALUES (:asked_at);

-- name: last_erasure
SELECT max(row) FROM erasure;

-- name: drop_erasures
DELETE FROM erasure WHERE row <= :through;

-- name: erasures_before
-- Whether bytes may be left of what was deleted before deleting overwrote it.
SELECT count(*) FROM erasure WHERE row = 0;

-- name: write_anew
VACUUM;

-- name: merge_entry_words
-- Negative: also what would not be merged by itself, until all that is left is in one place and what was removed is
-- gone. Of 64 pages it takes 10 to 20 ms.
INSERT INTO entry_words (entry_words, rank) VALUES ('merge', -:pages);

-- name: merge_deleted_words
INSERT INTO deleted_words (deleted_words, rank) VALUES ('merge', -:pages);

-- name: drop_samples
-- The statistics of tables hold samples of what is in their indexes, tags too; bound statements do not profit by them.
DROP TABLE IF EXISTS sqlite_stat4;

-- name: archive_entry
INSERT INTO archive (id, space, type, timestamp, original_level, deleted_at, cleared_at, reason, operator, trigger,
                     rule, original_seq)
VALUES (:id, :space, :type, :timestamp, :original_level, :deleted_at, :cleared_at, :reason, :operator, :trigger,
        :rule, :original_seq);

-- name: purge_archive
DELETE FROM archive WHERE id IN (SELECT value FROM json_each(:ids));

-- name: archive_columns
a.id, a.space, a.type, a.timestamp, a.original_level, a.deleted_at, a.cleared_at, a.reason, a.operator, a.trigger,
a.rule, a.original_seq

-- name: archived
SELECT {archive_columns} FROM json_each(:ids) i CROSS JOIN archive a ON a.id = i.value;

-- name: archive_page
SELECT {archive_columns} FROM archive a
WHERE a.space = :space AND (a.cleared_at, a.id) < (:before_at, :before_id)
ORDER BY a.cleared_at DESC, a.id DESC LIMIT :limit;

-- name: archive_total
SELECT count(*) FROM archive WHERE space = :space;

-- name: expired_archive
SELECT {archive_columns} FROM archive a
WHERE a.space = :space AND a.cleared_at <= :cleared_until AND (a.cleared_at, a.id) > (:after_at, :after_id)
ORDER BY a.cleared_at, a.id LIMIT :limit;
