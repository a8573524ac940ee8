-- name: put_foreign_name
-- What came before under the name is told by its memory's versions.
INSERT INTO foreign_entry (space, agent, timestamp, key, entry_row, digest, linked)
SELECT :space, :agent, :timestamp, :key, row, :digest, :linked FROM entry WHERE id = :entry_id
ON CONFLICT (space, agent, timestamp, key)
DO UPDATE SET entry_row = excluded.entry_row, digest = excluded.digest, linked = excluded.linked;

-- name: keep_foreign_vector
INSERT INTO foreign_vector (entry_row, fingerprint, model, dimension, seq, vector)
SELECT row, :fingerprint, :model, :dimension, :seq, :vector FROM entry WHERE id = :entry_id
ON CONFLICT (entry_row, fingerprint)
DO UPDATE SET model = excluded.model, dimension = excluded.dimension, seq = excluded.seq, vector = excluded.vector;

-- name: put_vector_map
INSERT OR REPLACE INTO vector_map (from_fingerprint, to_model, from_dimension, to_dimension, matrix, pairs, error,
                                   made_at)
VALUES (:from_fingerprint, :to_model, :from_dimension, :to_dimension, :matrix, :pairs, :error, :made_at);

-- name: erase_foreign_names
DELETE FROM foreign_entry WHERE entry_row = :row;

-- name: erase_foreign_vectors
DELETE FROM foreign_vector WHERE entry_row = :row;

-- name: foreign_names
-- Each name is [agent, timestamp, key].
SELECT f.agent, f.timestamp, f.key, e.id, f.digest, f.linked
FROM json_each(:names) n
CROSS JOIN foreign_entry f
    ON f.space = :space AND f.agent = n.value ->> 0 AND f.timestamp = n.value ->> 1 AND f.key = n.value ->> 2
CROSS JOIN entry e ON e.row = f.entry_row;

-- name: foreign_models
SELECT fingerprint, min(model), min(dimension), count(*) FROM foreign_vector GROUP BY fingerprint;

-- name: foreign_vectors
SELECT e.id, v.vector
FROM entry e CROSS JOIN foreign_vector v ON v.entry_row = e.row AND v.fingerprint = :fingerprint
WHERE e.id > :after_id AND e.space = :space AND e.deleted_at = 0 AND v.seq >= e.text_seq
ORDER BY e.id LIMIT :limit;

-- name: vector_maps
SELECT from_fingerprint, to_model, from_dimension, to_dimension, matrix, pairs, error, made_at
FROM vector_map ORDER BY made_at DESC, from_fingerprint, to_model;
