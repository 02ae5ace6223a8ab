-- When a session last showed its password; and passwords that were made for someone, which they have to change.

alter table sessions add column proven_at bigint not null default 0;
update sessions set proven_at = created_at;

alter table users add column password_change_due boolean not null default false;
alter table users add column password_expires_at bigint;
