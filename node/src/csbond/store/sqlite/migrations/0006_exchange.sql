-- oldest reader: 6
-- What comes from elsewhere: under which names records came, vectors of other models, and maps from their spaces to this
-- one. An earlier program could not erase a memory that has any of these.

-- A record is known by a key of its source, else by its time.
CREATE TABLE foreign_entry (
    space     TEXT NOT NULL,
    agent     TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    key       TEXT NOT NULL,
    entry_row INTEGER NOT NULL REFERENCES entry (row),
    digest    TEXT NOT NULL,
    linked    INTEGER NOT NULL,
    PRIMARY KEY (space, agent, timestamp, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX foreign_entry_by_entry ON foreign_entry (entry_row);

-- The place tells whether the memory still says what the vector was made of.
CREATE TABLE foreign_vector (
    entry_row   INTEGER NOT NULL REFERENCES entry (row),
    fingerprint TEXT NOT NULL,
    model       TEXT NOT NULL,
    dimension   INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    vector      BLOB NOT NULL,
    PRIMARY KEY (entry_row, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE INDEX foreign_vector_by_model ON foreign_vector (fingerprint, model, dimension, entry_row);

CREATE TABLE vector_map (
    from_fingerprint TEXT NOT NULL,
    to_model         TEXT NOT NULL,
    from_dimension   INTEGER NOT NULL,
    to_dimension     INTEGER NOT NULL,
    matrix           BLOB NOT NULL,
    pairs            INTEGER NOT NULL,
    error            REAL NOT NULL,
    made_at          INTEGER NOT NULL,
    PRIMARY KEY (from_fingerprint, to_model)
) STRICT, WITHOUT ROWID;
