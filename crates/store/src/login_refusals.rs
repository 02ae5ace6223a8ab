//! Refused logins, counted per account, address and minute.

use domain::{BrandId, Timestamp};

use crate::row::{FromRow, Row};
use crate::statement::sql;
use crate::{Error, Platform, Tx};

/// How hard an account is being tried.
#[derive(Clone, Copy, Debug)]
pub struct Pressure {
    /// Refusals from the address that asks, since its last success.
    pub from_address: i64,
    /// When the last of those was, to the minute.
    pub last_minute: Option<Timestamp>,
    /// Refusals from anywhere.
    pub from_anywhere: i64,
}

/// The refusals of one account in one minute.
#[derive(Clone, Debug)]
pub struct RefusalSum {
    /// What was typed as the email, lower-case.
    pub account: String,
    /// The brand, if there is such an account.
    pub brand: Option<BrandId>,
    /// The minute.
    pub minute: Timestamp,
    /// How many.
    pub refusals: i64,
    /// From how many addresses.
    pub addresses: i64,
}

impl FromRow for Pressure {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            from_address: row.get("from_address")?,
            last_minute: row.get("last_minute")?,
            from_anywhere: row.get("from_anywhere")?,
        })
    }
}

impl FromRow for RefusalSum {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            account: row.get("account_key")?,
            brand: row.get("brand_id")?,
            minute: row.get("minute")?,
            refusals: row.get("refusals")?,
            addresses: row.get("addresses")?,
        })
    }
}

/// All refusals of the installation.
pub struct LoginRefusals<'a>(&'a mut Tx);

impl Tx {
    /// All refusals of the installation.
    pub fn login_refusals(&mut self, _: &Platform) -> LoginRefusals<'_> {
        LoginRefusals(self)
    }
}

impl LoginRefusals<'_> {
    /// Counts one.
    pub async fn add(&mut self, account: &str, address: &str, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into login_refusals (account_key, address, minute, refusals, audited, forgiven)
                 values ($1, $2, $3, 1, false, 0)
                 on conflict (account_key, address, minute)
                 do update set refusals = login_refusals.refusals + 1, audited = false",
                account,
                address,
                now.minute()
            ))
            .await?;
        Ok(())
    }

    /// How hard an account has been tried since `since`.
    pub async fn pressure(
        &mut self,
        account: &str,
        address: &str,
        since: Timestamp,
    ) -> Result<Pressure, Error> {
        self.0
            .one(sql!(
                "select cast(coalesce(sum(refusals - forgiven) filter (where address = $2), 0) as bigint) as from_address,
                     max(minute) filter (where address = $2 and refusals > forgiven) as last_minute,
                     cast(coalesce(sum(refusals - forgiven), 0) as bigint) as from_anywhere
                 from login_refusals where account_key = $1 and minute >= $3",
                account,
                address,
                since
            ))
            .await
    }

    /// Starts an account's count from one address anew: its owner has signed in from there.
    pub async fn forgive(&mut self, account: &str, address: &str) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update login_refusals set forgiven = refusals
                 where account_key = $1 and address = $2 and forgiven < refusals",
                account,
                address
            ))
            .await?;
        Ok(())
    }

    /// Takes the sums of minutes before `before` that the audit log does not have yet.
    pub async fn take_sums(&mut self, before: Timestamp) -> Result<Vec<RefusalSum>, Error> {
        let sums = self
            .0
            .all(sql!(
                "select r.account_key, u.brand_id, r.minute, cast(sum(r.refusals) as bigint) as refusals,
                     count(*) as addresses
                 from login_refusals r left join users u on u.email_key = r.account_key
                 where r.minute < $1 and not r.audited
                 group by r.account_key, u.brand_id, r.minute order by r.minute, r.account_key",
                before
            ))
            .await?;
        self.0
            .execute(sql!(
                "update login_refusals set audited = true where minute < $1 and not audited",
                before
            ))
            .await?;
        Ok(sums)
    }

    /// Forgets what is in the audit log already and older than `before`.
    pub async fn forget(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("delete from login_refusals where minute < $1 and audited", before)).await
    }
}
