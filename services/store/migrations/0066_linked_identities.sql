-- Somebody who has signed in links the identity provider to themselves, sees what is linked, and unlinks it.
alter table people.identities add column id uuid not null default gen_random_uuid();
create unique index identities_id on people.identities (id);

-- The sign-in of whoever has left to link, and not to sign in.
alter table people.departures add column linking uuid;
