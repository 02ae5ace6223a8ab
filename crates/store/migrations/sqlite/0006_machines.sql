-- Machines, and the worksites they are assigned to over time.

create table machines (
    id            integer primary key autoincrement,
    brand_id      integer not null references brands (id),
    name          text    not null,
    name_key      text    not null,
    kind          text    not null check (kind in ('excavator', 'loader', 'dump_truck', 'crane', 'roller', 'telehandler',
        'forklift', 'dozer', 'truck', 'other')),
    serial_number text,
    serial_key    text,
    manufacturer  text,
    model         text,
    year          integer check (year between 1900 and 2200),
    number_plate  text,
    version       integer not null,
    created_at    integer not null,
    updated_at    integer not null,
    archived_at   integer
) strict;
create index machines_by_name on machines (brand_id, name_key, id);
create unique index machines_by_serial on machines (brand_id, serial_key) where serial_key is not null;

create table machine_assignments (
    id          integer primary key autoincrement,
    brand_id    integer not null references brands (id),
    machine_id  integer not null references machines (id),
    worksite_id integer not null references worksites (id),
    from_at     integer not null,
    to_at       integer,
    created_at  integer not null,
    updated_at  integer not null,
    check (to_at is null or to_at > from_at)
) strict;
create unique index machine_assignments_open on machine_assignments (machine_id) where to_at is null;
create index machine_assignments_of_machine on machine_assignments (brand_id, machine_id, from_at);
create index machine_assignments_of_worksite on machine_assignments (brand_id, worksite_id, from_at);
