-- The limits of a version, beside a definition that may be large: reading a part of that reads all of it. Null for versions from before.
alter table agent_versions add column limits jsonb;
