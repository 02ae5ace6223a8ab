-- How users want things shown: one row a user who chose anything. What is null is as the brand has it.

create table user_preferences (
    brand_id          integer not null references brands (id),
    user_id           integer not null references users (id),
    language          text,
    time_zone         text,
    date_format       text    check (date_format in ('DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD')),
    units             text    check (units in ('metric', 'imperial')),
    first_day_of_week text    check (first_day_of_week in ('monday', 'sunday', 'saturday')),
    -- The dimensions of pivots in their order, with labels, as JSON.
    dimensions        text,
    -- The view to begin with. It may have become another's private one, and is not shown then.
    default_view_id   integer references saved_views (id),
    version           integer not null,
    updated_at        integer not null,
    primary key (brand_id, user_id)
) strict;
