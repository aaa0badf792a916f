-- As on every other table of a tenant's: what is forgotten of a visitor may be forgotten by its tenant.
grant delete on visitor_usage to {{service}};
