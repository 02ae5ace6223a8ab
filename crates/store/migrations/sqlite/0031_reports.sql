-- Reports: documents and tables that are made from figures. The figures and the files are objects.

create table reports (
    id             integer primary key autoincrement,
    brand_id       integer not null references brands (id),
    author_id      integer not null references users (id),
    kind           text    not null check (kind in ('site_safety', 'project_summary', 'machine', 'person', 'tag_test_compliance',
        'visitor_log', 'incursions', 'pivot', 'site_report')),
    format         text    not null check (format in ('pdf', 'xlsx', 'csv', 'json')),
    -- What it is about. The records may be gone, so they are not referenced.
    project_id     integer,
    worksite_id    integer,
    machine_id     integer,
    person_id      integer,
    schedule_id    integer,
    site_report_id integer,
    -- What was asked, as JSON: words and ids, never names.
    request        text    not null,
    -- The period, as it is shown: an instant or a day.
    from_cut       text    not null,
    to_cut         text    not null,
    state          text    not null check (state in ('queued', 'running', 'ready', 'failed', 'expired')),
    reason         text,
    percent        integer not null,
    -- The job that makes it.
    job_id         integer,
    -- Moves each time it is begun, and when what was read so far must not be used.
    generation     integer not null,
    -- Whether all projects went into it, or only those of report_projects; and whether it names people.
    all_projects   integer not null,
    names_people   integer not null,
    -- The brand's last change that the figures know of, the zones of their days as a JSON list, the program and the time that made them.
    seq            integer,
    time_zones     text,
    program        text,
    figures_at     integer,
    -- Which writing of the figures counts: part of the name of their object.
    figures_upload text,
    figures_bytes  integer,
    figures_sha256 blob,
    version        integer not null,
    created_at     integer not null,
    updated_at     integer not null,
    finished_at    integer,
    expires_at     integer
) strict;
create unique index reports_of_brand on reports (brand_id, id);
create index reports_unfinished on reports (brand_id, author_id) where state in ('queued', 'running');
create index reports_of_schedule on reports (brand_id, schedule_id, id) where schedule_id is not null;
create index reports_that_name on reports (brand_id) where names_people and state = 'running';
create index reports_by_expiry on reports (expires_at) where state = 'ready';

-- The projects whose facts went into a report. Whoever does not see all of them does not see the report.
create table report_projects (
    brand_id   integer not null references brands (id),
    report_id  integer not null,
    project_id integer not null,
    primary key (brand_id, report_id, project_id),
    foreign key (brand_id, report_id) references reports (brand_id, id) on delete cascade
) strict, without rowid;

-- The people whom the files of a report name, so that erasing one finds them.
create table report_people (
    brand_id  integer not null references brands (id),
    person_id integer not null,
    report_id integer not null,
    primary key (brand_id, person_id, report_id),
    foreign key (brand_id, report_id) references reports (brand_id, id) on delete cascade
) strict, without rowid;
create index report_people_of_report on report_people (brand_id, report_id);

-- The files that were made from the figures, one for each format.
create table report_files (
    brand_id   integer not null references brands (id),
    report_id  integer not null,
    format     text    not null check (format in ('pdf', 'xlsx', 'csv', 'json')),
    size_bytes integer not null,
    sha256     blob    not null,
    -- Which writing of it counts: part of the name of its object.
    upload     text    not null,
    created_at integer not null,
    primary key (brand_id, report_id, format),
    foreign key (brand_id, report_id) references reports (brand_id, id) on delete cascade
) strict, without rowid;

-- Reports that are made and mailed by themselves.
create table report_schedules (
    id               integer primary key autoincrement,
    brand_id         integer not null references brands (id),
    author_id        integer not null references users (id),
    name             text    not null,
    name_key         text    not null,
    kind             text    not null check (kind in ('site_safety', 'project_summary', 'machine', 'person', 'tag_test_compliance',
        'visitor_log', 'incursions', 'pivot')),
    format           text    not null check (format in ('pdf', 'xlsx', 'csv', 'json')),
    -- What is asked, as JSON and without a period: words and ids, never names.
    request          text    not null,
    period           text    not null check (period in ('previous_day', 'previous_week', 'previous_month', 'last_7_days', 'last_28_days')),
    cadence          text    not null check (cadence in ('daily', 'weekly', 'monthly')),
    -- 1 is Monday; for weekly ones.
    weekday          integer check (weekday between 1 and 7),
    -- For monthly ones.
    day_of_month     integer check (day_of_month between 1 and 28),
    minute_of_day    integer not null check (minute_of_day between 0 and 1439),
    -- The worksite by whose clock it runs; null for the brand's.
    zone_worksite_id integer,
    paused_reason    text    check (paused_reason in ('by_user', 'author_deactivated', 'permission_missing', 'no_recipients')),
    -- The next slot; null while it is paused.
    next_run_at      integer,
    -- The last slot that was run, when it was run, and its report.
    last_slot_at     integer,
    last_run_at      integer,
    last_report_id   integer,
    version          integer not null,
    created_at       integer not null,
    updated_at       integer not null
) strict;
create index report_schedules_by_name on report_schedules (brand_id, name_key, id);
create index report_schedules_due on report_schedules (next_run_at, id) where next_run_at is not null;

create table report_recipients (
    id          integer primary key autoincrement,
    brand_id    integer not null references brands (id),
    schedule_id integer not null references report_schedules (id) on delete cascade,
    email       text    not null,
    email_key   text    not null,
    unique (brand_id, schedule_id, email_key)
) strict;
create index report_recipients_by_email on report_recipients (brand_id, email_key);

-- Written site reports: facts, and the sentences that rest on them. Names of people and machines are ids in both.
create table site_reports (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    author_id       integer not null references users (id),
    worksite_id     integer not null,
    language        text    not null check (language in ('en', 'de')),
    from_cut        text    not null,
    to_cut          text    not null,
    state           text    not null check (state in ('queued', 'running', 'ready', 'failed', 'expired')),
    reason          text,
    percent         integer not null,
    job_id          integer,
    generation      integer not null,
    all_projects    integer not null,
    seq             integer,
    time_zones      text,
    facts           text,
    sentences       text,
    generator       text    check (generator in ('rules', 'model')),
    -- What was done with the answers of the model, as JSON; why the rules wrote it although a model is configured.
    checks          text,
    fallback_reason text,
    model           text,
    prompt_sha256   blob,
    program         text,
    version         integer not null,
    created_at      integer not null,
    updated_at      integer not null,
    finished_at     integer,
    expires_at      integer
) strict;
create unique index site_reports_of_brand on site_reports (brand_id, id);
create index site_reports_unfinished on site_reports (brand_id, author_id) where state in ('queued', 'running');
create index site_reports_by_expiry on site_reports (expires_at) where state = 'ready';

create table site_report_projects (
    brand_id       integer not null references brands (id),
    site_report_id integer not null,
    project_id     integer not null,
    primary key (brand_id, site_report_id, project_id),
    foreign key (brand_id, site_report_id) references site_reports (brand_id, id) on delete cascade
) strict, without rowid;

-- Whether names of people go to the language model of the installation, or only roles such as "operator A".
alter table brands add column ai_sees_names integer not null default false;
