-- Where a person opens the proposal at the Git host; null where that is not known.
alter table agent_changes add column link text;
