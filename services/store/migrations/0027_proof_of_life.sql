-- Timelines of the server that this database has lived on: a new one begins with a promotion, and `since` is when somebody first saw it.
-- Until everybody has come back to it nothing is proven by who is missing (settled_ms).
create table timelines (
  timeline text primary key,
  since timestamptz not null
);
grant select, insert on timelines to {{locator}};

-- The pools that run jobs: a heartbeat that stands still says what a connection that nobody has closed hides.
create table job_pools (
  pool text primary key,
  heartbeat bigint not null default 0,
  beat_at timestamptz not null default clock_timestamp()
);
grant select, insert, update, delete on job_pools to {{service}};
