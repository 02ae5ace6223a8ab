-- What people at a desk do: change, correct, erase, and note.

alter table people add column version integer not null default 1;
alter table people add column erased_at integer;
create index people_by_id on people (brand_id, id);

alter table tags add column last_seen_at integer;

alter table tag_assignments add column version integer not null default 1;
create index tag_assignments_by_time on tag_assignments (brand_id, tag_id, assigned_at);

alter table visitor_sessions add column worksite_id integer references worksites (id);
alter table visitor_sessions add column version integer not null default 1;
create index visitor_sessions_of_person on visitor_sessions (brand_id, person_id, id);

create table notes (
    id          integer primary key autoincrement,
    brand_id    integer not null references brands (id),
    entity_type text    not null check (entity_type in ('person', 'machine')),
    entity_id   integer not null,
    author_id   integer not null references users (id),
    body        text    not null,
    created_at  integer not null
) strict;
create index notes_of_entity on notes (brand_id, entity_type, entity_id, id);

-- Whom an answer that is kept for repeats names, so that it can be found when that person is erased.
alter table idempotency_keys add column person_id integer;
create index idempotency_keys_of_person on idempotency_keys (person_id) where person_id is not null;
create index audit_log_of_target on audit_log (brand_id, target_kind, target_id);
