-- Questions that users keep under a name, to ask them again.

create table saved_views (
    id         integer primary key autoincrement,
    brand_id   integer not null references brands (id),
    owner_id   integer not null references users (id),
    name       text    not null,
    name_key   text    not null,
    kind       text    not null check (kind in ('pivot', 'filter')),
    -- What is asked, as JSON and as it was sent: words and ids, never names.
    definition text    not null,
    -- Whether the whole brand sees it, or its owner alone.
    shared     integer not null,
    version    integer not null,
    created_at integer not null,
    updated_at integer not null,
    unique (brand_id, owner_id, name_key)
) strict;
create index saved_views_by_name on saved_views (brand_id, name_key, id);
