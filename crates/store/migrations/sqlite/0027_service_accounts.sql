-- Service accounts: programs that sign in as themselves. Each is also a user, so that what belongs to users can belong to it; such a user
-- has no email address and no password.

alter table users add column kind text not null default 'person' check (kind in ('person', 'service_account'));
create unique index service_accounts_by_name on users (brand_id, name_key)
    where kind = 'service_account' and state = 'active';

create table service_accounts (
    user_id     integer primary key references users (id),
    brand_id    integer not null references brands (id),
    expires_at  integer not null,
    archived_at integer
) strict;

-- Their tokens. An account has one that is current, and at times the one before it, which works until its expiry.
create table service_tokens (
    id           integer primary key autoincrement,
    brand_id     integer not null references brands (id),
    account_id   integer not null references service_accounts (user_id),
    hash         blob    not null unique,
    issued_at    integer not null,
    expires_at   integer not null,
    replaced_at  integer,
    last_used_at integer,
    ended_at     integer,
    ended_by     text check (ended_by in ('rotated', 'revoked'))
) strict;
create unique index service_tokens_current on service_tokens (account_id)
    where ended_at is null and replaced_at is null;
create unique index service_tokens_previous on service_tokens (account_id)
    where ended_at is null and replaced_at is not null;
create index service_tokens_of_brand on service_tokens (brand_id, id);
