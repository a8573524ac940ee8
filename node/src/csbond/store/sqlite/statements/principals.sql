-- name: save_principal
-- No row changes when the name is taken.
INSERT INTO principal (name, role, spaces, token_digest, created_at)
VALUES (:name, :role, :spaces, :token_digest, :created_at)
ON CONFLICT (name) DO NOTHING;

-- name: drop_principal
DELETE FROM principal WHERE name = :name;

-- name: principal_by_digest
SELECT name, role, spaces, created_at FROM principal WHERE token_digest = :token_digest;

-- name: principals
SELECT name, role, spaces, created_at FROM principal ORDER BY name;
