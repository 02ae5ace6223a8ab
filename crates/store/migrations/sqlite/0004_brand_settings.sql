-- What a brand can set for itself.

alter table brands add column date_format text not null default 'DD/MM/YYYY' check (date_format in ('DD/MM/YYYY', 'MM/DD/YYYY'));
alter table brands add column time_zone text not null default 'UTC';
alter table brands add column locale text not null default 'en';
alter table brands add column test_interval_days integer not null default 7 check (test_interval_days between 1 and 365);
alter table brands add column low_battery_percent integer not null default 20 check (low_battery_percent between 0 and 100);
alter table brands add column critical_battery_percent integer not null default 10 check (critical_battery_percent between 0 and 100);
alter table brands add column silence_limit_hours integer not null default 24 check (silence_limit_hours between 1 and 8760);
alter table brands add column closes_visits integer not null default false;
alter table brands add column visit_limit_minutes integer not null default 60 check (visit_limit_minutes between 0 and 43200);
alter table brands add column viewers_see_names integer not null default false;
alter table brands add column version integer not null default 1;

create table brand_logos (
    brand_id     integer primary key references brands (id),
    content_type text    not null,
    bytes        blob    not null,
    hash         blob    not null,
    updated_at   integer not null
) strict;
