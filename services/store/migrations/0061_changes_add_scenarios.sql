-- People have conversations added to the scenarios of their agent. The release before lists such changes and makes none.
alter table agent_changes drop constraint agent_changes_kind_check;
alter table agent_changes add constraint agent_changes_kind_check check (kind in ('prompt', 'webhook', 'scenario')) not valid;
