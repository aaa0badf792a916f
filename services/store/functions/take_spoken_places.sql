-- Warm rooms of hosts that can speak what is needed and have room for it, at most p_most, locked for the caller until it commits, and none
-- where there is none. A host gives places to one creation at a time, so that it never gets more than it has room for; of several at once
-- each goes to other hosts, and waits for one only while it has no place at all.
-- A host without a place is let go at once: nobody waits while holding one, so none of two creations waits for the other.
create or replace function take_spoken_places(p_hosts uuid[], p_needs jsonb, p_most integer) returns text[]
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare candidate uuid; candidates uuid[]; rooms text[]; places text[] := '{}'; waits boolean;
begin
  candidates := array(
    select w.host_id from warm_rooms w join hosts h on h.id = w.host_id
    where w.host_id = any (p_hosts) and h.voice_capacity > 0 and can_do(h.abilities, p_needs)
    group by w.host_id order by min(w.created_at));
  foreach waits in array array[false, true] loop
    foreach candidate in array candidates loop
      exit when cardinality(places) >= p_most or (waits and cardinality(places) > 0);
      continue when coalesce(voice_room(candidate, p_needs), 0) <= 0;
      begin
        if waits then perform pg_advisory_xact_lock(spoken_lock(candidate));
        elsif not pg_try_advisory_xact_lock(spoken_lock(candidate)) then continue;
        end if;
        -- Counted again, by whoever alone may add to it now.
        rooms := array(
          select w.room_name from warm_rooms w where w.host_id = candidate order by w.created_at
          limit greatest(0, least(p_most - cardinality(places), voice_room(candidate, p_needs))) for update skip locked);
        if cardinality(rooms) = 0 then raise exception using errcode = 'PA001'; end if;
        places := places || rooms;
      exception when sqlstate 'PA001' then
        -- Leaving this block has let the host go.
      end;
    end loop;
  end loop;
  return places;
end $$;

revoke all on function take_spoken_places(uuid[], jsonb, integer) from public;
grant execute on function take_spoken_places(uuid[], jsonb, integer) to {{service}};
