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
-- Done ones are many and never asked for: each index holds only what its question is about.
create index jobs_waiting on jobs (run_at, id) where state = 'waiting';
create index jobs_running on jobs (leased_until, id) where state = 'running';
create index jobs_finished on jobs (finished_at) where finished_at is not null;
create index jobs_not_done on jobs (state) where state <> 'done';

-- Periodic work: whoever writes the row of a tick does the work of that tick.
create table job_slots (
    reconciler text    not null,
    slot       integer not null,
    taken_at   integer not null,
    primary key (reconciler, slot)
) strict, without rowid;
