-- The signature that a request with an Idempotency-Key came with: the same request again is a repetition, and no signature that was used.
alter table idempotency_keys add column signature bytea;
