-- oldest reader: 2
-- The whole entry: its links, its project, what its text is compared by, and what kept or deleted it.
-- `folded_name`, `index_text`, `is_foreign`, `one_list`, `readable_project`, `set_apart`, `text_key` and `trimmed` are
-- rules of the program that runs this, for SQL knows no Unicode.

ALTER TABLE entry ADD COLUMN kept_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN project TEXT NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN text_key BLOB NOT NULL DEFAULT x'';
ALTER TABLE entry ADD COLUMN text_seq INTEGER NOT NULL DEFAULT 0;
-- 1 when it has rows in entry_link, hidden ones too: whoever has none pays no look-up.
ALTER TABLE entry ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN deleted_by TEXT NOT NULL DEFAULT '';
-- Before, only the owner could delete.
ALTER TABLE entry ADD COLUMN deleter TEXT NOT NULL DEFAULT '';
ALTER TABLE entry_version ADD COLUMN project TEXT NOT NULL DEFAULT '';
ALTER TABLE entry_version ADD COLUMN deleted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE entry_version ADD COLUMN deleter TEXT NOT NULL DEFAULT '';
-- The links the version showed: [[target id, relation, weight, made by], …].
ALTER TABLE entry_version ADD COLUMN links TEXT NOT NULL DEFAULT '[]';

