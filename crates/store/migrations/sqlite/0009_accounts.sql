-- Links that mails carry: invitations and password resets. Only a hash is kept.

alter table users add column version integer not null default 1;

create table account_links (
    id         integer primary key autoincrement,
    brand_id   integer not null references brands (id),
    user_id    integer not null references users (id),
    purpose    text    not null check (purpose in ('invitation', 'password_reset')),
    hash       blob    not null unique,
    created_at integer not null,
    expires_at integer not null,
    used_at    integer
) strict;
create index account_links_of_user on account_links (user_id, purpose);
