-- Second factors of users: a seed for codes that change with time, sealed, and recovery codes, hashed. A seed without
-- confirmed_at has been shown and not yet been used.

create table second_factors (
    user_id      integer primary key references users (id),
    secret       blob    not null,
    last_step    integer not null,
    created_at   integer not null,
    confirmed_at integer
) strict;

create table recovery_codes (
    user_id integer not null references users (id),
    hash    blob    not null,
    used_at integer,
    primary key (user_id, hash)
) strict, without rowid;

-- The roles that must have one, as words with commas between them.
alter table brands add column second_factor_roles text not null default '';
