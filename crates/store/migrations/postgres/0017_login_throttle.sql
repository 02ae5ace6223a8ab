-- Refused logins as far as they make others wait: by a keyed hash of the account, known or not, cut to a few thousand values,
-- so that strangers cannot grow this table by what they type.

create table login_throttle (
    account_bucket bigint  not null,
    address        text    collate "C" not null,
    minute         bigint  not null,
    refusals       bigint  not null,
    forgiven       bigint  not null,
    primary key (account_bucket, address, minute)
);
create index login_throttle_by_minute on login_throttle (minute);

-- What was typed for accounts that do not exist is not kept any more.
delete from login_refusals where account_key not in (select email_key from users);
