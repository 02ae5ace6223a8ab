-- beside: 0038_last_received_runtime
-- The processes that serve or run jobs over this database, as each says of itself every few seconds. Nothing refers to them, and what a
-- process that was killed left behind is deleted after a while.

create table hosts (
    -- Random, anew at each start.
    id              text    collate "C" not null primary key,
    -- The name of the machine, which several processes may share.
    name            text    not null,
    role            text    not null check (role in ('serve', 'worker')),
    version         text    not null,
    -- The id of its installation key, which reveals nothing about the key.
    key_id          text    not null,
    -- By how much its clock is ahead of the clock of the database.
    clock_offset_us bigint  not null,
    -- The most connections that it opens to the server; 0 where there is none.
    max_connections bigint  not null,
    -- For how long changes have waited for the copy that is furthest behind; null while it follows none.
    feed_lag_us     bigint,
    started_at      bigint  not null,
    -- By the clock of the database, so that the clocks of hosts do not matter.
    seen_at         bigint  not null
);
