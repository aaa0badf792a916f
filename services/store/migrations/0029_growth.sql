-- The spoken sessions of a host: counted for each host that a spoken creation looks at (voice_room).
create index sessions_spoken on sessions (host_id) where status <> 'ended' and interaction_mode = 'VOICE' and host_id is not null;
-- What all agents of a tenant used on a day or in a month, without reading its history (live_agent).
create index agent_usage_day on agent_usage (tenant_id, day);
-- The limits of a version, beside a definition that may be large: reading a part of that reads all of it. Null for versions from before.
alter table agent_versions add column limits jsonb;
