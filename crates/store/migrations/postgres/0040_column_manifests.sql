-- beside: 0038_last_received_runtime
-- The saved columns of each brand: which objects they are made of, and which process saves them. The columns are a copy of facts, so that
-- nothing is lost with a row.

create table column_manifests (
    brand_id     bigint not null primary key references brands (id),
    -- JSON: the changes that the columns include, and their parts with the names of their objects. Null before the first save.
    manifest     text,
    -- Rises with every save, which replaces only the manifest that it began with.
    revision     bigint not null,
    worker       text,
    leased_until bigint not null
);
