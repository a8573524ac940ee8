-- name: ask_review
-- No row is added when a question of this kind about the entry waits.
INSERT INTO review (id, space, entry_id, entry_version, kind, proposed, reason, asked_at, decided_at, verdict,
                    decided_by, again_at)
SELECT :id, e.space, e.id, :entry_version, :kind, :proposed, :reason, :asked_at, 0, '', '', 0
FROM entry e WHERE e.id = :entry_id
ON CONFLICT DO NOTHING;

-- name: decide_review
UPDATE review SET decided_at = :decided_at, verdict = :verdict, decided_by = :decided_by, again_at = :again_at
WHERE id = :id AND decided_at = 0;

-- name: review_columns
r.id, r.entry_id, r.entry_version, r.kind, r.proposed, r.reason, r.asked_at, r.decided_at, r.verdict, r.decided_by,
r.again_at

-- name: review
SELECT {review_columns} FROM review r WHERE r.id = :id;

-- name: reviews_page
SELECT {review_columns} FROM review r
WHERE r.space = :space AND (r.asked_at, r.id) < (:before_at, :before_id) AND r.decided_at >= :decided_since
ORDER BY r.asked_at DESC, r.id DESC LIMIT :limit;

-- name: reviews_total
SELECT count(*) FROM review WHERE space = :space AND decided_at >= :decided_since;

-- name: waiting_reviews_page
SELECT {review_columns} FROM review r INDEXED BY review_waiting
WHERE r.space = :space AND r.decided_at = 0 AND (r.asked_at, r.id) < (:before_at, :before_id)
ORDER BY r.asked_at DESC, r.id DESC LIMIT :limit;

-- name: waiting_reviews_total
SELECT count(*) FROM review WHERE space = :space AND decided_at = 0;

-- name: latest_reviews
SELECT {review_columns} FROM json_each(:ids) i CROSS JOIN review r ON r.entry_id = i.value
WHERE r.kind = :kind ORDER BY r.asked_at, r.id;

-- name: open_reviews
SELECT {review_columns} FROM review r
WHERE r.entry_id = :entry_id AND r.decided_at = 0 ORDER BY r.asked_at, r.id;

-- name: latest_policy
SELECT version, document FROM policy WHERE name = :name ORDER BY version DESC LIMIT 1;

-- name: put_policy
-- No row is added when the version before is another one.
INSERT INTO policy (name, version, document, set_at)
SELECT :name, :version, :document, :set_at
WHERE :version = 1 + coalesce((SELECT max(version) FROM policy WHERE name = :name), 0);
