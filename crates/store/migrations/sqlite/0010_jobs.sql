-- Work that outlives its request. A job is enqueued in the caller's transaction, claimed under a lease and a fencing
-- number, and kept until it is done or has failed for good.

create table jobs (
    id           integer primary key autoincrement,
    kind         text    not null,
    payload      text    not null,
    state        text    not null check (state in ('waiting', 'running', 'done', 'failed')),
    attempts     integer not null,
    fence        integer not null,
    run_at       integer not null,
    leased_until integer,
    worker       text,
    last_error   text,
    brand_id     integer references brands (id),
    created_at   integer not null,
    updated_at   integer not null,
    finished_at  integer
) strict;
create index jobs_to_claim on jobs (state, run_at, id);
create index jobs_leased on jobs (state, leased_until);

create table job_slots (
    reconciler text    not null,
    slot       integer not null,
    taken_at   integer not null,
    primary key (reconciler, slot)
) strict, without rowid;
