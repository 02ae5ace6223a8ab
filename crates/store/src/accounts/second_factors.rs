//! Second factors of users. A caller that changes or uses one locks the user's row, so that a code works once across all processes.
//!
//! The time steps of used codes are stored one by one. A single "last step" would have to be lowered after the clock was ahead, so as
//! not to lock anyone out, and codes that were used already would then be accepted again.

use domain::{Timestamp, UserId};

use crate::engine::page::Count;
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The TOTP seed of a user.
#[derive(Clone, Debug, macros::FromRow)]
pub struct SecondFactor {
    /// The seed, sealed for the user's id.
    pub secret: Vec<u8>,
    /// Time at which the user proved that they have it. Until then no code is required.
    pub confirmed_at: Option<Timestamp>,
}

/// Number of used steps stored per user. Beyond it the earliest ones are deleted, and no code up to them is accepted. To lock a
/// user out after a correction, the clock would have to be ahead for this many of their logins.
const MAX_REMEMBERED_STEPS: i64 = 4_096;

/// The second factors of all users of the installation.
pub struct SecondFactors<'a>(&'a mut Tx);

impl Tx {
    pub fn second_factors(&mut self, _: &Platform) -> SecondFactors<'_> {
        SecondFactors(self)
    }
}

#[macros::boxed]
impl SecondFactors<'_> {
    /// Finds the second factor of a user, confirmed or not.
    pub async fn find(&mut self, user: UserId) -> Result<Option<SecondFactor>, Error> {
        self.0
            .optional(sql!("select secret, confirmed_at from second_factors where user_id = $1", user))
            .await
    }

    /// Returns the latest used step up to `newest`; only codes of later steps are valid. Steps after `newest` are ignored, because they
    /// were used while the clock was ahead; each of them is refused when its time comes.
    pub async fn last_step(&mut self, user: UserId, newest: i64) -> Result<i64, Error> {
        let Count(step) = self
            .0
            .one(sql!(
                "select coalesce(max(step), 0) as count from (
                     select step from used_code_steps where user_id = $1 and step <= $2
                     union all select forgotten_step from second_factors where user_id = $1
                 ) as steps",
                user,
                newest
            ))
            .await?;
        Ok(step)
    }

    /// Stores an unconfirmed seed, replacing an earlier unconfirmed one. Returns false if the user has a confirmed one.
    pub async fn begin(&mut self, user: UserId, secret: &[u8], now: Timestamp) -> Result<bool, Error> {
        let kept = self
            .0
            .execute(sql!(
                "insert into second_factors (user_id, secret, forgotten_step, created_at) values ($1, $2, 0, $3)
                 on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at
                 where second_factors.confirmed_at is null",
                user,
                secret,
                now
            ))
            .await?;
        if kept > 0 {
            // Steps that remain from an earlier seed.
            self.0.execute(sql!("delete from used_code_steps where user_id = $1", user)).await?;
        }
        Ok(kept > 0)
    }

    /// Confirms the seed: from now on logins require a code of a step after `step`. Each recovery code can be used once.
    pub async fn confirm(
        &mut self,
        user: UserId,
        step: i64,
        recovery_codes: &[Vec<u8>],
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!("update second_factors set confirmed_at = $2 where user_id = $1", user, now))
            .await?;
        self.record_used_step(user, step).await?;
        self.0.execute(sql!("delete from recovery_codes where user_id = $1", user)).await?;
        for hash in recovery_codes {
            self.0
                .execute(sql!(
                    "insert into recovery_codes (user_id, hash) values ($1, $2)",
                    user,
                    hash.as_slice()
                ))
                .await?;
        }
        Ok(())
    }

    /// Stores the step of a used code.
    pub async fn record_used_step(&mut self, user: UserId, step: i64) -> Result<(), Error> {
        self.0
            .execute(sql!("insert into used_code_steps (user_id, step) values ($1, $2)", user, step))
            .await?;
        let earliest: Option<Count> = self
            .0
            .optional(sql!(
                "select step as count from used_code_steps where user_id = $1 order by step desc limit 1 offset $2",
                user,
                MAX_REMEMBERED_STEPS
            ))
            .await?;
        if let Some(Count(earliest)) = earliest {
            self.0
                .execute(sql!(
                    "update second_factors set forgotten_step = $2 where user_id = $1",
                    user,
                    earliest
                ))
                .await?;
            self.0
                .execute(sql!(
                    "delete from used_code_steps where user_id = $1 and step <= $2",
                    user,
                    earliest
                ))
                .await?;
        }
        Ok(())
    }

    /// Uses up a recovery code. Returns false if none has that hash, or if it was used before.
    pub async fn use_recovery_code(
        &mut self,
        user: UserId,
        hash: &[u8],
        now: Timestamp,
    ) -> Result<bool, Error> {
        let used = self
            .0
            .execute(sql!(
                "update recovery_codes set used_at = $3 where user_id = $1 and hash = $2 and used_at is null",
                user,
                hash,
                now
            ))
            .await?;
        Ok(used > 0)
    }

    pub async fn recovery_codes_left(&mut self, user: UserId) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from recovery_codes where user_id = $1 and used_at is null",
                user
            ))
            .await?;
        Ok(count)
    }

    /// Deletes the second factor of a user, confirmed or not, with its recovery codes. Returns whether it was confirmed.
    pub async fn remove(&mut self, user: UserId) -> Result<bool, Error> {
        self.0.execute(sql!("delete from recovery_codes where user_id = $1", user)).await?;
        self.0.execute(sql!("delete from used_code_steps where user_id = $1", user)).await?;
        let confirmed = self
            .0
            .execute(sql!("delete from second_factors where user_id = $1 and confirmed_at is not null", user))
            .await?;
        self.0.execute(sql!("delete from second_factors where user_id = $1", user)).await?;
        Ok(confirmed > 0)
    }
}
