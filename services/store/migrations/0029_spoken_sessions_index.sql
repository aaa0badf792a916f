-- The spoken sessions of a host: counted for each host that a spoken creation looks at (voice_room).
create index if not exists sessions_spoken on sessions (host_id)
  where status <> 'ended' and interaction_mode = 'VOICE' and host_id is not null;
