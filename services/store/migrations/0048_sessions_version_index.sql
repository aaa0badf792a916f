-- Conversations that were held with a version, or with those of a commit.
create index if not exists sessions_version on sessions (tenant_id, version_hash, created_at desc);