-- A link ends at a memory of this ledger, or at something foreign that nothing follows.
CREATE TABLE entry_link (
    source_row INTEGER NOT NULL REFERENCES entry (row),
    relation   TEXT NOT NULL,
    target_id  TEXT NOT NULL,
    target_row INTEGER REFERENCES entry (row),
    weight     REAL NOT NULL,
    made_by    TEXT NOT NULL,
    made_at    INTEGER NOT NULL,
    PRIMARY KEY (source_row, target_id, relation),
    CHECK (target_row IS NOT NULL OR target_id NOT GLOB 'mem_*')
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_link_by_target ON entry_link (target_row, relation) WHERE target_row IS NOT NULL;
CREATE INDEX entry_link_by_foreign_target ON entry_link (target_id) WHERE target_row IS NULL;

-- The words of what is softly deleted, apart from those of the living, which are what is searched and ranked.
CREATE VIRTUAL TABLE deleted_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO deleted_words (rowid, words)
SELECT row, index_text(content || char(10) || coalesce((SELECT group_concat(value, char(10)) FROM json_each(tags)), ''))
FROM entry WHERE deleted_at > 0;

-- What entries of before said of these things -------------------------------------------------------------------------

-- A project is named as it may be named today, so that an entry can be sent back as it is read.
UPDATE entry SET extra = json_set(extra, '$.metadata', json(readable_project(extra -> '$.metadata')))
WHERE json_type(extra, '$.metadata.project') <> 'null';
UPDATE entry_version SET extra = json_set(extra, '$.metadata', json(readable_project(extra -> '$.metadata')))
WHERE json_type(extra, '$.metadata.project') <> 'null';
UPDATE entry
SET kept_at = timestamp,
    text_key = iif(extends = '' AND piece = 0, text_key(content), x''),
    text_seq = seq,
    deleted_by = iif(deleted_at, 'manual', ''),
    deleter = iif(deleted_at, 'owner', ''),
    project = coalesce(
        nullif(
            iif(json_type(extra, '$.metadata.project') = 'text', folded_name(extra ->> '$.metadata.project'), ''), ''
        ),
        iif(thread_id = '', '', 'thread:' || thread_id)
    );

-- Entries and their versions that say something of links, and what they say of other things.
CREATE TEMP TABLE teller AS
SELECT row, version, 1 AS present, extra FROM entry
UNION ALL
SELECT entry_row, version, 0, extra FROM entry_version;
DELETE FROM temp.teller
WHERE json_type(extra, '$.links') IS NULL AND json_type(extra, '$.link_metadata') IS NULL
AND json_type(extra, '$.link_fields') IS NULL;
CREATE UNIQUE INDEX temp.teller_by_row ON teller (row, version);

CREATE TEMP TABLE told_link (
    source_row INTEGER, version INTEGER, present INTEGER, place INTEGER, told TEXT, target_id TEXT, target_row INTEGER,
    relation TEXT, weight REAL, beside TEXT, becomes TEXT
);
INSERT INTO told_link (
    source_row, version, present, place, told, target_id, target_row, relation, weight, beside, becomes
)
WITH
element (source_row, version, present, place, told) AS (
    SELECT t.row, t.version, t.present, l.key, t.extra -> l.fullkey
    FROM teller t CROSS JOIN json_each(t.extra, '$.links') l
    WHERE json_type(t.extra, '$.links') = 'array'
    UNION ALL
    SELECT row, version, present, 0, extra -> '$.links' FROM teller
    WHERE json_type(extra, '$.links') NOT IN ('array', 'null')
),
-- Read as loosely as an entry that comes today: an id alone is a link to it.
whole (source_row, version, present, place, told, link) AS (
    SELECT source_row, version, present, place, told,
           iif(json_type(told) = 'text', json_object('target_id', told ->> '$'), told)
    FROM element
),
part (source_row, version, present, place, told, target_id, relation, weight, beside) AS (
    SELECT source_row, version, present, place, told,
           iif(json_type(link, '$.target_id') = 'text', trimmed(link ->> '$.target_id'), NULL),
           CASE json_type(link, '$.relation')
           WHEN 'text' THEN replace(folded_name(link ->> '$.relation'), '-', '_')
           WHEN 'null' THEN 'relates_to'
           ELSE iif(json_type(link, '$.relation') IS NULL, 'relates_to', NULL)
           END,
           CASE
           WHEN coalesce(json_type(link, '$.weight'), 'null') = 'null' THEN 1.0
           WHEN json_type(link, '$.weight') IN ('integer', 'real') THEN link ->> '$.weight'
           WHEN json_type(link, '$.weight') = 'text' AND link ->> '$.weight' GLOB '[0-9]*'
                AND link ->> '$.weight' NOT GLOB '*[^0-9.]*'
               THEN CAST(link ->> '$.weight' AS REAL)
           END,
           iif(json_type(link) = 'object',
               json_remove(link, '$.target_id', '$.relation', '$.weight', '$.made_by'), '{}')
    FROM whole
)
SELECT p.source_row, p.version, p.present, p.place, p.told, p.target_id, t.row, p.relation, p.weight, p.beside,
       iif(
           p.weight BETWEEN 0 AND 1
           AND p.relation GLOB '[a-z]*' AND p.relation NOT GLOB '*[^a-z0-9_]*' AND length(p.relation) <= 64
           AND iif(
               t.row IS NULL, is_foreign(p.target_id) AND length(p.target_id) <= 256, t.row <> p.source_row
           ),
           'link', 'unresolved'
       )
FROM part p LEFT JOIN entry t ON t.id = p.target_id;

CREATE INDEX temp.told_link_by_row ON told_link (source_row, version);

-- The same link again: the later weight counts. Then the first 64 stay.
UPDATE told_link SET becomes = 'again'
FROM told_link later
WHERE told_link.becomes = 'link' AND later.becomes = 'link'
AND later.source_row = told_link.source_row AND later.version = told_link.version
AND later.target_id = told_link.target_id AND later.relation = told_link.relation AND later.place > told_link.place;
UPDATE told_link SET becomes = 'unresolved'
WHERE rowid IN (
    SELECT rowid FROM (
        SELECT rowid, row_number() OVER (PARTITION BY source_row, version ORDER BY place) AS nth FROM told_link
        WHERE becomes = 'link'
    )
    WHERE nth > 64
);

-- Relations that put memories in an order, seen from one end; a circle has links to later memories and to earlier ones,
-- so those of the rarer kind are looked at, and go when they lead back or go too far to tell.
CREATE TEMP TABLE told_order AS
SELECT rowid AS link, relation AS family, source_row AS from_row, target_row AS to_row
FROM told_link
WHERE becomes = 'link' AND present AND target_row IS NOT NULL
AND relation IN ('causes', 'extends', 'resolved_by', 'supersedes', 'derived_from')
UNION ALL
SELECT rowid, iif(relation = 'caused_by', 'causes', 'derived_from'), target_row, source_row
FROM told_link
WHERE becomes = 'link' AND present AND target_row IS NOT NULL AND relation IN ('caused_by', 'cited_by');
CREATE INDEX temp.told_order_by_row ON told_order (family, from_row);
UPDATE told_link SET becomes = 'unresolved'
WHERE rowid IN (
    SELECT o.link
    FROM (SELECT family, sum(to_row > from_row) < sum(to_row < from_row) AS later FROM told_order GROUP BY family) r
    CROSS JOIN told_order o ON o.family = r.family AND (o.to_row > o.from_row) = r.later
    WHERE (
        WITH RECURSIVE walk (row) AS (
            SELECT o.to_row
            UNION
            SELECT n.to_row FROM walk CROSS JOIN told_order n ON n.family = o.family AND n.from_row = walk.row
            LIMIT 1001
        )
        SELECT max(row = o.from_row) OR count(*) > 1000 FROM walk
    )
);

INSERT INTO entry_link (source_row, relation, target_id, target_row, weight, made_by, made_at)
SELECT l.source_row, l.relation, l.target_id, l.target_row, l.weight, '', e.timestamp
FROM told_link l JOIN entry e ON e.row = l.source_row WHERE l.becomes = 'link' AND l.present;
UPDATE entry SET linked = 1 WHERE row IN (SELECT source_row FROM entry_link);
UPDATE entry_version AS v
SET links = (
    SELECT json_group_array(json_array(target_id, relation, weight, '') ORDER BY target_id, relation)
    FROM told_link WHERE source_row = v.entry_row AND version = v.version AND becomes = 'link'
)
WHERE (entry_row, version) IN (SELECT source_row, version FROM told_link WHERE becomes = 'link');

-- What others declared of links is kept apart, and with it what no link could be made of, beside what they call so.
UPDATE teller
SET extra = json_set(extra, '$.link_metadata', json(set_apart(extra -> '$.link_metadata')))
WHERE json_type(extra, '$.link_metadata') <> 'null';
UPDATE teller
SET extra = json_set(
        json_remove(extra, '$.links'),
        '$.link_metadata.declared.unresolved',
        json(one_list(json_array(
            extra -> '$.link_metadata.declared.unresolved',
            json((SELECT json_group_array(json(told) ORDER BY place) FROM told_link
                  WHERE source_row = teller.row AND version = teller.version AND becomes = 'unresolved'))
        )))
    )
WHERE (row, version) IN (SELECT source_row, version FROM told_link WHERE becomes = 'unresolved');

-- Fields of a link that are not known are kept by its target and relation, under a name that somebody may have used.
UPDATE teller
SET extra = json_set(
        json_remove(extra, '$.link_fields'),
        '$.link_metadata.declared.link_fields',
        iif(json_type(extra, '$.link_metadata.declared.link_fields') IS NULL,
            extra -> '$.link_fields',
            json_array(extra -> '$.link_metadata.declared.link_fields', extra -> '$.link_fields'))
    )
WHERE json_type(extra, '$.link_fields') <> 'null';
UPDATE teller
SET extra = json_set(
        extra, '$.link_fields',
        json((SELECT json_group_object(target_id, json(beside)) FROM (
            SELECT target_id, json_group_object(relation, json(beside)) AS beside FROM (
                SELECT target_id, relation, beside, max(place) FROM told_link
                WHERE source_row = teller.row AND version = teller.version
                AND becomes IN ('link', 'again') AND beside <> '{}'
                GROUP BY target_id, relation
            ) GROUP BY target_id
        )))
    )
WHERE (row, version) IN (
    SELECT source_row, version FROM told_link WHERE becomes IN ('link', 'again') AND beside <> '{}'
);

UPDATE teller SET extra = json_remove(extra, '$.links');
UPDATE entry SET extra = t.extra FROM teller t WHERE t.row = entry.row AND t.version = entry.version;
UPDATE entry_version AS v SET extra = t.extra FROM teller t WHERE t.row = v.entry_row AND t.version = v.version;

DROP TABLE told_order;
DROP TABLE told_link;
DROP TABLE teller;

-- Without the Space: every entry of a conversation writes into a random place of it, so it is kept small.
CREATE INDEX entry_by_text ON entry (text_key, caller_key, thread_id)
WHERE deleted_at = 0 AND extends = '' AND piece = 0 AND text_key <> x'';
CREATE INDEX entry_by_project ON entry (space, project, timestamp, id) WHERE project <> '';
CREATE INDEX entry_trusted ON entry (space) WHERE visibility = 'trusted';
