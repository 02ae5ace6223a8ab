-- Alerts: rules, their firings, and who was told.

create table alert_rules (
    id                integer primary key autoincrement,
    brand_id          integer not null references brands (id),
    -- Who made it, and since when that person no longer can: then it belongs to the admins.
    owner_id          integer not null references users (id),
    owner_left_at     integer,
    name              text    not null,
    name_key          text    not null,
    metric            text    not null check (metric in ('incursions', 'unacknowledged_incursions', 'acknowledgement_rate',
        'incursions_per_runtime_hour', 'long_incursion', 'repeat_pair', 'tag_test_overdue', 'tag_battery_low',
        'base_station_silent', 'visitor_overstay', 'drift')),
    comparison        text    not null check (comparison in ('above', 'below')),
    -- Millionths of the metric's unit.
    threshold         integer not null,
    -- Minutes of a rolling window, or the calendar unit; neither for metrics without a window.
    window_minutes    integer check (window_minutes between 5 and 43200),
    window_unit       text    check (window_unit in ('day', 'week')),
    minimum_count     integer,
    -- Ids as JSON, never names.
    scope             text    not null,
    split_by          text    not null check (split_by in ('none', 'project', 'worksite', 'machine', 'base_station', 'person', 'tag',
        'pair')),
    -- JSON; null for all hours.
    active_hours      text,
    outside_hours     text    not null check (outside_hours in ('hold', 'drop')),
    cool_down_minutes integer not null check (cool_down_minutes between 0 and 10080),
    severity          text    not null check (severity in ('info', 'warning', 'critical')),
    notify_on_clear   integer not null,
    enabled           integer not null,
    -- The projects it may see: all, or the rows of alert_rule_projects.
    all_projects      integer not null,
    status            text    not null check (status in ('ok', 'firing', 'no_data', 'stopped', 'disabled')),
    status_reason     text,
    judged_at         integer,
    deleted_at        integer,
    version           integer not null,
    created_at        integer not null,
    updated_at        integer not null,
    check (window_minutes is null or window_unit is null)
) strict;
create unique index alert_rules_of_brand on alert_rules (brand_id, id);
create index alert_rules_by_name on alert_rules (brand_id, name_key, id) where deleted_at is null;
create index alert_rules_of_owner on alert_rules (brand_id, owner_id) where deleted_at is null;

create table alert_rule_projects (
    brand_id   integer not null references brands (id),
    rule_id    integer not null,
    project_id integer not null,
    primary key (brand_id, rule_id, project_id),
    foreign key (brand_id, rule_id) references alert_rules (brand_id, id) on delete cascade
) strict, without rowid;

create table alert_recipients (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    rule_id         integer not null,
    -- A user, or an address.
    user_id         integer references users (id),
    email           text,
    email_key       text,
    unsubscribed_at integer,
    -- When the mail server refused the address, and with which code.
    refused_at      integer,
    refused_reason  text,
    check ((user_id is null) <> (email is null)),
    foreign key (brand_id, rule_id) references alert_rules (brand_id, id) on delete cascade
) strict;
create index alert_recipients_of_rule on alert_recipients (brand_id, rule_id, id);
create unique index alert_recipients_by_user on alert_recipients (brand_id, rule_id, user_id) where user_id is not null;
create unique index alert_recipients_by_address on alert_recipients (brand_id, rule_id, email_key) where email_key is not null;
create index alert_recipients_of_address on alert_recipients (brand_id, email_key) where email_key is not null;

-- How far the rules of a brand were evaluated, and which worker does it.
create table alert_cursors (
    brand_id      integer primary key references brands (id),
    -- Moves with every change of rules, recipients or firings that the evaluating worker did not make.
    rules_version integer not null,
    has_rules     integer not null,
    evaluated_seq integer not null,
    evaluated_at  integer,
    next_due_at   integer not null,
    worker        text,
    leased_until  integer not null,
    -- Moves with every takeover; what was read under another one is not written.
    fence         integer not null
) strict;
create index alert_cursors_due on alert_cursors (next_due_at) where has_rules;

create table alert_firings (
    id                integer primary key autoincrement,
    brand_id          integer not null references brands (id),
    rule_id           integer not null,
    -- What the rule had one firing each for: empty for all together.
    split_key         text    not null,
    project_id        integer,
    worksite_id       integer,
    machine_id        integer,
    base_station_id   integer,
    person_id         integer,
    tag_id            integer,
    visit_id          integer,
    -- The rule as it was then.
    metric            text    not null,
    comparison        text    not null,
    threshold         integer not null,
    severity          text    not null check (severity in ('info', 'warning', 'critical')),
    numerator         integer not null,
    denominator       integer not null,
    -- The value that was furthest beyond since.
    peak_numerator    integer not null,
    peak_denominator  integer not null,
    window_from       integer,
    window_to         integer not null,
    time_zone         text    not null,
    seq               integer not null,
    -- Ids of up to 20 incursions, newest first, as a JSON list; what else explains the value, as a JSON object.
    incursions        text    not null,
    details           text    not null,
    all_projects      integer not null,
    fired_at          integer not null,
    -- Outside active hours: until when nothing is told. Null if it was told at once, or never is.
    held_until        integer,
    -- Whether anybody was told, or will be.
    is_told           integer not null,
    no_data_since     integer,
    cleared_at        integer,
    clear_reason      text    check (clear_reason in ('recovered', 'no_data', 'rule_changed', 'rule_disabled', 'rule_deleted',
        'scope_archived', 'scope_changed', 'person_erased')),
    version           integer not null,
    created_at        integer not null,
    updated_at        integer not null,
    -- No cascade: a rule stays until its last firing is gone.
    foreign key (brand_id, rule_id) references alert_rules (brand_id, id)
) strict;
create unique index alert_firings_of_brand on alert_firings (brand_id, id);
create unique index alert_firings_open on alert_firings (brand_id, rule_id, split_key) where cleared_at is null;
create index alert_firings_of_rule on alert_firings (brand_id, rule_id, id);
create index alert_firings_cleared on alert_firings (brand_id, cleared_at) where cleared_at is not null;
create index alert_firings_of_machine on alert_firings (brand_id, machine_id) where cleared_at is null and machine_id is not null;
create index alert_firings_by_worksite on alert_firings (brand_id, worksite_id, id) where worksite_id is not null;
create index alert_firings_by_machine on alert_firings (brand_id, machine_id, id) where machine_id is not null;
create index alert_firings_by_person on alert_firings (brand_id, person_id, id) where person_id is not null;

