create index if not exists sessions_rare_end on sessions (tenant_id, end_reason, created_at desc, id desc)
  where end_reason in ('agent_unavailable', 'dashboard_ended', 'tenant_limit', 'room_lost', 'provider_failed', 'budget_exhausted', 'operator_ended');
