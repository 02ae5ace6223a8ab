-- Tables that someone asked for as files. The files are objects.

create table exports (
    id            integer primary key autoincrement,
    brand_id      integer not null references brands (id),
    user_id       integer not null references users (id),
    kind          text    not null check (kind in ('pivot', 'incursions')),
    format        text    not null check (format in ('xlsx', 'csv', 'ndjson', 'parquet')),
    -- What was asked, as JSON: words and ids, never names.
    request       text    not null,
    state         text    not null check (state in ('queued', 'running', 'done', 'failed', 'expired')),
    reason        text,
    -- The job that makes it.
    job_id        integer,
    -- Moves each time it is begun, and when what was read so far must not be used.
    generation    integer not null,
    -- How many rows there will be, once that is known, and how many are written.
    rows_expected integer,
    rows_done     integer not null,
    -- The brand's last change that it knows of.
    seq           integer,
    -- The period, as it is shown: an instant or a day.
    from_cut      text    not null,
    to_cut        text    not null,
    -- What whoever asked saw when it was made: the projects as a JSON list, null for all, and whether people are named in it.
    projects      text,
    names_people  integer not null,
    file_name     text    not null,
    size_bytes    integer,
    sha256        blob,
    -- Which writing of it counts: part of the name of its object.
    upload        text,
    created_at    integer not null,
    updated_at    integer not null,
    finished_at   integer,
    expires_at    integer
) strict;
create index exports_of_user on exports (brand_id, user_id, id);
create index exports_unfinished on exports (brand_id, user_id) where state in ('queued', 'running');
create index exports_by_expiry on exports (expires_at) where state = 'done';
create index exports_that_name on exports (brand_id) where names_people and state in ('running', 'done');
