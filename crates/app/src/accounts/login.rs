//! Checking an email and a password, and what it costs to guess.

use std::time::Duration;

use domain::{BrandId, Email, Invalid, Span, Timestamp, UserState};
use store::{Pressure, Tenant, Tx, User};

use crate::accounts::login_buckets::UNKNOWN;
use crate::accounts::passwords::{Lane, Verdict};
use crate::{App, Error, Kind, Origin};

/// What someone typed to come in.
#[derive(Clone)]
pub struct Credentials {
    /// As typed; whether it is an email at all is not said to strangers.
    pub email: String,
    /// As typed.
    pub password: String,
    /// A code of an authenticator app or a recovery code, for those who have a second factor.
    pub otp: Option<String>,
}

impl Credentials {
    /// The most characters of a password that are looked at.
    pub const LONGEST_PASSWORD: usize = 1_024;

    /// Refuses what no account could ever have.
    pub fn check_email(text: &str) -> Result<String, Invalid> {
        domain::text::check(text, Email::LIMIT)?;
        Ok(text.trim().to_owned())
    }

    /// Refuses passwords so long that hashing them would be a burden.
    pub fn check_password(text: &str) -> Result<String, Invalid> {
        let most = Self::LONGEST_PASSWORD;
        if text.chars().count() > most {
            return Err(Invalid::new("too_long", format!("must have at most {most} characters")));
        }
        Ok(text.to_owned())
    }

    /// Refuses what no code ever looks like; a blank one is none.
    pub fn check_otp(text: &str) -> Result<Option<String>, Invalid> {
        domain::text::check(text, 64)?;
        Ok(Some(text.trim()).filter(|otp| !otp.is_empty()).map(str::to_owned))
    }
}

/// A user whose password was right a moment ago.
pub(crate) struct Proven {
    pub user: User,
    /// The hash that the password was compared with.
    hash: String,
    /// A better one, if there is to be one.
    new_hash: Option<String>,
    attempt: Attempt,
    otp: Option<String>,
    origin: Origin,
}

/// An attempt that has been counted, as a refusal until it turns out otherwise.
struct Attempt {
    /// What it makes wait, see `login_buckets`.
    bucket: i64,
    /// For the audit log; empty if there is no such account.
    account: String,
    address: String,
    at: Timestamp,
}

impl App {
    /// Compares the password. Unknown, invited and deactivated accounts are refused with the same words after the
    /// same work as a wrong password.
    ///
    /// `brand` is that of someone who is signed in and proves it again.
    pub(crate) async fn prove(
        &self,
        credentials: &Credentials,
        origin: &Origin,
        brand: Option<BrandId>,
    ) -> Result<Proven, Error> {
        let found = match Email::parse(&credentials.email) {
            Ok(email) => self.store.read().await?.users(&self.platform).by_email(&email).await?,
            Err(_) => None,
        };
        let known = found.as_ref().map(|found| found.user.email.to_lowercase());
        let attempt = self.count_attempt(&credentials.email, known, origin).await?;
        let found = found.filter(|found| found.user.state == UserState::Active);
        let hash = found.as_ref().and_then(|found| found.password_hash.clone());
        let place = self.passwords.place_of(attempt.bucket).await?;
        let lane = match brand {
            Some(brand) => Lane::Tenant(Tenant::Brand(brand)),
            None => Lane::Domain(self.domain_bucket(&credentials.email)),
        };
        let verdict = self.passwords.verify(&credentials.password, hash.clone(), lane).await?;
        drop(place);
        let (Some(found), Some(hash), Verdict::Right | Verdict::RightButOld) = (found, hash, &verdict) else {
            return Err(refused());
        };
        if found.password_expires_at.is_some_and(|at| self.clock.now() >= at) {
            let email = &found.user.email;
            tracing::warn!(
                "the password that was made for {email} was not used in time and opens nothing any \
                 more; `keepclear user set-password --email {email}` makes a new one"
            );
            return Err(refused());
        }
        let new_hash = match verdict {
            Verdict::RightButOld => Some(self.passwords.hash(&credentials.password, &self.random).await?),
            _ => None,
        };
        let (otp, origin) = (credentials.otp.clone(), origin.clone());
        Ok(Proven { user: found.user, hash, new_hash, attempt, otp, origin })
    }

    /// Writes down that someone came in, in the transaction that makes their session.
    pub(crate) async fn let_in(&self, tx: &mut Tx, proven: &Proven) -> Result<(), Error> {
        self.confirm_with_otp(tx, proven).await?;
        let now = self.clock.now();
        tx.users(&self.platform).signed_in(proven.user.id, now).await?;
        if let Some(hash) = &proven.new_hash {
            tx.users(&self.platform).rehash(proven.user.id, hash).await?;
        }
        Ok(())
    }

