-- name: keep_thread
-- The count is of the messages that are there, so it grows by those that come in the same change.
INSERT INTO thread (caller_key, id, space, opened_at, updated_at, message_count, title)
VALUES (:caller_key, :id, :space, :opened_at, :updated_at, :said, :title)
ON CONFLICT (caller_key, id) DO UPDATE
SET updated_at = max(updated_at, excluded.updated_at), message_count = message_count + excluded.message_count,
    title = iif(title = '', excluded.title, title);

-- name: move_thread
UPDATE thread SET updated_at = max(updated_at, :said_at), message_count = message_count + :said
WHERE caller_key = :caller_key AND id = :id;

-- name: keep_session
INSERT INTO session (caller_key, id, thread_id, opened_at, continuity_ref, agent_lifespan)
VALUES (:caller_key, :id, :thread_id, :opened_at, :continuity_ref, :agent_lifespan)
ON CONFLICT (caller_key, id) DO NOTHING;

-- name: append_message
INSERT INTO message (caller_key, id, thread_id, session_id, task_id, space, seq, said_at, sender_name, sender_did,
                     parent_id, importance, private, body)
VALUES (:caller_key, :id, :thread_id, :session_id, :task_id, :space, :seq, :said_at, :sender_name, :sender_did,
        :parent_id, :importance, :private, :body);

-- name: thread_columns
id, caller_key, space, opened_at, updated_at, message_count, title

-- name: thread
SELECT {thread_columns} FROM thread WHERE caller_key = :caller_key AND id = :id;

-- name: thread_of_anybody
-- The one that spoke last.
SELECT {thread_columns} FROM thread WHERE id = :id ORDER BY updated_at DESC, caller_key DESC LIMIT 1;

-- name: thread_filter
(:caller_key IS NULL OR caller_key = :caller_key)
AND (:spaces IS NULL OR space IN (SELECT value FROM json_each(:spaces)))

-- name: threads_page
SELECT {thread_columns} FROM thread
WHERE {thread_filter} AND (updated_at, id) < (:before_at, :before_id)
ORDER BY updated_at DESC, id DESC LIMIT :limit;

-- name: threads_total
SELECT count(*) FROM thread WHERE {thread_filter};

-- name: session_columns
id, thread_id, caller_key, opened_at, continuity_ref, agent_lifespan

-- name: session
SELECT {session_columns} FROM session WHERE caller_key = :caller_key AND id = :id;

-- name: sessions
SELECT {session_columns} FROM session
WHERE caller_key = :caller_key AND thread_id = :thread_id ORDER BY opened_at, id;

-- name: message_columns
m.thread_id, m.caller_key, m.space, m.session_id, m.task_id, m.sender_name, m.sender_did, m.said_at, m.body,
m.parent_id, m.importance, m.private, m.seq

-- name: message
-- The latest of that id.
SELECT {message_columns} FROM message m WHERE m.caller_key = :caller_key AND m.id = :id ORDER BY m.row DESC LIMIT 1;

-- name: thread_messages
-- The messages of one commit share a place: a page holds all of them, so that none falls between two pages.
SELECT {message_columns} FROM message m
WHERE m.caller_key = :caller_key AND m.thread_id = :thread_id AND m.seq < :before_seq
AND m.seq >= coalesce((
    SELECT seq FROM message
    WHERE caller_key = :caller_key AND thread_id = :thread_id AND seq < :before_seq
    ORDER BY seq DESC LIMIT 1 OFFSET :limit - 1
), 0)
ORDER BY m.seq DESC, m.row DESC;

-- name: to_listener
-- What a listener hears; anything for NULL.
(:listener IS NULL OR (
    m.space IN (SELECT value FROM json_each(:spaces)) AND (NOT m.private OR m.caller_key = :listener)
))

-- name: messages_of_sender
-- Whole commits, as in `thread_messages`.
SELECT {message_columns} FROM message m
WHERE m.sender_name = :name AND m.seq < :before_seq
AND {to_listener}
AND m.seq >= coalesce((
    SELECT m.seq FROM message m
    WHERE m.sender_name = :name AND m.seq < :before_seq
    AND {to_listener}
    ORDER BY m.seq DESC LIMIT 1 OFFSET :limit - 1
), 0)
ORDER BY m.seq DESC, m.row DESC;

-- name: search_messages
-- The index sorts by rank first; rows are looked up only until the limit is reached.
SELECT {message_columns}, -w.rank FROM message_words w CROSS JOIN message m ON m.row = w.rowid
WHERE w.message_words MATCH :match AND {to_listener}
ORDER BY w.rank LIMIT :limit;

-- name: last_message
SELECT coalesce(max(row), 0) FROM message;
