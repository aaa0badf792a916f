-- True; but an error when the request has a key that its function (p_known: the record that it reads) does not know. Functions that are
-- given one jsonb ask where parley.check_keys is on, which it is in tests.
create or replace function keys_are_known(p_function text, p_request jsonb, p_known jsonb) returns boolean
language plpgsql immutable set search_path = pg_catalog, public, pg_temp as $$
declare unknown text;
begin
  select string_agg(format('"%s"', key), ', ') into unknown from jsonb_object_keys(p_request) key where not p_known ? key;
  if unknown is not null then raise exception '% does not know %', p_function, unknown using errcode = 'invalid_parameter_value'; end if;
  return true;
end $$;

revoke all on function keys_are_known(text, jsonb, jsonb) from public;
grant execute on function keys_are_known(text, jsonb, jsonb) to {{service}};
