-- Incremental sync of the registry: each row keeps the version of the registry at its last change. Versions become visible in the
-- order of the commits, unlike updated_at. Rows from before get the current version of their brand, so that a reader who starts
-- with version 0 gets them; nobody has read by versions yet.

alter table projects add column registry_version bigint not null default 0;
alter table worksites add column registry_version bigint not null default 0;
alter table machines add column registry_version bigint not null default 0;
alter table people add column registry_version bigint not null default 0;
alter table tags add column registry_version bigint not null default 0;
alter table base_stations add column registry_version bigint not null default 0;
alter table gateways add column registry_version bigint not null default 0;
alter table tester_devices add column registry_version bigint not null default 0;
alter table tag_assignments add column registry_version bigint not null default 0;
alter table visitor_sessions add column registry_version bigint not null default 0;

update projects set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = projects.brand_id), 0);
update worksites set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = worksites.brand_id), 0);
update machines set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = machines.brand_id), 0);
update people set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = people.brand_id), 0);
update tags set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = tags.brand_id), 0);
update base_stations set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = base_stations.brand_id), 0);
update gateways set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = gateways.brand_id), 0);
update tester_devices set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = tester_devices.brand_id), 0);
update tag_assignments set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = tag_assignments.brand_id), 0);
update visitor_sessions set registry_version = coalesce((select c.registry_version from brand_counters c where c.brand_id = visitor_sessions.brand_id), 0);

create index projects_by_change on projects (brand_id, registry_version, id);
create index worksites_by_change on worksites (brand_id, registry_version, id);
create index machines_by_change on machines (brand_id, registry_version, id);
create index people_by_change on people (brand_id, registry_version, id);
create index tags_by_change on tags (brand_id, registry_version, id);
create index base_stations_by_change on base_stations (brand_id, registry_version, id);
create index gateways_by_change on gateways (brand_id, registry_version, id);
create index tester_devices_by_change on tester_devices (brand_id, registry_version, id);
create index tag_assignments_by_change on tag_assignments (brand_id, registry_version, id);
create index visitor_sessions_by_change on visitor_sessions (brand_id, registry_version, id);

-- Records that were deleted or left a project: whoever keeps a copy of that project's records has to remove them. There is one row
-- for each record and project, with the last time that it left, so that the table does not grow with every move. A record of no
-- project has project 0.
create table registry_departures (
    brand_id         bigint not null references brands (id),
    kind             text not null check (kind in ('worksites', 'machines', 'base_stations', 'visitor_sessions')),
    row_id           bigint not null,
    project_id       bigint not null,
    deleted          boolean not null,
    registry_version bigint not null,
    primary key (brand_id, kind, row_id, project_id)
);
create index registry_departures_by_change on registry_departures (brand_id, kind, registry_version, row_id);
create index registry_departures_deleted on registry_departures (brand_id, kind, registry_version, row_id) where deleted;

-- The visits to a worksite in a period: they change their project with it.
create index visitor_sessions_of_worksite on visitor_sessions (brand_id, worksite_id, checked_in_at);

-- Orders of the lists that can be long. Projects, worksites, gateways and tester devices are so few that a page of them can be sorted.
create index people_by_creation on people (brand_id, created_at, id);
create index people_by_update on people (brand_id, updated_at, id);
create index machines_by_creation on machines (brand_id, created_at, id);
create index machines_by_update on machines (brand_id, updated_at, id);
create index tags_by_creation on tags (brand_id, created_at, id);
create index tags_by_update on tags (brand_id, updated_at, id);
create index base_stations_by_creation on base_stations (brand_id, created_at, id);
create index base_stations_by_update on base_stations (brand_id, updated_at, id);
create index tag_assignments_by_start on tag_assignments (brand_id, assigned_at, id);
create index tag_assignments_by_creation on tag_assignments (brand_id, created_at, id);
create index tag_assignments_by_update on tag_assignments (brand_id, updated_at, id);
create index visitor_sessions_by_start on visitor_sessions (brand_id, checked_in_at, id);
create index visitor_sessions_by_creation on visitor_sessions (brand_id, created_at, id);
create index visitor_sessions_by_update on visitor_sessions (brand_id, updated_at, id);

-- Which day is today at the worksites: their time zones, without reading their boundaries.
create index worksites_by_zone on worksites (brand_id, archived_at, time_zone, project_id, kind);

-- Whether an employee id belongs to one person only, among those who are not archived. On for new brands, off for existing ones.
alter table brands add column unique_employee_ids boolean not null default true;
update brands set unique_employee_ids = false;
alter table people add column employee_key text collate "C";
-- The program fills it in for the people of before: SQL cannot fold text as it does (store/src/engine/migrate.rs).
create index people_by_employee_id on people (brand_id, employee_key) where employee_key is not null;
