-- What the agent has begun to say to this text and not stored as a reply yet: {epoch, segment, content, told, complete}. `told` counts
-- the characters that the person has heard or was sent. A host that takes over goes on from it. Null once the turn is closed.
alter table messages add column draft jsonb;
