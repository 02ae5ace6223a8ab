-- Base stations: what they tell of themselves, the machines they were installed on, the sizes of their zones.

alter table base_stations add column name text;
alter table base_stations add column name_key text;
alter table base_stations add column firmware text;
alter table base_stations add column cameras text not null default '[]';
alter table base_stations add column faults text not null default '[]';
alter table base_stations add column faulty_since integer;
alter table base_stations add column last_seen_at integer;
alter table base_stations add column told_at integer;
alter table base_stations add column online_since integer;
alter table base_stations add column version integer not null default 1;

create table installations (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    base_station_id integer not null references base_stations (id),
    machine_id      integer not null references machines (id),
    from_at         integer not null,
    to_at           integer,
    created_at      integer not null,
    updated_at      integer not null,
    check (to_at is null or to_at > from_at)
) strict;
create unique index installations_open_of_station on installations (base_station_id) where to_at is null;
create unique index installations_open_of_machine on installations (machine_id) where to_at is null;
create index installations_of_station on installations (brand_id, base_station_id, from_at);
create index installations_of_machine on installations (brand_id, machine_id, from_at);

create table base_station_zones (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    base_station_id integer not null references base_stations (id),
    antenna         text    not null,
    warning_cm      integer not null check (warning_cm between 0 and 10000),
    danger_cm       integer not null check (danger_cm between 0 and 10000),
    from_at         integer not null,
    to_at           integer,
    created_at      integer not null,
    check (to_at is null or to_at > from_at)
) strict;
create unique index base_station_zones_open on base_station_zones (base_station_id, antenna) where to_at is null;
create index base_station_zones_of_station on base_station_zones (brand_id, base_station_id, from_at);

alter table gateways add column version integer not null default 1;
alter table tester_devices add column serial text;
alter table tester_devices add column worksite_id integer references worksites (id);
alter table tester_devices add column version integer not null default 1;
