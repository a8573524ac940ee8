-- name: told_end
-- Of the memories at the ends of links, those that are alive and that the audience may be told.
told (row) AS (
    SELECT e.row FROM (
        SELECT source_row AS row FROM entry_link WHERE target_row IS NOT NULL
        UNION
        SELECT target_row FROM entry_link WHERE target_row IS NOT NULL
    ) r CROSS JOIN entry e ON e.row = r.row
    WHERE e.space = :space AND e.deleted_at = 0 AND {heard}
),
told_link (source, target) AS (
    SELECT source_row, target_row FROM entry_link
    WHERE target_row IS NOT NULL AND source_row IN told AND target_row IN told
),
degree (row, links) AS (
    SELECT row, count(*) FROM (SELECT source AS row FROM told_link UNION ALL SELECT target FROM told_link) GROUP BY row
)

-- name: most_linked
-- With how many memories and ends of links there are in all.
WITH {told_end}
SELECT e.row, e.id, e.type, e.tags, count(*) OVER (), sum(d.links) OVER ()
FROM degree d CROSS JOIN entry e ON e.row = d.row
ORDER BY d.links DESC, e.id LIMIT :nodes;

-- name: linked_total
WITH {told_end}
SELECT count(*), coalesce(sum(links), 0) FROM degree;

-- name: links_among
WITH among (row) AS (SELECT value FROM json_each(:rows))
SELECT s.id, t.id, l.relation, l.weight
FROM among a CROSS JOIN entry_link l ON l.source_row = a.row
CROSS JOIN entry s ON s.row = l.source_row CROSS JOIN entry t ON t.row = l.target_row
WHERE l.target_row IN among
ORDER BY l.weight DESC, s.id, t.id, l.relation LIMIT :limit;

-- name: network_edges
-- From each of some memories forward and, unless both ends are to be among them, back; both ends are told.
WITH start (row) AS (
    SELECT e.row FROM json_each(:ids) i CROSS JOIN entry e ON e.id = i.value
    WHERE e.space = :space AND e.deleted_at = 0 AND {heard}
),
touching (source, target, relation, weight) AS (
    SELECT l.source_row, l.target_row, l.relation, l.weight
    FROM start CROSS JOIN entry_link l ON l.source_row = start.row
    WHERE l.target_row IS NOT NULL AND (NOT :within OR l.target_row IN start)
    UNION
    SELECT l.source_row, l.target_row, l.relation, l.weight
    FROM start CROSS JOIN entry_link l ON l.target_row = start.row WHERE l.target_row IS NOT NULL AND NOT :within
),
other (row) AS (
    SELECT e.row FROM (SELECT source AS row FROM touching UNION SELECT target FROM touching) r
    CROSS JOIN entry e ON e.row = r.row
    WHERE NOT :within AND e.space = :space AND e.deleted_at = 0 AND {heard}
    UNION
    SELECT row FROM start
)
SELECT s.id, t.id, x.relation, x.weight
FROM touching x CROSS JOIN entry s ON s.row = x.source CROSS JOIN entry t ON t.row = x.target
WHERE x.source IN other AND x.target IN other
ORDER BY x.weight DESC, s.id, t.id, x.relation LIMIT :limit;

-- name: network_nodes
SELECT e.id, e.level, e.type, substr(e.content, 1, :letters), e.tags
FROM json_each(:ids) i CROSS JOIN entry e ON e.id = i.value
WHERE e.space = :space AND e.deleted_at = 0 AND {heard};

-- name: kinds_counted
SELECT e.level, e.type, e.source, count(*) FROM entry e INDEXED BY entry_by_kind
WHERE e.space = :space AND e.deleted_at = 0 GROUP BY e.level, e.type, e.source;

-- name: visible_counted
SELECT 'public', count(*) FROM entry e INDEXED BY entry_public
WHERE e.space = :space AND e.visibility = 'public' AND e.deleted_at = 0
UNION ALL
SELECT 'trusted', count(*) FROM entry e INDEXED BY entry_trusted
WHERE e.space = :space AND e.visibility = 'trusted' AND e.deleted_at = 0;

-- name: days_counted
SELECT e.kept_at / :day, count(*) FROM entry e INDEXED BY entry_by_day
WHERE e.space = :space AND e.deleted_at = 0 AND e.kept_at >= :since GROUP BY 1;

-- name: counted_heard
WITH {own}
SELECT e.level, e.type, e.source, e.visibility, iif(e.kept_at >= :since, e.kept_at / :day, -1), count(*)
FROM own CROSS JOIN entry e ON e.row = own.row
WHERE e.space = :space AND e.deleted_at = 0 GROUP BY 1, 2, 3, 4, 5;

-- name: pinned_hot
SELECT count(DISTINCT e.row)
FROM json_each(:tags) t CROSS JOIN entry_tag g ON g.tag = t.value CROSS JOIN entry e ON e.row = g.entry_row
WHERE e.space = :space AND e.level = 'hot' AND e.deleted_at = 0 AND e.piece = 0;

-- name: fullest_project
SELECT e.project, count(*) FROM entry e INDEXED BY entry_warm_by_project
WHERE e.space = :space AND e.level = 'warm' AND e.deleted_at = 0 AND e.piece = 0
GROUP BY e.project ORDER BY count(*) DESC, e.project LIMIT 1;

-- name: deleted_total
SELECT count(*) FROM entry e INDEXED BY entry_deleted WHERE e.space = :space AND e.deleted_at <> 0 AND e.piece = 0;

-- name: count_eviction
INSERT INTO eviction_count (space, day, trigger, action, n) VALUES (:space, :day, :trigger, :action, :n)
ON CONFLICT (space, day, trigger, action) DO UPDATE SET n = n + excluded.n;

-- name: evictions_counted
SELECT day, trigger, action, n FROM eviction_count WHERE space = :space AND day >= :since_day;
