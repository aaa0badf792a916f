-- voice_share_room for somebody who is about to take of it. Far from the end of a share nobody waits for anybody; near it, those of one
-- tenant queue up until the commit and count again, so that the share is exact.
create or replace function free_of_voice_share(p_tenant uuid, p_agent text) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare free integer := voice_share_room(p_tenant, p_agent);
begin
  if free is null or free > 256 then return free; end if;
  perform pg_advisory_xact_lock(hashtextextended('spoken share of ' || p_tenant, 0));
  return voice_share_room(p_tenant, p_agent);
end $$;

revoke all on function free_of_voice_share(uuid, text) from public;
grant execute on function free_of_voice_share(uuid, text) to {{service}};
