-- The services' role accepts and changes no invitation (functions/invites_first_owner.sql: nor does it make one but the first owner's).
create policy unchanged on invitations as restrictive for update to {{service}} using (false);
