-- The slot of the next run. The run can be later than the slot: it waits until the days of its report are over in all time zones.
alter table report_schedules add column next_slot_at integer;
update report_schedules set next_slot_at = next_run_at;

-- How far the last run has come, and why it failed.
alter table report_schedules add column last_run_state text check (last_run_state in ('running', 'done', 'failed'));
alter table report_schedules add column last_run_reason text;
update report_schedules set
    last_run_state = (select case r.state when 'queued' then 'running' when 'running' then 'running' when 'failed' then 'failed'
        else 'done' end from reports r where r.brand_id = report_schedules.brand_id and r.id = report_schedules.last_report_id),
    last_run_reason = (select r.reason from reports r where r.brand_id = report_schedules.brand_id
        and r.id = report_schedules.last_report_id and r.state = 'failed')
where last_report_id is not null;

-- The runs whose report is being made, until their schedule says how they ended.
create table report_schedule_runs (
    brand_id    integer not null references brands (id),
    report_id   integer not null,
    schedule_id integer not null references report_schedules (id) on delete cascade,
    primary key (brand_id, report_id),
    foreign key (brand_id, report_id) references reports (brand_id, id) on delete cascade
) strict, without rowid;
create index report_schedule_runs_of_schedule on report_schedule_runs (schedule_id);
insert into report_schedule_runs (brand_id, report_id, schedule_id)
select r.brand_id, r.id, s.id from reports r join report_schedules s on s.brand_id = r.brand_id and s.id = r.schedule_id
where r.state in ('queued', 'running') and r.finished_at is null;
