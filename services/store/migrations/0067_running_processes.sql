-- Which release each running process is of: during a rollout there are two.
create table running_processes (
  id uuid primary key,
  process text not null,
  release text not null,
  beat_at timestamptz not null default clock_timestamp()
);
grant select, insert, update, delete on running_processes to {{service}};
