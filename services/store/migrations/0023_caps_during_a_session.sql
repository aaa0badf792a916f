-- When a cap was reached while the session ran: its person is told, and it ends soon afterwards.
alter table sessions add column limit_reached_at timestamptz;
-- Who is over a cap is looked for across tenants (locate_over_caps).
grant select on agent_usage to {{locator}};
create policy locate on agent_usage for select to {{locator}} using (true);
