-- Visits, and finding a visitor again by their email.

alter table people add column email_key text;
update people set email_key = lower(email) where email is not null;
create index people_by_email on people (brand_id, email_key);

create table visitor_sessions (
    id                  integer primary key autoincrement,
    brand_id            integer not null references brands (id),
    person_id           integer not null references people (id),
    tag_assignment_id   integer not null unique references tag_assignments (id),
    company             text,
    notes               text,
    expected_until      integer,
    checked_in_at       integer not null,
    checked_in_by_kind  text    not null,
    checked_in_by_id    integer not null,
    checked_out_at      integer,
    checked_out_by_kind text,
    checked_out_by_id   integer,
    created_at          integer not null,
    updated_at          integer not null,
    check (checked_out_at is null or checked_out_at >= checked_in_at)
) strict;
create unique index visitor_sessions_active on visitor_sessions (person_id) where checked_out_at is null;
create index visitor_sessions_of_brand on visitor_sessions (brand_id, id);
