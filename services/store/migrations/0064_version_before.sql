-- What was live just before: going back makes an old version the live one, so that the order of first lives tells something else. The
-- release before leaves it as it is.
alter table agents add column version_before text;
