-- name: save_push_config
-- A config that is replaced keeps its place in the order.
INSERT INTO push_config (task_id, id, url, token, scheme, credentials, dialect)
VALUES (:task_id, :id, :url, :token, :scheme, :credentials, :dialect)
ON CONFLICT (task_id, id) DO UPDATE
SET url = excluded.url, token = excluded.token, scheme = excluded.scheme, credentials = excluded.credentials,
    dialect = excluded.dialect;

-- name: drop_push_config
DELETE FROM push_config WHERE task_id = :task_id AND id = :id;

-- name: push_configs
SELECT id, task_id, url, token, scheme, credentials, dialect FROM push_config WHERE task_id = :task_id ORDER BY row;

-- name: queue_delivery
INSERT INTO delivery (id, task_id, config_id, payload, attempts, due_at)
VALUES (:id, :task_id, :config_id, :payload, :attempts, :due_at)
ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, attempts = excluded.attempts, due_at = excluded.due_at;

-- name: drop_delivery
DELETE FROM delivery WHERE id = :id;

-- name: due_deliveries
SELECT id, task_id, config_id, payload, attempts, due_at FROM delivery
WHERE due_at <= :now AND NOT EXISTS (
    SELECT 1 FROM delivery AS earlier
    WHERE earlier.task_id = delivery.task_id AND earlier.config_id = delivery.config_id AND earlier.row < delivery.row
) ORDER BY due_at, row LIMIT :limit;

-- name: next_delivery_at
SELECT min(due_at) FROM delivery
WHERE NOT EXISTS (
    SELECT 1 FROM delivery AS earlier
    WHERE earlier.task_id = delivery.task_id AND earlier.config_id = delivery.config_id AND earlier.row < delivery.row
);
