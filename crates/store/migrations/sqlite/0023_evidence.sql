-- Codes of second factors that were used, each by its step, so that none works twice wherever the clock goes. Steps up to forgotten_step
-- are no longer remembered one by one, and none of them is accepted.

create table used_code_steps (
    user_id integer not null references users (id),
    step    integer not null,
    primary key (user_id, step)
) strict, without rowid;

insert into used_code_steps (user_id, step) select user_id, last_step from second_factors where last_step > 0;
alter table second_factors rename column last_step to forgotten_step;
update second_factors set forgotten_step = 0;

-- What authenticates that a chain ends where its row says: the epoch whose key makes it, and the mac.
alter table audit_chains add column mac blob;

-- The files that heads of the chains were recorded in, with the last line of each. Sealed.
alter table installation add column heads blob;
