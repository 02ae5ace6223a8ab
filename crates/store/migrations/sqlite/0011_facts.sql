-- Facts: what base stations notice and tell, and what is told to them. They come in by the thousand, so their tables carry no
-- foreign keys, words of small closed sets are numbers, and each has as few indexes as its questions need.

create table incursions (
    id              integer primary key autoincrement,
    brand_id        integer not null,
    seq             integer not null,
    base_station_id integer not null,
    uid             text    not null,
    tag_id          integer not null,
    operator_tag_id integer,
    started_at      integer not null,
    ended_at        integer,
    -- When it was given up waiting for an end.
    closed_at       integer,
    acknowledged_at integer,
    -- 1 warning, 2 danger.
    zone            integer not null,
    closest_cm      integer,
    -- Ten-millionths of a degree.
    lat_e7          integer,
    lon_e7          integer,
    machine_id      integer,
    pedestrian_id   integer,
    operator_id     integer,
    worksite_id     integer,
    project_id      integer,
    -- Of the site's own clock: days since 1970, minutes since Monday 0:00.
    local_day       integer not null,
    local_minute    integer not null,
    -- H3, resolution 13.
    cell            integer,
    -- 0 unreviewed, 1 confirmed, 2 dismissed, 3 false_detection.
    review          integer not null,
    received_at     integer not null
) strict;
create unique index incursions_by_uid on incursions (brand_id, base_station_id, uid);
create unique index incursions_by_seq on incursions (brand_id, seq);
create index incursions_by_time on incursions (brand_id, started_at, id);
create index incursions_of_station on incursions (brand_id, base_station_id, started_at, id);
create index incursions_of_tag on incursions (brand_id, tag_id, started_at, id);

-- What a change replaced: the row as it was under `seq`, until `replaced_seq`.
create table incursion_history (
    id              integer primary key autoincrement,
    brand_id        integer not null,
    incursion_id    integer not null,
    seq             integer not null,
    replaced_seq    integer not null,
    replaced_at     integer not null,
    cause           text    not null check (cause in ('report', 'attribution', 'review', 'closing')),
    ended_at        integer,
    closed_at       integer,
    acknowledged_at integer,
    zone            integer not null,
    closest_cm      integer,
    lat_e7          integer,
    lon_e7          integer,
    operator_tag_id integer,
    machine_id      integer,
    pedestrian_id   integer,
    operator_id     integer,
    worksite_id     integer,
    project_id      integer,
    local_day       integer not null,
    local_minute    integer not null,
    cell            integer,
    review          integer not null
) strict;
create index incursion_history_of_incursion on incursion_history (brand_id, incursion_id, seq);
create index incursion_history_by_seq on incursion_history (brand_id, replaced_seq);

create table incursion_reviews (
    id           integer primary key autoincrement,
    brand_id     integer not null,
    incursion_id integer not null,
    seq          integer not null,
    review       integer not null,
    comment      text,
    user_id      integer not null,
    created_at   integer not null
) strict;
create index incursion_reviews_of_incursion on incursion_reviews (brand_id, incursion_id, id);

-- Ignition on, as it was reported. An operator tag of 0 is none: it is part of the key.
create table runtime_reports (
    brand_id        integer not null,
    base_station_id integer not null,
    started_at      integer not null,
    operator_tag_id integer not null,
    ended_at        integer not null,
    received_at     integer not null,
    primary key (brand_id, base_station_id, started_at, operator_tag_id)
) strict;

-- The same, cut at local hours and wherever a link changes, without overlaps. A piece of no length is gone.
create table runtime_pieces (
    id              integer primary key autoincrement,
    brand_id        integer not null,
    seq             integer not null,
    base_station_id integer not null,
    started_at      integer not null,
    ended_at        integer not null,
    operator_tag_id integer,
    machine_id      integer,
    operator_id     integer,
    worksite_id     integer,
    project_id      integer,
    local_day       integer not null,
    local_hour      integer not null
) strict;
create unique index runtime_pieces_of_station on runtime_pieces (brand_id, base_station_id, started_at);
create unique index runtime_pieces_by_seq on runtime_pieces (brand_id, seq);
create index runtime_pieces_by_time on runtime_pieces (brand_id, started_at, id);

create table runtime_history (
    id              integer primary key autoincrement,
    brand_id        integer not null,
    piece_id        integer not null,
    seq             integer not null,
    replaced_seq    integer not null,
    replaced_at     integer not null,
    ended_at        integer not null,
    operator_tag_id integer,
    machine_id      integer,
    operator_id     integer,
    worksite_id     integer,
    project_id      integer,
    local_day       integer not null,
    local_hour      integer not null
) strict;
create index runtime_history_of_piece on runtime_history (brand_id, piece_id, seq);
create index runtime_history_by_seq on runtime_history (brand_id, replaced_seq);

