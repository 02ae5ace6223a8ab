-- beside: 0038_last_received_runtime
-- The saved columns of each brand, by the format of their files: which objects they are made of, and which process saves them. Hosts of two
-- versions that run beside each other have a row each. Those of the format 2 are in column_manifests, which only older programs write.

create table saved_columns (
    brand_id     bigint not null references brands (id),
    format       bigint not null,
    -- JSON: the changes that the columns include, and their parts with the names of their objects. Null before the first save.
    manifest     text,
    -- Rises with every save, which replaces only the manifest that it began with.
    revision     bigint not null,
    worker       text,
    leased_until bigint not null,
    primary key (brand_id, format)
);
