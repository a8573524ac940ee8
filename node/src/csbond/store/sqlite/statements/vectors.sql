-- name: save_vector
-- An entry that went away meanwhile gets none.
INSERT INTO entry_vector (space, model_id, entry_row, seq, vector)
SELECT :space, :model_id, row, :seq, :vector FROM entry WHERE id = :entry_id
ON CONFLICT (space, model_id, entry_row) DO UPDATE SET seq = excluded.seq, vector = excluded.vector;

-- name: save_progress
INSERT INTO index_progress (space, model_id, through) VALUES (:space, :model_id, :through)
ON CONFLICT (space, model_id) DO UPDATE SET through = excluded.through;

-- name: drop_vectors_of
DELETE FROM entry_vector
WHERE space = :space AND model_id = :model_id
AND entry_row IN (SELECT row FROM entry WHERE id IN (SELECT value FROM json_each(:ids)));

-- name: vectors
-- CROSS JOIN: from the vectors of the model, in the order of their rows, whatever statistics say.
SELECT v.entry_row, e.id, v.space, v.seq, v.vector, e.type, e.timestamp, e.source, e.level, e.visibility, e.caller_key,
       e.thread_id, e.project
FROM entry_vector v CROSS JOIN entry e ON e.row = v.entry_row
WHERE v.space = :space AND v.model_id = :model_id AND v.entry_row > :after AND e.deleted_at = 0
ORDER BY v.entry_row LIMIT :limit;

-- name: vectors_of
SELECT e.id, v.space, v.seq, v.vector
FROM json_each(:ids) i
CROSS JOIN entry e ON e.id = i.value
CROSS JOIN entry_vector v ON v.space = :space AND v.model_id = :model_id AND v.entry_row = e.row;

-- name: drop_vectors
DELETE FROM entry_vector
WHERE rowid IN (SELECT rowid FROM entry_vector WHERE space = :space AND model_id = :model_id LIMIT :limit);

-- name: any_vector
SELECT 1 FROM entry_vector WHERE space = :space AND model_id = :model_id LIMIT 1;

-- name: drop_progress
DELETE FROM index_progress WHERE space = :space AND model_id = :model_id;

-- name: models
SELECT p.model_id,
       coalesce((SELECT length(vector) / 4 FROM entry_vector WHERE space = p.space AND model_id = p.model_id LIMIT 1), 0),
       (SELECT count(*) FROM entry_vector WHERE space = p.space AND model_id = p.model_id),
       p.through
FROM index_progress p WHERE p.space = :space ORDER BY p.model_id;

-- name: indexed_through
SELECT through FROM index_progress WHERE space = :space AND model_id = :model_id;
