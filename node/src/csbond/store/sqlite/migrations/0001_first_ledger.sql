-- oldest reader: 1
-- The first ledger: Spaces, conversations, tasks, memory, audit and principals.
-- Times are milliseconds since 1970; JSON columns are text; a `row` is the integer that indexes point to.

CREATE TABLE schema_version (
    only_row      INTEGER PRIMARY KEY CHECK (only_row = 1),
    version       INTEGER NOT NULL,
    oldest_reader INTEGER NOT NULL
) STRICT;

CREATE TABLE space (
    id  TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Conversations ------------------------------------------------------------------------------------------------------

CREATE TABLE thread (
    caller_key    TEXT NOT NULL,
    id            TEXT NOT NULL,
    space         TEXT NOT NULL,
    opened_at     INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    title         TEXT NOT NULL,
    PRIMARY KEY (caller_key, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_by_id ON thread (id);
CREATE INDEX thread_by_time ON thread (updated_at, id);

CREATE TABLE session (
    caller_key     TEXT NOT NULL,
    id             TEXT NOT NULL,
    thread_id      TEXT NOT NULL,
    opened_at      INTEGER NOT NULL,
    continuity_ref TEXT NOT NULL,
    agent_lifespan REAL NOT NULL,
    PRIMARY KEY (caller_key, id),
    FOREIGN KEY (caller_key, thread_id) REFERENCES thread (caller_key, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_thread ON session (caller_key, thread_id, opened_at);

-- The one place of what was said: task histories and closing status messages point here. Message ids are chosen by
-- those who talk, and everybody without a token is one caller, so an id may come twice.
CREATE TABLE message (
    row         INTEGER PRIMARY KEY,
    caller_key  TEXT NOT NULL,
    id          TEXT NOT NULL,
    thread_id   TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    task_id     TEXT NOT NULL,
    space       TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    said_at     INTEGER NOT NULL,
    sender_name TEXT NOT NULL,
    sender_did  TEXT NOT NULL,
    parent_id   TEXT NOT NULL,
    importance  REAL NOT NULL,
    private     INTEGER NOT NULL,
    body        TEXT NOT NULL,
    FOREIGN KEY (caller_key, thread_id) REFERENCES thread (caller_key, id)
) STRICT;
CREATE INDEX message_by_id ON message (caller_key, id);
CREATE INDEX message_by_thread ON message (caller_key, thread_id, seq);
CREATE INDEX message_by_task ON message (task_id) WHERE task_id <> '';
CREATE INDEX message_by_sender ON message (sender_name, seq);
CREATE VIRTUAL TABLE message_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);

-- Tasks --------------------------------------------------------------------------------------------------------------

CREATE TABLE task (
    row            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    caller_key     TEXT NOT NULL,
    context_id     TEXT NOT NULL,
    thread_id      TEXT NOT NULL,
    state          TEXT NOT NULL,
    status_at      INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    version        INTEGER NOT NULL,
    hidden         INTEGER NOT NULL,
    metadata       TEXT NOT NULL,
    status_row     INTEGER REFERENCES message (row),
    status_message TEXT
) STRICT;
CREATE INDEX task_by_time ON task (caller_key, status_at, id) WHERE hidden = 0;
-- Without the time: a task changes its status often and its context never.
CREATE INDEX task_by_context ON task (context_id, caller_key) WHERE hidden = 0;
-- A task that never waits costs it nothing.
CREATE INDEX task_waiting ON task (status_at) WHERE state IN ('input_required', 'auth_required');

-- Grows by a row a chunk; nothing is rewritten while an answer streams.
CREATE TABLE task_chunk (
    row        INTEGER PRIMARY KEY,
    task_row   INTEGER NOT NULL REFERENCES task (row),
    append     INTEGER NOT NULL,
    last_chunk INTEGER NOT NULL,
    body       TEXT NOT NULL
) STRICT;
CREATE INDEX task_chunk_by_task ON task_chunk (task_row);

CREATE TABLE request (
    caller_key TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest     TEXT NOT NULL,
    task_id    TEXT NOT NULL,
    seen_at    INTEGER NOT NULL,
    PRIMARY KEY (caller_key, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE push_config (
    row         INTEGER PRIMARY KEY,
    task_id     TEXT NOT NULL REFERENCES task (id),
    id          TEXT NOT NULL,
    url         TEXT NOT NULL,
    token       TEXT NOT NULL,
    scheme      TEXT NOT NULL,
    credentials TEXT NOT NULL,
    dialect     TEXT NOT NULL,
    UNIQUE (task_id, id)
) STRICT;

CREATE TABLE delivery (
    row       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    task_id   TEXT NOT NULL REFERENCES task (id),
    config_id TEXT NOT NULL,
    payload   BLOB NOT NULL,
    attempts  INTEGER NOT NULL,
    due_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX delivery_by_webhook ON delivery (task_id, config_id);
CREATE INDEX delivery_due ON delivery (due_at);

-- Memory -------------------------------------------------------------------------------------------------------------

CREATE TABLE entry (
    row           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    space         TEXT NOT NULL,
    seq           INTEGER NOT NULL,
    version       INTEGER NOT NULL,
    type          TEXT NOT NULL,
    content       TEXT NOT NULL,
    tags          TEXT NOT NULL,
    timestamp     INTEGER NOT NULL,
    source        TEXT NOT NULL,
    level         TEXT NOT NULL,
    visibility    TEXT NOT NULL,
    caller_key    TEXT NOT NULL,
    thread_id     TEXT NOT NULL,
    message_id    TEXT NOT NULL,
    speaker       TEXT NOT NULL,
    last_accessed INTEGER NOT NULL,
    access_count  INTEGER NOT NULL,
    ttl           INTEGER NOT NULL,
    extends       TEXT NOT NULL,
    piece         INTEGER NOT NULL,
    deleted_at    INTEGER NOT NULL,
    extra         TEXT NOT NULL
) STRICT;
CREATE INDEX entry_by_time ON entry (space, timestamp, id);
CREATE INDEX entry_by_seq ON entry (space, seq);
CREATE INDEX entry_by_extends ON entry (extends) WHERE extends <> '';
CREATE INDEX entry_by_origin ON entry (caller_key, thread_id);
CREATE INDEX entry_public ON entry (space) WHERE visibility = 'public';
-- Holds all that a filter asks of living entries, so that none is read for it.
CREATE INDEX entry_by_kind ON entry (space, level, type, source, id) WHERE deleted_at = 0;

-- What an entry said before; same columns, so that a version is copied without being read.
CREATE TABLE entry_version (
    entry_row     INTEGER NOT NULL REFERENCES entry (row),
    version       INTEGER NOT NULL,
    seq           INTEGER NOT NULL,
    type          TEXT NOT NULL,
    content       TEXT NOT NULL,
    tags          TEXT NOT NULL,
    timestamp     INTEGER NOT NULL,
    source        TEXT NOT NULL,
    level         TEXT NOT NULL,
    visibility    TEXT NOT NULL,
    caller_key    TEXT NOT NULL,
    thread_id     TEXT NOT NULL,
    message_id    TEXT NOT NULL,
    speaker       TEXT NOT NULL,
    last_accessed INTEGER NOT NULL,
    access_count  INTEGER NOT NULL,
    ttl           INTEGER NOT NULL,
    extends       TEXT NOT NULL,
    piece         INTEGER NOT NULL,
    deleted_at    INTEGER NOT NULL,
    extra         TEXT NOT NULL,
    PRIMARY KEY (entry_row, version)
) STRICT;

CREATE TABLE entry_tag (
    tag       TEXT NOT NULL,
    entry_row INTEGER NOT NULL REFERENCES entry (row),
    PRIMARY KEY (tag, entry_row)
) STRICT, WITHOUT ROWID;

-- Indexes of living entries, never the truth: both can be made again from the rows.
CREATE VIRTUAL TABLE entry_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE entry_vocabulary USING fts5vocab (entry_words, row);

CREATE TABLE entry_vector (
    space     TEXT NOT NULL,
    model_id  TEXT NOT NULL,
    entry_row INTEGER NOT NULL REFERENCES entry (row),
    seq       INTEGER NOT NULL,
    vector    BLOB NOT NULL,
    PRIMARY KEY (space, model_id, entry_row)
) STRICT;

CREATE TABLE index_progress (
    space    TEXT NOT NULL,
    model_id TEXT NOT NULL,
    through  INTEGER NOT NULL,
    PRIMARY KEY (space, model_id)
) STRICT, WITHOUT ROWID;

-- Audit and access ---------------------------------------------------------------------------------------------------

-- `body` is the RFC 8785 form that was hashed; the last record of a commit group carries the signature over its hash,
-- and the others name that record in `signed_by`.
CREATE TABLE audit (
    seq       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL,
    type      TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    body      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    signature BLOB,
    signed_by TEXT NOT NULL
) STRICT;

CREATE TABLE principal (
    name         TEXT NOT NULL PRIMARY KEY,
    role         TEXT NOT NULL,
    spaces       TEXT NOT NULL,
    token_digest TEXT NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The schedule -------------------------------------------------------------------------------------------------------

CREATE TABLE job (
    name   TEXT NOT NULL PRIMARY KEY,
    ran_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
