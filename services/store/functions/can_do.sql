-- Whether a host with these abilities (null: it does not tell) has one of each list in the needs (null, or none: anything will do). In the
-- words of services/agent-files/definition/speech-needs.ts.
create or replace function can_do(p_abilities text[], p_needs jsonb) returns boolean
language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select p_abilities is null or jsonb_typeof(p_needs) is distinct from 'array' or not exists (
    select from jsonb_array_elements(p_needs) n where not p_abilities && array(select jsonb_array_elements_text(n.value)))
$$;

revoke all on function can_do(text[], jsonb) from public;
grant execute on function can_do(text[], jsonb) to {{service}}, {{locator}};