    /// Takes the attempt back, which was counted as a refusal; unless password or state were changed since the password was
    /// compared, which takes a while. The user is locked to the end of the transaction.
    pub(crate) async fn confirm(&self, tx: &mut Tx, proven: &Proven) -> Result<(), Error> {
        let user = tx.users(&self.platform).by_id_locked(proven.user.id).await?;
        let unchanged = user.is_some_and(|found| {
            found.user.state == UserState::Active && found.password_hash.as_deref() == Some(&proven.hash)
        });
        if !unchanged {
            return Err(refused());
        }
        let Attempt { bucket, account, address, at } = &proven.attempt;
        tx.login_throttle(&self.platform).withdraw(*bucket, address, *at).await?;
        tx.login_refusals(&self.platform).withdraw(account, address, *at).await?;
        tx.login_throttle(&self.platform).forgive(*bucket, account, address).await?;
        tx.login_refusals(&self.platform).forgive(account, address).await?;
        Ok(())
    }

    /// The same, and uses up the code that the second factor asks for. Without a right one the transaction is to be dropped, so
    /// that the attempt stays counted: a right password alone is no success.
    pub(crate) async fn confirm_with_otp(&self, tx: &mut Tx, proven: &Proven) -> Result<(), Error> {
        self.confirm(tx, proven).await?;
        self.spend_otp(tx, &proven.user, proven.otp.as_deref(), &proven.origin).await
    }

    /// Counts an attempt before it costs anything, so that many at once are many. Stops an address that keeps failing on an
    /// account, and slows everyone down on an account under attack; nobody is locked out by what others do elsewhere.
    /// Whether the account is known changes nothing but where it is counted for the audit log.
    async fn count_attempt(
        &self,
        typed: &str,
        known: Option<String>,
        origin: &Origin,
    ) -> Result<Attempt, Error> {
        let (at, address, bucket) = (self.clock.now(), origin.network(), self.account_bucket(typed));
        let limits = &self.config.attempts;
        let window = Span::minutes(limits.window_minutes.into());
        let mut tx = self.store.begin().await?;
        tx.login_throttle(&self.platform).begin_attempt(bucket, &address, at).await?;
        let since = (at - window).minute();
        let pressure = tx.login_throttle(&self.platform).pressure(bucket, &address, since, at).await?;
        if let Some(until) = wait_until(&pressure, limits.per_address.into(), window)
            && at < until
        {
            let error = Error::new(
                Kind::RateLimited,
                "too_many_attempts",
                "Too many wrong passwords or codes for this account from your address. Wait before you try again.",
            );
            return Err(error.retry_after((until - at).seconds_up()));
        }
        tx.login_throttle(&self.platform).add(bucket, &address, at).await?;
        let (account, place) = match known {
            Some(account) => (account, address.clone()),
            None => (UNKNOWN.to_owned(), self.unknown_row(&address)),
        };
        tx.login_refusals(&self.platform).add(&account, &place, at).await?;
        tx.commit().await?;
        let delay = delay_ms(pressure.from_anywhere, limits.slow_after.into(), limits.slowest_ms.into());
        if delay > 0 {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        Ok(Attempt { bucket, account, address, at })
    }
}

/// One and the same for everything that can be wrong.
pub(crate) fn refused() -> Error {
    Error::new(Kind::Unauthenticated, "invalid_credentials", "The email, the password or the code is wrong.")
}

/// An address that failed `limit` times waits a minute from its last failing minute, then two, four, and so on.
fn wait_until(pressure: &Pressure, limit: i64, window: Span) -> Option<Timestamp> {
    let over = pressure.from_address - limit;
    let last = pressure.last_minute?;
    (over >= 0).then(|| {
        let minutes = 1_i64 << over.min(10);
        let wait = Span::minutes(minutes).min(window);
        // Counted from the end of the minute, since only the minute of the last failure is kept.
        last + Span::minutes(1) + wait
    })
}

/// Nothing below the limit; then 50 ms more for each refusal, up to the slowest.
fn delay_ms(refusals: i64, slow_after: i64, slowest: i64) -> u64 {
    let over = (refusals - slow_after).max(0);
    u64::try_from(over.saturating_mul(50).min(slowest)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_doubles_up_to_the_window() {
        let last = Timestamp::from_seconds(600);
        let wait = |from_address| {
            let pressure = Pressure { from_address, last_minute: Some(last), from_anywhere: 0 };
            wait_until(&pressure, 5, Span::minutes(15)).map(|until| (until - last).seconds_up())
        };
        assert_eq!(wait(4), None);
        assert_eq!(wait(5), Some(120));
        assert_eq!(wait(6), Some(180));
        assert_eq!(wait(7), Some(300));
        assert_eq!(wait(60), Some(960));
    }

    #[test]
    fn answers_slow_down_but_never_stop() {
        assert_eq!(delay_ms(20, 20, 2_000), 0);
        assert_eq!(delay_ms(22, 20, 2_000), 100);
        assert_eq!(delay_ms(i64::MAX, 20, 2_000), 2_000);
    }
}
