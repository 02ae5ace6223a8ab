//! Failed logins for the audit log, counted per account, address and minute. Unknown accounts are counted together.

use domain::Timestamp;

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// Failed logins of one account from one address in one minute that the audit log does not contain yet.
#[derive(Clone, Debug, macros::FromRow)]
pub struct FailedLoginCount {
    /// The email's key, or empty for all unknown accounts.
    #[row(column = "account_key")]
    pub account: String,
    /// The client's address; for unknown accounts, one of a few numbers.
    pub address: String,
    pub minute: Timestamp,
    pub count: i64,
}

/// All failed logins of the installation.
pub struct FailedLogins<'a>(&'a mut Tx);

impl Tx {
    pub fn failed_logins(&mut self, _: &Platform) -> FailedLogins<'_> {
        FailedLogins(self)
    }
}

#[macros::boxed]
impl FailedLogins<'_> {
    /// Counts a failed login.
    pub async fn add(&mut self, account: &str, address: &str, now: Timestamp) -> Result<(), Error> {
        self.change(account, address, now, 1).await
    }

    /// Takes back a count for a login that did not fail after all.
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

    /// Marks the counts of an account from one address as forgiven, because its owner has signed in from there.
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

    /// Takes up to `limit` counts of minutes before `before` that have not been taken yet, and marks them as taken.
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
        // Row by row: a failure that was counted meanwhile was not taken, and must not be marked.
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

    /// Deletes counts of minutes before `before` that the audit log contains.
    pub async fn delete_audited(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!("delete from login_refusals where minute < $1 and audited >= refusals", before))
            .await
    }
}
