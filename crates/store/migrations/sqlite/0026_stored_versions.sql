-- The version of a created record, so that a repeated request also gets its ETag. Answers from before have none.
alter table idempotency_keys add column version integer;
