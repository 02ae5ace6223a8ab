-- The user to whom a token was shown. If its account gets more access, tokens of others end. None for those of the command line and for
-- earlier ones.
alter table service_tokens add column issued_by bigint references users (id);
