-- Links that mails carry: invitations and password resets. The secret in a link is derived from its nonce under the
-- installation's key whenever its mail is written; what comes back is found by its hash.

alter table users add column version integer not null default 1;

create table account_links (
    id         integer primary key autoincrement,
    brand_id   integer not null references brands (id),
    user_id    integer not null references users (id),
    purpose    text    not null check (purpose in ('invitation', 'password_reset')),
    nonce      blob    not null,
    hash       blob    not null unique,
    created_by integer references users (id),
    created_at integer not null,
    expires_at integer not null,
    used_at    integer
) strict;
create index account_links_of_user on account_links (user_id, purpose);
