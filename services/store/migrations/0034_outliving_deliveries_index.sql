-- Deliveries that have outlived their session, until they are made or given up.
create index if not exists deliveries_outliving on deliveries (status) where session_id is null and event = 'conversation.finished';
