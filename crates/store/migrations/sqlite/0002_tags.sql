-- Tags, and who wears them.

create table tags (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    serial          text    not null,
    serial_key      text    not null,
    role            text    not null check (role in ('pedestrian', 'operator')),
    battery_percent integer check (battery_percent between 0 and 100),
    version         integer not null,
    created_at      integer not null,
    updated_at      integer not null,
    retired_at      integer,
    unique (brand_id, serial_key)
) strict;

create table tag_assignments (
    id               integer primary key autoincrement,
    brand_id         integer not null references brands (id),
    tag_id           integer not null references tags (id),
    person_id        integer not null references people (id),
    assigned_at      integer not null,
    assigned_by_kind text    not null,
    assigned_by_id   integer not null,
    ended_at         integer,
    ended_by_kind    text,
    ended_by_id      integer,
    created_at       integer not null,
    updated_at       integer not null,
    check (ended_at is null or ended_at >= assigned_at)
) strict;
create unique index tag_assignments_open on tag_assignments (tag_id) where ended_at is null;
create index tag_assignments_of_brand on tag_assignments (brand_id, id);
create index tag_assignments_of_tag on tag_assignments (brand_id, tag_id, id);
create index tag_assignments_of_person on tag_assignments (brand_id, person_id, id);

create table tag_tests (
    id               integer primary key autoincrement,
    brand_id         integer not null references brands (id),
    tag_id           integer not null references tags (id),
    tester_device_id integer references tester_devices (id),
    person_id        integer references people (id),
    tested_at        integer not null,
    passed           integer not null,
    battery_percent  integer check (battery_percent between 0 and 100),
    created_at       integer not null
) strict;
create index tag_tests_of_tag on tag_tests (brand_id, tag_id, tested_at, id);
