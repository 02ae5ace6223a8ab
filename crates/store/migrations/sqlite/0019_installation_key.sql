-- The installation key lies outside the database. It seals the keys of the epochs below; these seal every secret that stands in
-- a row, and key the audit chain. A rotation begins a new epoch and seals all of them under the new installation key.

-- Which installation key it is. None until the first start of a program that knows of it.
alter table installation add column key_id text;

create table key_epochs (
    epoch      integer primary key,
    -- None once the installation key that it was sealed under was given up as lost.
    sealed     blob,
    created_at integer not null
) strict;

-- The epoch whose key the hash is made with; 0 is SHA-256 without a key, as it was before there were any.
alter table audit_seals add column epoch integer not null default 0;

-- Where a chain stood when an epoch began. The mac is made with the epoch's key.
create table audit_marks (
    chain    integer not null,
    epoch    integer not null,
    position integer not null,
    head     blob    not null,
    -- Whether the keys of the epochs before it are lost, so that links up to here can only be compared with recorded heads.
    key_lost integer not null,
    mac      blob    not null,
    primary key (chain, epoch)
) strict;
