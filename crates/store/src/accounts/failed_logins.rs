//! Refused logins for the audit log, counted per account, address and minute. Accounts that do not exist are counted together.

use domain::Timestamp;

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// Refusals of one account from one address in one minute that the audit log does not have yet.
#[derive(Clone, Debug)]
pub struct FailedLoginCount {
    /// The email's key; empty for all accounts that do not exist.
    pub account: String,
    /// From where; for accounts that do not exist one of a few numbers.
    pub address: String,
    /// The minute.
    pub minute: Timestamp,
    /// How many.
    pub count: i64,
}

impl FromRow for FailedLoginCount {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            account: row.get("account_key")?,
            address: row.get("address")?,
            minute: row.get("minute")?,
            count: row.get("count")?,
        })
    }
}

/// All refusals of the installation.
pub struct FailedLogins<'a>(&'a mut Tx);

impl Tx {
    /// All refusals of the installation.
    pub fn failed_logins(&mut self, _: &Platform) -> FailedLogins<'_> {
        FailedLogins(self)
    }
}

impl FailedLogins<'_> {
    /// Counts one.
    pub async fn add(&mut self, account: &str, address: &str, now: Timestamp) -> Result<(), Error> {
        self.change(account, address, now, 1).await
    }

    /// Takes one back that turned out to be no refusal.
    pub async fn withdraw(&mut self, account: &str, address: &str, at: Timestamp) -> Result<(), Error> {
        self.change(account, address, at, -1).await
    }

    async fn change(&mut self, account: &str, address: &str, at: Timestamp, by: i64) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into login_refusals (account_key, address, minute, refusals, audited, forgiven)
                 values ($1, $2, $3, $4, 0, 0)
                 on conflict (account_key, address, minute)
                 do update set refusals = login_refusals.refusals + excluded.refusals",
                account,
                address,
                at.truncate_to_minute(),
                by
            ))
            .await?;
        Ok(())
    }

    /// Marks what was counted for an account from one address as forgiven: its owner has signed in from there.
    pub async fn forgive(&mut self, account: &str, address: &str) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update login_refusals set forgiven = refusals
                 where account_key = $1 and address = $2 and forgiven <> refusals",
                account,
                address
            ))
            .await?;
        Ok(())
    }

    /// Takes up to `limit` counts of minutes before `before` that were not taken yet.
    pub async fn take_unaudited(
        &mut self,
        before: Timestamp,
        limit: i64,
    ) -> Result<Vec<FailedLoginCount>, Error> {
        let lock = self.0.row_lock();
        let taken: Vec<FailedLoginCount> = self
            .0
            .all(
                sql!(
                    "select account_key, address, minute, refusals - audited as count from login_refusals
                     where minute < $1 and audited < refusals order by minute, account_key, address limit $2",
                    before,
                    limit
                )
                .push(lock),
            )
            .await?;
        // Row by row: another that came meanwhile was not taken, and must not be marked.
        for taken in &taken {
            self.0
                .execute(sql!(
                    "update login_refusals set audited = refusals
                     where account_key = $1 and address = $2 and minute = $3",
                    taken.account.as_str(),
                    taken.address.as_str(),
                    taken.minute
                ))
                .await?;
        }
        Ok(taken)
    }

    /// Forgets what is in the audit log already and older than `before`.
    pub async fn delete_audited(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!("delete from login_refusals where minute < $1 and audited >= refusals", before))
            .await
    }
}
