-- As take_spoken_place.
create or replace function take_voice_slot(p_tenant uuid, p_session text, p_epoch integer, p_needs jsonb) returns boolean
language sql volatile set search_path = pg_catalog, public, pg_temp as $$
  select take_spoken_place(p_tenant, p_session, p_epoch, p_needs)
$$;

revoke all on function take_voice_slot(uuid, text, integer, jsonb) from public;
grant execute on function take_voice_slot(uuid, text, integer, jsonb) to {{service}};
