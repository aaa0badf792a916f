-- What agent hosts of this installation are set up to do, by kind: a host that is down for a while takes no voice from what callers may
-- choose. `kind` is a digest of the two columns after it, which mean what they mean in hosts.
create table host_kinds (
  kind text primary key,
  takes_spoken boolean not null,
  abilities text[],
  -- When a host of this kind was last known to be there, to within ten minutes.
  seen_at timestamptz not null default clock_timestamp()
);
grant select, insert, update, delete on host_kinds to {{service}};
