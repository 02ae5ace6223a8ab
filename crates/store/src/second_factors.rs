//! Second factors of users. Whoever changes or uses one holds the user's row, so that a code works once in all processes.

use domain::{Timestamp, UserId};

use crate::page::Count;
use crate::row::{FromRow, Row};
use crate::statement::sql;
use crate::{Error, Platform, Tx};

/// The seed of a user's codes.
#[derive(Clone, Debug)]
pub struct SecondFactor {
    /// The seed, sealed for the user's id.
    pub secret: Vec<u8>,
    /// The step of the last code that was used; only later ones are good.
    pub last_step: i64,
    /// When its user showed that they have it; until then it asks for nothing.
    pub confirmed_at: Option<Timestamp>,
}

impl FromRow for SecondFactor {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            secret: row.get("secret")?,
            last_step: row.get("last_step")?,
            confirmed_at: row.get("confirmed_at")?,
        })
    }
}

/// The second factors of all users of the installation.
pub struct SecondFactors<'a>(&'a mut Tx);

impl Tx {
    /// The second factors of all users of the installation.
    pub fn second_factors(&mut self, _: &Platform) -> SecondFactors<'_> {
        SecondFactors(self)
    }
}

impl SecondFactors<'_> {
    /// The one of a user, be it confirmed or not.
    pub async fn find(&mut self, user: UserId) -> Result<Option<SecondFactor>, Error> {
        self.0
            .optional(sql!(
                "select secret, last_step, confirmed_at from second_factors where user_id = $1",
                user
            ))
            .await
    }

    /// Keeps a seed that has yet to be confirmed, in the place of an older such one; false if the user has one already.
    pub async fn begin(&mut self, user: UserId, secret: &[u8], now: Timestamp) -> Result<bool, Error> {
        let kept = self
            .0
            .execute(sql!(
                "insert into second_factors (user_id, secret, last_step, created_at) values ($1, $2, 0, $3)
                 on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at
                 where second_factors.confirmed_at is null",
                user,
                secret,
                now
            ))
            .await?;
        Ok(kept > 0)
    }

    /// From now on codes are asked for, later ones than that of `step`; these recovery codes are good once each.
    pub async fn confirm(
        &mut self,
        user: UserId,
        step: i64,
        recovery_codes: &[Vec<u8>],
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update second_factors set confirmed_at = $3, last_step = $2 where user_id = $1",
                user,
                step,
                now
            ))
            .await?;
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

    /// Remembers the step of a code that was used.
    pub async fn used(&mut self, user: UserId, step: i64) -> Result<(), Error> {
        self.0
            .execute(sql!("update second_factors set last_step = $2 where user_id = $1", user, step))
            .await?;
        Ok(())
    }

    /// Uses up a recovery code; false if there is none with that hash, or it was used before.
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

    /// How many recovery codes are still good.
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

    /// Takes it away, confirmed or not, with its recovery codes; tells whether it had been confirmed.
    pub async fn remove(&mut self, user: UserId) -> Result<bool, Error> {
        self.0.execute(sql!("delete from recovery_codes where user_id = $1", user)).await?;
        let confirmed = self
            .0
            .execute(sql!("delete from second_factors where user_id = $1 and confirmed_at is not null", user))
            .await?;
        self.0.execute(sql!("delete from second_factors where user_id = $1", user)).await?;
        Ok(confirmed > 0)
    }
}
