-- Whoever frees the sessions of a host that is gone closes its agents' intervals (release_host).
grant update (left_at, left_by) on presence to {{locator}};
