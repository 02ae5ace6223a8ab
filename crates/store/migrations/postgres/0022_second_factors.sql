-- Second factors of users: a seed for codes that change with time, sealed, and recovery codes, hashed. A seed without
-- confirmed_at has been shown and not yet been used.

create table second_factors (
    user_id      bigint  primary key references users (id),
    secret       bytea   not null,
    last_step    bigint  not null,
    created_at   bigint  not null,
    confirmed_at bigint
);

create table recovery_codes (
    user_id bigint  not null references users (id),
    hash    bytea   not null,
    used_at bigint,
    primary key (user_id, hash)
);

-- The roles that must have one, as words with commas between them.
alter table brands add column second_factor_roles text not null default '';
