-- What a receiver was sent beside the body: people look at it to find out why a signature does not hold. Null for earlier attempts.
alter table delivery_attempts add column request_headers jsonb;
