-- Worksites. Boundary, time zone and project are dated: a term holds what was true from a moment on, until the next one.

create table worksites (
    id                integer primary key autoincrement,
    brand_id          integer not null references brands (id),
    name              text    not null,
    name_key          text    not null,
    colour            text    not null,
    kind              text    not null check (kind in ('infrastructure', 'residential_construction',
        'commercial_construction', 'rail_maintenance', 'waste_recycling', 'agriculture', 'forestry', 'logistics', 'other')),
    technical_contact text,
    time_zone         text    not null,
    boundary          text,
    area_m2           integer,
    project_id        integer references projects (id),
    version           integer not null,
    created_at        integer not null,
    updated_at        integer not null,
    archived_at       integer
) strict;
create index worksites_by_name on worksites (brand_id, name_key, id);
create index worksites_of_project on worksites (brand_id, project_id);

create table worksite_terms (
    id          integer primary key autoincrement,
    brand_id    integer not null references brands (id),
    worksite_id integer not null references worksites (id),
    from_at     integer not null,
    time_zone   text    not null,
    boundary    text,
    area_m2     integer,
    project_id  integer references projects (id),
    created_at  integer not null,
    updated_at  integer not null,
    unique (worksite_id, from_at)
) strict;
create index worksite_terms_of_brand on worksite_terms (brand_id, worksite_id, from_at);
