-- name: insert_task
-- No row changes when the id is taken.
INSERT INTO task (id, caller_key, context_id, thread_id, state, status_at, created_at, version, hidden, metadata,
                  status_row, status_message)
VALUES (:id, :caller_key, :context_id, :thread_id, :state, :status_at, :created_at, 1, :hidden, :metadata,
        :status_row, :status_message)
ON CONFLICT (id) DO NOTHING;

-- name: update_task
-- No row changes when the version before is another one. Whose task it is and where it belongs never changes.
UPDATE task
SET state = :state, status_at = :status_at, version = :version, hidden = :hidden, metadata = :metadata,
    status_row = :status_row, status_message = :status_message
WHERE id = :id AND version = :version - 1;

-- name: append_chunk
-- No row is added when there is no such task.
INSERT INTO task_chunk (task_row, append, last_chunk, body)
SELECT row, :append, :last_chunk, :body FROM task WHERE id = :task_id;

-- name: remember_request
INSERT INTO request (caller_key, message_id, digest, task_id, seen_at)
VALUES (:caller_key, :message_id, :digest, :task_id, :seen_at)
ON CONFLICT (caller_key, message_id) DO UPDATE
SET digest = excluded.digest, task_id = excluded.task_id, seen_at = excluded.seen_at;

-- name: claim_key
-- No row is added when the name is taken.
INSERT INTO request (caller_key, message_id, digest, task_id, seen_at)
VALUES (:caller_key, :message_id, :digest, :task_id, :seen_at)
ON CONFLICT (caller_key, message_id) DO NOTHING;

-- name: forget_requests
-- No index by time, which every message would pay for: when this is asked, nearly all rows are old. What a write of
-- memory was named by stays (`changes.LASTING`).
DELETE FROM request WHERE (caller_key, message_id) IN (
    SELECT caller_key, message_id FROM request
    WHERE seen_at < :before AND caller_key NOT GLOB 'memory:*' LIMIT :at_most
);

-- name: requests_before
SELECT EXISTS (SELECT 1 FROM request WHERE seen_at < :before AND caller_key NOT GLOB 'memory:*');

-- name: repeated_request
SELECT digest, task_id, seen_at FROM request WHERE caller_key = :caller_key AND message_id = :message_id;

-- name: task_columns
-- A closing status message that is also in the thread is read from there.
t.id, t.context_id, t.thread_id, t.caller_key, t.state, t.status_at, t.created_at, t.version,
coalesce(m.body, t.status_message), t.metadata, t.hidden

-- name: task
SELECT {task_columns}
FROM task t LEFT JOIN message m ON m.row = t.status_row
WHERE t.id = :id AND t.hidden = 0 AND (:caller_key IS NULL OR t.caller_key = :caller_key);

-- name: unfinished_tasks
-- Once a start, so it looks at every task rather than keep an index.
SELECT {task_columns}
FROM task t LEFT JOIN message m ON m.row = t.status_row
WHERE t.state IN ('submitted', 'working')
ORDER BY t.row;

-- name: waiting_tasks
SELECT {task_columns}
FROM task t LEFT JOIN message m ON m.row = t.status_row
WHERE t.state IN ('input_required', 'auth_required') AND t.status_at < :before
ORDER BY t.status_at, t.row LIMIT :limit;

-- name: task_filter
t.caller_key = :caller_key AND t.hidden = 0
AND (:state IS NULL OR t.state = :state) AND t.status_at >= :status_after

-- name: tasks_page
SELECT {task_columns}
FROM task t LEFT JOIN message m ON m.row = t.status_row
WHERE {task_filter} AND (t.status_at, t.id) < (:before_at, :before_id)
ORDER BY t.status_at DESC, t.id DESC LIMIT :limit;

-- name: tasks_total
SELECT count(*) FROM task t WHERE {task_filter};

-- name: tasks_page_of_context
-- Apart from `tasks_page`: a context has few tasks, and its index finds them at once.
SELECT {task_columns}
FROM task t INDEXED BY task_by_context LEFT JOIN message m ON m.row = t.status_row
WHERE {task_filter} AND t.context_id = :context_id AND (t.status_at, t.id) < (:before_at, :before_id)
ORDER BY t.status_at DESC, t.id DESC LIMIT :limit;

-- name: tasks_total_of_context
SELECT count(*) FROM task t INDEXED BY task_by_context WHERE {task_filter} AND t.context_id = :context_id;

-- name: chunks
SELECT c.body, c.append FROM task_chunk c JOIN task t ON t.row = c.task_row WHERE t.id = :task_id ORDER BY c.row;

-- name: history
SELECT body FROM message WHERE task_id = :task_id AND task_id <> '' ORDER BY row DESC LIMIT :limit;

-- name: last_task
SELECT coalesce(max(row), 0) FROM task;
