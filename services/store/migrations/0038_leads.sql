-- Which worker does what one of several is enough for: until when, unless it says so again, and the lock by which one knows that it lives.
create table leads (
  work text primary key,
  -- The key of the advisory lock that the process holds for its life.
  holder bigint not null,
  held_until timestamptz not null
);
grant select, insert, update, delete on leads to {{service}};
