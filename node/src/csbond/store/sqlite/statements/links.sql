-- name: visible_link
-- A link is hidden while its memory is softly deleted; nothing foreign is ever hidden.
(l.target_row IS NULL OR EXISTS (SELECT 1 FROM entry t WHERE t.row = l.target_row AND t.deleted_at = 0))

-- name: told_links
-- Only between living memories; an entry without links pays no look-up.
CASE WHEN e.linked AND e.deleted_at = 0 THEN (
    SELECT json_group_array(json_array(l.target_id, l.relation, l.weight, l.made_by) ORDER BY l.target_id, l.relation)
    FROM entry_link l WHERE l.source_row = e.row AND {visible_link}
) ELSE '[]' END

-- name: link_end
SELECT row, deleted_at FROM entry WHERE id = :id;

-- name: links_of_row
SELECT target_id, relation, weight, made_by FROM entry_link WHERE source_row = :row;

-- name: hidden_links
SELECT l.target_id, l.relation, l.weight, l.made_by
FROM entry e CROSS JOIN entry_link l ON l.source_row = e.row
WHERE e.id = :id AND NOT {visible_link}
ORDER BY l.target_id, l.relation;

-- name: add_link
INSERT INTO entry_link (source_row, relation, target_id, target_row, weight, made_by, made_at)
VALUES (:source_row, :relation, :target_id, :target_row, :weight, :made_by, :made_at);

-- name: weigh_link
-- When it was first made stays.
UPDATE entry_link SET weight = :weight, made_by = :made_by
WHERE source_row = :source_row AND target_id = :target_id AND relation = :relation;

-- name: drop_link
DELETE FROM entry_link WHERE source_row = :source_row AND target_id = :target_id AND relation = :relation;

-- name: note_links
-- For ever: of what had links once, the version alone does not say how it was shown.
UPDATE entry SET linked = 1
WHERE row = :row AND NOT linked AND EXISTS (SELECT 1 FROM entry_link WHERE source_row = :row);

-- name: reached_in_order
-- Some rows and, near ones first, what is reached from them along a relation and, against its direction, along the one
-- that is its other end (both turned round lead back); hidden links too, for they come back with what is restored. Of a
-- crowd that links to one row no more is read than can count.
WITH RECURSIVE reached (row) AS (
    SELECT value FROM json_each(:rows)
    UNION
    SELECT l.target_row FROM reached CROSS JOIN entry_link l ON l.source_row = reached.row
    WHERE l.relation = :relation AND l.target_row IS NOT NULL
    UNION
    SELECT n.value FROM reached CROSS JOIN json_each((
        SELECT json_group_array(row) FROM (
            SELECT l.source_row AS row FROM entry_link l
            WHERE l.target_row = reached.row AND l.relation = :inverse AND l.target_row IS NOT NULL
            LIMIT :most
        )
    )) n
    LIMIT :most
)
SELECT row FROM reached;

-- name: linking
-- The rows with a visible link to something, a memory or not, as the beginning of a statement.
linking (row) AS (
    SELECT l.source_row FROM entry t CROSS JOIN entry_link l ON l.target_row = t.row
    WHERE t.id = :link_target AND t.deleted_at = 0 AND l.target_row IS NOT NULL
    UNION
    SELECT source_row FROM entry_link WHERE target_id = :link_target AND target_row IS NULL
)
