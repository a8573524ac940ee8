-- name: save_vector
-- An entry that went away meanwhile gets none.
INSERT INTO entry_vector (space, model_id, entry_row, seq, vector)
SELECT :space, :model_id, row, :seq, :vector FROM entry WHERE id = :entry_id
ON CONFLICT (space, model_id, entry_row) DO UPDATE SET seq = excluded.seq, vector = excluded.vector;

-- name: save_progress
INSERT INTO index_progress (space, model_id, through) VALUES (:space, :model_id, :through)
ON CONFLICT (space, model_id) DO UPDATE SET through = excluded.through;

-- name: vectors
SELECT e.id, v.space, v.seq, v.vector FROM entry_vector v JOIN entry e ON e.row = v.entry_row
WHERE v.space = :space AND v.model_id = :model_id AND e.deleted_at = 0
ORDER BY v.entry_row;

-- name: indexed_through
SELECT through FROM index_progress WHERE space = :space AND model_id = :model_id;
