-- oldest reader: 3
-- What memory looks like in numbers: what was kept on each day, and what left its tier, without reading every row.

CREATE INDEX entry_by_day ON entry (space, kept_at) WHERE deleted_at = 0;

-- Bodies of audit records are in no index.
CREATE TABLE eviction_count (
    space   TEXT NOT NULL,
    day     INTEGER NOT NULL,
    trigger TEXT NOT NULL,
    action  TEXT NOT NULL,
    n       INTEGER NOT NULL,
    PRIMARY KEY (space, day, trigger, action)
) STRICT, WITHOUT ROWID;
INSERT INTO eviction_count (space, day, trigger, action, n)
WITH eviction (told) AS (
    SELECT body -> '$.details' FROM audit
    WHERE type GLOB 'memory_*' AND json_type(body, '$.details.previousLevel') IS NOT NULL
    UNION ALL
    SELECT e.value FROM audit a CROSS JOIN json_each(a.body, '$.details.evictions') e
    WHERE a.type GLOB 'memory_*' AND json_type(a.body, '$.details.evictions') = 'array'
)
SELECT 'home', (told ->> '$.timestamp') / 86400000, told ->> '$.trigger', told ->> '$.action', count(*)
FROM eviction WHERE told ->> '$.action' <> 'promote'
GROUP BY 2, 3, 4;
