"""REST for programs: memory, continuity, principals and status under `/v1`, and the access class of every route."""
