-- What signs a person in, or lets them choose a password, once. By a hash, so that a copy of the database opens nothing.
create table people.one_use_tokens (
  hash bytea primary key,
  purpose text not null check (purpose in ('sign_in', 'reset_password')),
  person_id uuid not null references people.persons on delete cascade,
  expires_at timestamptz not null
);
create index one_use_tokens_person on people.one_use_tokens (person_id);

grant select, insert, update, delete on people.one_use_tokens to {{people}};
