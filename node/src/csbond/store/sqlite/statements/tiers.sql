-- name: touch_entry
-- 16 uses of 16 characters are kept; a hit by meaning is noted where it can make a memory rise.
UPDATE entry
SET last_accessed = max(last_accessed, :at), access_count = access_count + :count, used_at = max(used_at, :at),
    recent = substr(recent || :tokens, -256),
    found_at = iif(:found AND level = 'cold', max(found_at, :at), found_at)
WHERE id = :id
RETURNING piece;

-- name: set_used_at
UPDATE entry SET used_at = max(used_at, :at), recent = iif(:anew, '', recent) WHERE id = :id;

-- name: spare_entry
UPDATE entry SET spared_until = :until WHERE id = :id;

-- name: first_piece
WITH RECURSIVE
up (id, extends) AS (
    SELECT id, extends FROM entry WHERE id = :id
    UNION
    SELECT e.id, e.extends FROM up CROSS JOIN entry e ON e.id = up.extends WHERE up.extends <> ''
)
SELECT id FROM up WHERE extends = '';

-- name: due_for_clearing
SELECT {entry_columns} FROM entry e INDEXED BY entry_deleted
WHERE e.space = :space AND e.deleted_at <> 0 AND e.piece = 0 AND e.deleted_at <= :deleted_until
AND (e.deleted_at, e.id) > (:after_at, :after_id)
ORDER BY e.deleted_at, e.id LIMIT :limit;

-- name: outlived
-- The end of an entry is an expression, which a comparison of rows does not find in the index.
SELECT {entry_columns} FROM entry e INDEXED BY entry_mortal
WHERE e.space = :space AND e.level = :level AND e.ttl > 0 AND e.deleted_at = 0 AND e.piece = 0
AND e.timestamp + e.ttl BETWEEN :after_at AND :now AND (e.timestamp + e.ttl > :after_at OR e.id > :after_id)
AND e.moved_at <> :now
ORDER BY e.timestamp + e.ttl, e.id LIMIT :limit;

-- name: least_used
SELECT {entry_columns} FROM entry e INDEXED BY entry_by_use
WHERE e.space = :space AND e.level = :level AND e.deleted_at = 0 AND e.piece = 0
AND e.used_at <= :used_until AND (e.used_at, e.id) > (:after_at, :after_id)
AND e.moved_at <> :now AND (:project IS NULL OR e.project = :project)
ORDER BY e.used_at, e.id LIMIT :limit;

-- name: least_used_of_project
SELECT {entry_columns} FROM entry e INDEXED BY entry_warm_by_project
WHERE e.space = :space AND e.project = :project AND e.level = 'warm' AND e.deleted_at = 0 AND e.piece = 0
AND e.used_at <= :used_until AND (e.used_at, e.id) > (:after_at, :after_id) AND e.moved_at <> :now
ORDER BY e.used_at, e.id LIMIT :limit;

-- name: often_used
SELECT {entry_columns} FROM entry e INDEXED BY entry_by_use
WHERE e.space = :space AND e.level = 'warm' AND e.deleted_at = 0 AND e.piece = 0
AND (e.used_at, e.id) > (:after_at, :after_id) AND e.moved_at <> :now
ORDER BY e.used_at, e.id LIMIT :limit;

-- name: often_used_of_late
-- Most memories were never used: this asks only those that remember uses, of 16 characters each.
SELECT {entry_columns} FROM entry e INDEXED BY entry_used
WHERE e.space = :space AND e.level = 'warm' AND e.recent <> '' AND e.deleted_at = 0 AND e.piece = 0
AND (e.used_at, e.id) > (:after_at, :after_id) AND length(e.recent) >= 16 * :uses AND e.moved_at <> :now
ORDER BY e.used_at, e.id LIMIT :limit;

-- name: found_cold
SELECT {entry_columns} FROM entry e INDEXED BY entry_found
WHERE e.space = :space AND e.level = 'cold' AND e.found_at > 0 AND e.deleted_at = 0 AND e.piece = 0 AND e.id > :after_id
AND e.moved_at <> :now
ORDER BY e.id LIMIT :limit;

-- name: rule_matches_of_kind
SELECT {entry_columns} FROM entry e INDEXED BY entry_by_kind
WHERE e.space = :space AND e.level = :level AND e.type = :type AND e.source = :source AND e.deleted_at = 0
AND e.piece = 0 AND e.timestamp <= :until AND (e.timestamp, e.id) > (:after_at, :after_id)
ORDER BY e.timestamp, e.id LIMIT :limit;

-- name: rule_matches_of_tag
-- Begins at one tag and asks for the others.
SELECT {entry_columns} FROM entry_tag g CROSS JOIN entry e ON e.row = g.entry_row
WHERE g.tag = :tag AND g.entry_row > coalesce((SELECT row FROM entry WHERE id = :after_id), 0)
AND e.space = :space AND e.deleted_at = 0 AND e.piece = 0 AND e.timestamp <= :until
AND (:type IS NULL OR e.type = :type) AND (:source = '' OR e.source = :source)
AND NOT (:above_cold AND e.level = 'cold')
AND NOT EXISTS (
    SELECT 1 FROM json_each(:tags) t
    WHERE NOT EXISTS (SELECT 1 FROM entry_tag WHERE tag = t.value AND entry_row = e.row)
)
ORDER BY g.entry_row LIMIT :limit;

-- name: tier_size
SELECT count(*) FROM entry e INDEXED BY entry_by_use
WHERE e.space = :space AND e.level = :level AND e.deleted_at = 0 AND e.piece = 0;

-- name: crowded_projects
SELECT e.project, count(*) FROM entry e INDEXED BY entry_warm_by_project
WHERE e.space = :space AND e.level = 'warm' AND e.deleted_at = 0 AND e.piece = 0
GROUP BY e.project HAVING count(*) > :cap ORDER BY e.project;
