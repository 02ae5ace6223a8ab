-- beside: 0038_last_received_runtime
-- The brands whose facts are copied into a warehouse, and which process writes each copy.

create table warehouse_copies (
    brand_id     integer not null primary key references brands (id),
    -- Random, and a part of the names of the copy's tables. A copy that is made anew has another one.
    token        integer not null,
    worker       text,
    leased_until integer not null
) strict;
