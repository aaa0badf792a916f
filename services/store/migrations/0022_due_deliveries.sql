-- The deliveries of an agent that wait, in the order in which they are due: one job looks at all of them.
create index deliveries_due on deliveries (tenant_id, agent, next_attempt_at) where status = 'pending';
