-- The platform: what exists before a brand is known.

create table installation (
    id           integer primary key check (id = 1),
    store_id     text    not null,
    auth_version integer not null,
    audit_key    blob    not null,
    created_at   integer not null
) strict;

create table signing_keys (
    id         integer primary key autoincrement,
    kid        text    not null unique,
    secret     blob    not null,
    created_at integer not null,
    retired_at integer
) strict;

create table brands (
    id         integer primary key autoincrement,
    name       text    not null,
    name_key   text    not null unique,
    created_at integer not null,
    updated_at integer not null
) strict;

create table brand_counters (
    brand_id         integer primary key references brands (id),
    last_seq         integer not null,
    registry_version integer not null
) strict;

create table users (
    id            integer primary key autoincrement,
    brand_id      integer not null references brands (id),
    email         text    not null,
    email_key     text    not null unique,
    name          text    not null,
    name_key      text    not null,
    role          text    not null check (role in ('viewer', 'member', 'admin')),
    state         text    not null check (state in ('invited', 'active', 'deactivated')),
    password_hash text,
    restricted    integer not null,
    created_at    integer not null,
    updated_at    integer not null,
    last_login_at integer
) strict;
create index users_by_name on users (brand_id, name_key, id);

create table sessions (
    id            integer primary key autoincrement,
    brand_id      integer not null references brands (id),
    user_id       integer not null references users (id),
    kind          text    not null check (kind in ('cookie', 'jwt')),
    secret        blob    not null unique,
    generation    integer not null,
    refreshed_at  integer not null,
    created_at    integer not null,
    last_used_at  integer not null,
    expires_at    integer not null,
    ended_at      integer,
    address       text    not null
) strict;
create index sessions_of_user on sessions (user_id, ended_at);
create index sessions_by_expiry on sessions (expires_at);

create table device_tokens (
    id           integer primary key autoincrement,
    brand_id     integer not null references brands (id),
    kind         text    not null check (kind in ('tester', 'station', 'gateway')),
    device_id    integer not null,
    hash         blob    not null unique,
    hint         text    not null,
    issued_at    integer not null,
    last_used_at integer,
    ended_at     integer,
    ended_by     text check (ended_by in ('rotated', 'revoked'))
) strict;
create unique index device_tokens_live on device_tokens (kind, device_id) where ended_at is null;
create index device_tokens_of_brand on device_tokens (brand_id, id);

create table login_refusals (
    account_key text    not null,
    address     text    not null,
    minute      integer not null,
    refusals    integer not null,
    audited     integer not null,
    forgiven    integer not null,
    primary key (account_key, address, minute)
) strict, without rowid;
create index login_refusals_by_minute on login_refusals (minute);

-- The audit log. Rows are never changed; what may have to be erased stands in audit_texts, and the chain in audit_seals.

create table audit_log (
    id            integer primary key autoincrement,
    brand_id      integer,
    at            integer not null,
    actor_kind    text    not null,
    actor_id      integer,
    action        text    not null,
    target_kind   text    not null,
    target_id     integer,
    details       text    not null,
    personal_hash blob,
    address       text,
    request_id    text
) strict;
create index audit_log_of_brand on audit_log (brand_id, id);

create trigger audit_log_is_never_changed before update on audit_log
begin
    select raise(abort, 'the audit log is append-only');
end;
create trigger audit_log_is_never_deleted before delete on audit_log
begin
    select raise(abort, 'the audit log is append-only');
end;

create table audit_texts (
    audit_id integer primary key references audit_log (id),
    text     text not null
) strict;

create table audit_chains (
    chain    integer primary key,
    position integer not null,
    head     blob    not null
) strict;

create table audit_seals (
    chain    integer not null,
    position integer not null,
    audit_id integer not null unique references audit_log (id),
    hash     blob    not null,
    primary key (chain, position)
) strict, without rowid;

create table audit_unsealed (
    audit_id integer primary key references audit_log (id)
) strict;

-- Answers to writes that carried an Idempotency-Key, so that a repeat gets the same one.

create table idempotency_keys (
    caller     text    not null,
    operation  text    not null,
    key        text    not null,
    body_hash  blob    not null,
    status     integer not null,
    location   text,
    answer     text    not null,
    created_at integer not null,
    primary key (caller, operation, key)
) strict, without rowid;
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- What belongs to a brand.

create table projects (
    id          integer primary key autoincrement,
    brand_id    integer not null references brands (id),
    name        text    not null,
    name_key    text    not null,
    code        text,
    version     integer not null,
    created_at  integer not null,
    updated_at  integer not null,
    archived_at integer
) strict;
create index projects_by_name on projects (brand_id, name_key, id);

create table user_projects (
    user_id    integer not null references users (id),
    project_id integer not null references projects (id),
    primary key (user_id, project_id)
) strict, without rowid;

create table tester_devices (
    id         integer primary key autoincrement,
    brand_id   integer not null references brands (id),
    name       text    not null,
    name_key   text    not null,
    created_at integer not null,
    updated_at integer not null,
    unique (brand_id, name_key)
) strict;

create table base_stations (
    id         integer primary key autoincrement,
    brand_id   integer not null references brands (id),
    serial     text    not null,
    serial_key text    not null,
    created_at integer not null,
    updated_at integer not null,
    unique (brand_id, serial_key)
) strict;

create table gateways (
    id         integer primary key autoincrement,
    brand_id   integer not null references brands (id),
    name       text    not null,
    name_key   text    not null,
    created_at integer not null,
    updated_at integer not null,
    unique (brand_id, name_key)
) strict;

create table people (
    id          integer primary key autoincrement,
    brand_id    integer not null references brands (id),
    kind        text    not null check (kind in ('staff', 'visitor')),
    name        text    not null,
    name_key    text    not null,
    employee_id text,
    email       text,
    company     text,
    created_at  integer not null,
    updated_at  integer not null,
    archived_at integer
) strict;
create index people_by_name on people (brand_id, name_key, id);
