-- What all agents of a tenant used on a day or in a month, without reading its history (live_agent).
create index if not exists agent_usage_day on agent_usage (tenant_id, day);
