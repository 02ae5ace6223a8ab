-- When a runtime report was last received: later than at first if it has grown since. Null for what was stored before.
alter table runtime_reports add column last_received_at integer;
