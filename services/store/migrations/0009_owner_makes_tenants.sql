-- Whoever owns the schema makes tenants. On managed servers the owner is no superuser, so row-level security holds for it, too.

create policy owner on tenants to current_user using (true) with check (true);