create table alert_firing_projects (
    brand_id   integer not null references brands (id),
    firing_id  integer not null,
    project_id integer not null,
    primary key (brand_id, firing_id, project_id),
    foreign key (brand_id, firing_id) references alert_firings (brand_id, id) on delete cascade
) strict, without rowid;

-- What is told at once. One that waits is held until active hours begin, or collects what would be too many mails.
create table alert_messages (
    id         integer primary key autoincrement,
    brand_id   integer not null references brands (id),
    rule_id    integer not null,
    kind       text    not null check (kind in ('single', 'held', 'digest', 'test')),
    state      text    not null check (state in ('waiting', 'released', 'dropped')),
    send_at    integer not null,
    created_at integer not null,
    foreign key (brand_id, rule_id) references alert_rules (brand_id, id) on delete cascade
) strict;
create unique index alert_messages_of_brand on alert_messages (brand_id, id);
create unique index alert_messages_waiting on alert_messages (brand_id, rule_id, kind) where state = 'waiting';
create index alert_messages_due on alert_messages (brand_id, send_at) where state = 'waiting';
create index alert_messages_of_rule on alert_messages (brand_id, rule_id, send_at);

create table alert_message_events (
    brand_id   integer not null references brands (id),
    message_id integer not null,
    firing_id  integer not null,
    event      text    not null check (event in ('fired', 'cleared')),
    primary key (brand_id, message_id, firing_id, event),
    foreign key (brand_id, message_id) references alert_messages (brand_id, id) on delete cascade,
    foreign key (brand_id, firing_id) references alert_firings (brand_id, id) on delete cascade
) strict, without rowid;
create index alert_message_events_of_firing on alert_message_events (brand_id, firing_id);

create table webhooks (
    id                integer primary key autoincrement,
    brand_id          integer not null references brands (id),
    name              text    not null,
    name_key          text    not null,
    url               text    not null,
    -- Whether it gets the events of all rules, or only of those in webhook_rules.
    all_rules         integer not null,
    -- Sealed. Null if the installation key was lost, until it is rotated.
    secret            blob,
    secret_since      integer not null,
    -- The one before, until its time is over.
    old_secret        blob,
    old_secret_until  integer,
    disabled_at       integer,
    disabled_reason   text    check (disabled_reason in ('by_user', 'failing', 'gone', 'key_lost')),
    last_success_at   integer,
    last_failure_at   integer,
    version           integer not null,
    created_at        integer not null,
    updated_at        integer not null
) strict;
create unique index webhooks_of_brand on webhooks (brand_id, id);
create index webhooks_by_name on webhooks (brand_id, name_key, id);

create table webhook_rules (
    brand_id   integer not null references brands (id),
    webhook_id integer not null,
    rule_id    integer not null,
    primary key (brand_id, webhook_id, rule_id),
    foreign key (brand_id, webhook_id) references webhooks (brand_id, id) on delete cascade,
    foreign key (brand_id, rule_id) references alert_rules (brand_id, id) on delete cascade
) strict, without rowid;
create index webhook_rules_of_rule on webhook_rules (brand_id, rule_id);

-- One message to one recipient, or one event to one webhook.
create table alert_deliveries (
    id              integer primary key autoincrement,
    brand_id        integer not null references brands (id),
    message_id      integer,
    -- Null again when the recipient is gone.
    recipient_id    integer references alert_recipients (id) on delete set null,
    webhook_id      integer,
    -- For webhooks: the event, and its id for the receiver, which stays the same over retries.
    firing_id       integer,
    event           text    check (event in ('fired', 'cleared', 'test')),
    event_id        text,
    state           text    not null check (state in ('queued', 'sent', 'failed', 'suppressed')),
    reason          text,
    status_code     integer,
    attempts        integer not null,
    last_attempt_at integer,
    next_attempt_at integer,
    sent_at         integer,
    created_at      integer not null,
    updated_at      integer not null,
    foreign key (brand_id, message_id) references alert_messages (brand_id, id) on delete cascade,
    foreign key (brand_id, webhook_id) references webhooks (brand_id, id) on delete cascade,
    foreign key (brand_id, firing_id) references alert_firings (brand_id, id) on delete cascade
) strict;
create index alert_deliveries_of_message on alert_deliveries (brand_id, message_id);
create index alert_deliveries_of_webhook on alert_deliveries (brand_id, webhook_id, id) where webhook_id is not null;
create index alert_deliveries_of_firing on alert_deliveries (brand_id, firing_id) where firing_id is not null;
create index alert_deliveries_of_recipient on alert_deliveries (recipient_id) where recipient_id is not null;
create index alert_deliveries_queued on alert_deliveries (brand_id) where state = 'queued';

-- Open visits by their expected end: which of them are overdue.
create index visitor_sessions_expected on visitor_sessions (brand_id, expected_until)
    where checked_out_at is null and expected_until is not null;

-- Whether plain addresses and webhooks get names of people, or only such as "Person 7".
alter table brands add column alerts_show_names integer not null default false;