-- Positions, compressed, a quarter of an hour in a row: they are only ever read by station and time.
create table gps_chunks (
    id              integer primary key autoincrement,
    brand_id        integer not null,
    base_station_id integer not null,
    -- Quarters of an hour since 1970.
    quarter         integer not null,
    fixes           integer not null,
    first_at        integer not null,
    last_at         integer not null,
    bytes           blob    not null
) strict;
create unique index gps_chunks_of_station on gps_chunks (brand_id, base_station_id, quarter);
create index gps_chunks_by_time on gps_chunks (brand_id, quarter);

-- Where each station was last.
create table station_positions (
    base_station_id integer primary key,
    brand_id        integer not null,
    at              integer not null,
    lat_e7          integer not null,
    lon_e7          integer not null
) strict;
create index station_positions_of_brand on station_positions (brand_id, base_station_id);

-- Alarms, logs, states, batteries, tests and receipts.
create table device_events (
    id              integer primary key autoincrement,
    brand_id        integer not null,
    base_station_id integer not null,
    kind            text    not null check (kind in ('status', 'alarm', 'log', 'tag_battery', 'tag_test', 'receipt')),
    uid             text    not null,
    at              integer not null,
    -- Of alarms and logs.
    code            text,
    severity        text    check (severity in ('info', 'warning', 'error', 'critical')),
    text            text,
    -- Of batteries and tests.
    tag_id          integer,
    -- What else was said, as JSON.
    details         text    not null,
    received_at     integer not null
) strict;
create unique index device_events_by_uid on device_events (brand_id, base_station_id, kind, uid);
create index device_events_of_station on device_events (brand_id, base_station_id, at, id);
create index device_events_by_time on device_events (brand_id, at);

alter table tag_tests add column base_station_id integer references base_stations (id);
-- When it last held `battery_percent`: reports come late and in any order.
alter table tags add column battery_at integer;

-- Text to a cab. Its state follows from its times.
create table messages (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    base_station_id integer not null references base_stations (id),
    body            text    not null,
    sent_by         integer not null references users (id),
    queued_at       integer not null,
    expires_at      integer not null,
    delivered_at    integer,
    displayed_at    integer,
    acknowledged_at integer,
    updated_at      integer not null
) strict;
create index messages_of_station on messages (brand_id, base_station_id, queued_at, id);
create index messages_waiting on messages (brand_id, base_station_id, expires_at) where delivered_at is null;

create table video_clips (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    base_station_id integer not null references base_stations (id),
    incursion_id    integer,
    -- The project of its time, by which it is seen.
    project_id      integer,
    camera          text    not null,
    from_at         integer not null,
    to_at           integer not null,
    state           text    not null check (state in ('requested', 'uploading', 'available', 'expired', 'failed')),
    reason          text,
    content_type    text,
    size_bytes      integer,
    sha256          blob,
    -- Which upload brought its bytes: part of the name of their object.
    upload          text,
    requested_by    integer not null references users (id),
    -- When the station first heard of it.
    fetched_at      integer,
    available_at    integer,
    -- When it is given up if no video came; how long video is kept is the brand's to say.
    expires_at      integer not null,
    version         integer not null,
    created_at      integer not null,
    updated_at      integer not null
) strict;
create index video_clips_of_station on video_clips (brand_id, base_station_id, id);
create index video_clips_of_brand on video_clips (brand_id, id);
create index video_clips_of_incursion on video_clips (brand_id, incursion_id) where incursion_id is not null;
create index video_clips_waiting on video_clips (brand_id, base_station_id, id) where state = 'requested';
create index video_clips_by_expiry on video_clips (expires_at) where state in ('requested', 'uploading');
create index video_clips_by_age on video_clips (brand_id, available_at) where state = 'available';

-- How long each kind of fact is kept; null is for ever.
alter table brands add column keep_incursions_days integer check (keep_incursions_days between 1 and 36500);
alter table brands add column keep_runtime_days integer check (keep_runtime_days between 1 and 36500);
alter table brands add column keep_tracks_days integer default 400 check (keep_tracks_days between 1 and 36500);
alter table brands add column keep_events_days integer default 400 check (keep_events_days between 1 and 36500);
alter table brands add column keep_tests_days integer check (keep_tests_days between 1 and 36500);
alter table brands add column keep_video_days integer default 90 check (keep_video_days between 1 and 36500);

-- How far periodic work has come with a brand's facts, such as what was removed because of its age.
create table fact_marks (
    brand_id integer not null,
    mark     text    not null,
    at       integer not null,
    primary key (brand_id, mark)
) strict;
