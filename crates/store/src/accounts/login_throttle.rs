//! Failed logins that slow down further attempts, counted per bucket of accounts, address and minute.

use domain::Timestamp;

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// Failed logins of the accounts in a bucket.
#[derive(Clone, Copy, Debug, macros::FromRow)]
pub struct FailedAttempts {
    /// From the address of the current attempt, without forgiven ones.
    pub from_address: i64,
    /// The minute of the last of those.
    pub last_minute: Option<Timestamp>,
    /// From any address, without forgiven ones.
    pub from_anywhere: i64,
}

/// The login throttle of the whole installation.
pub struct LoginThrottle<'a>(&'a mut Tx);

impl Tx {
    pub fn login_throttle(&mut self, _: &Platform) -> LoginThrottle<'_> {
        LoginThrottle(self)
    }
}

#[macros::boxed]
impl LoginThrottle<'_> {
    /// Begins an attempt. Other attempts of the same bucket and address wait until this transaction ends.
    pub async fn begin_attempt(&mut self, bucket: i64, address: &str, now: Timestamp) -> Result<(), Error> {
        self.change(bucket, address, now, 0).await
    }

    /// Counts a failed login.
    pub async fn add(&mut self, bucket: i64, address: &str, now: Timestamp) -> Result<(), Error> {
        self.change(bucket, address, now, 1).await
    }

    /// Takes back a count for a login that did not fail after all.
    pub async fn withdraw(&mut self, bucket: i64, address: &str, at: Timestamp) -> Result<(), Error> {
        self.change(bucket, address, at, -1).await
    }

    async fn change(&mut self, bucket: i64, address: &str, at: Timestamp, by: i64) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into login_throttle (account_bucket, address, minute, refusals, forgiven)
                 values ($1, $2, $3, $4, 0)
                 on conflict (account_bucket, address, minute)
                 do update set refusals = login_throttle.refusals + excluded.refusals",
                bucket,
                address,
                at.truncate_to_minute(),
                by
            ))
            .await?;
        Ok(())
    }

    /// Returns the failed logins of a bucket since `since`. Counts after `now` are ignored, since they come from a wrong clock.
    pub async fn failed_attempts(
        &mut self,
        bucket: i64,
        address: &str,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<FailedAttempts, Error> {
        self.0
            .one(sql!(
                "select cast(coalesce(sum(refusals - forgiven) filter (where address = $2), 0) as bigint) as from_address,
                     max(minute) filter (where address = $2 and refusals > forgiven) as last_minute,
                     cast(coalesce(sum(refusals - forgiven), 0) as bigint) as from_anywhere
                 from login_throttle where account_bucket = $1 and minute >= $3 and minute <= $4",
                bucket,
                address,
                since,
                now
            ))
            .await
    }

    /// Forgives the failed logins of one account from one address, but not those of other accounts in its bucket. Must be called
    /// before [`FailedLogins::forgive`](crate::FailedLogins::forgive), whose counts it reads.
    pub async fn forgive(&mut self, bucket: i64, account: &str, address: &str) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update login_throttle set forgiven = forgiven + coalesce((
                     select r.refusals - r.forgiven from login_refusals r
                     where r.account_key = $2 and r.address = $3 and r.minute = login_throttle.minute), 0)
                 where account_bucket = $1 and address = $3",
                bucket,
                account,
                address
            ))
            .await?;
        Ok(())
    }

    /// Deletes counts outside of this period.
    pub async fn delete_outside(&mut self, before: Timestamp, after: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!("delete from login_throttle where minute < $1 or minute > $2", before, after))
            .await
    }
}
