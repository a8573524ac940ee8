-- name: note_job
INSERT INTO job (name, ran_at) VALUES (:name, :ran_at) ON CONFLICT (name) DO UPDATE SET ran_at = excluded.ran_at;

-- name: jobs_ran
SELECT name, ran_at FROM job;

-- name: optimize
-- Looks at every table, and at no more than a sample of each, so it takes milliseconds.
PRAGMA optimize(0x10002);

-- name: checkpoint
-- PASSIVE: it waits for nobody, and nobody waits for it.
PRAGMA wal_checkpoint(PASSIVE);
