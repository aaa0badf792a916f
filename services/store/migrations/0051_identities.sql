-- Whom identity providers know our persons as. Nothing but issuer and subject tells who it is: an address can be given to somebody else.
create table people.identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people.persons on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identities_person on people.identities (person_id);

-- Sign-ins that have gone to an identity provider and are to come back, by the hash of what the browser's cookie holds.
create table people.departures (
  hash bytea primary key,
  state text not null,
  nonce text not null,
  verifier text not null,
  -- The hash of the invitation that is to be accepted.
  invitation bytea,
  -- The page of ours where the person wants to be afterwards.
  destination text not null,
  expires_at timestamptz not null
);
create index departures_expiry on people.departures (expires_at);

grant select, insert, update, delete on people.identities, people.departures to {{people}};
