//! Verification of an email address and a password, with throttling that makes guessing slow.

use std::time::Duration;

use domain::{BrandId, EmailAddress, Invalid, Span, Timestamp, User, UserState};
use store::{FailedAttempts, Tenant, Tx};

use crate::accounts::login_buckets::UNKNOWN_ACCOUNT;
use crate::accounts::passwords::{Lane, PasswordMatch};
use crate::{App, Error, ErrorKind, Origin};

/// The credentials that someone entered to sign in.
#[derive(Clone)]
pub struct Credentials {
    /// As entered. The response does not reveal whether it is a valid address.
    pub email: String,
    pub password: String,
    /// A code of an authenticator app or a recovery code, for users with a second factor.
    pub otp: Option<String>,
}

impl Credentials {
    /// Maximum length of a password. Longer ones are refused before they are hashed.
    pub const MAX_PASSWORD_CHARS: usize = 1_024;

    /// Trims the text and refuses what no account can have.
    pub fn check_email(text: &str) -> Result<String, Invalid> {
        domain::text::check(text, EmailAddress::MAX_CHARS)?;
        Ok(text.trim().to_owned())
    }

    /// Refuses passwords that are so long that hashing them would be expensive.
    pub fn check_password(text: &str) -> Result<String, Invalid> {
        let max = Self::MAX_PASSWORD_CHARS;
        if text.chars().count() > max {
            return Err(Invalid::new("too_long", format!("must have at most {max} characters")));
        }
        Ok(text.to_owned())
    }

    /// Refuses text that cannot be a code. Blank text counts as no code.
    pub fn check_otp(text: &str) -> Result<Option<String>, Invalid> {
        domain::text::check(text, 64)?;
        Ok(Some(text.trim()).filter(|otp| !otp.is_empty()).map(str::to_owned))
    }
}

/// A user whose password has just been verified.
pub(crate) struct VerifiedLogin {
    pub user: User,
    /// The hash that the password was verified against.
    hash: String,
    /// A hash with the current parameters, if the stored one has older parameters.
    new_hash: Option<String>,
    attempt: LoginAttempt,
    otp: Option<String>,
    origin: Origin,
}

/// An attempt that was counted as failed in advance. A success withdraws it.
struct LoginAttempt {
    /// The bucket whose failures delay further attempts, see `login_buckets`.
    bucket: i64,
    /// The account in the audit log; empty if no such account exists.
    account: String,
    address: String,
    at: Timestamp,
}

impl App {
    /// Verifies the password. Unknown, invited and deactivated accounts are refused with the same message after the same work as a
    /// wrong password.
    ///
    /// `brand` is the brand of a signed-in user who enters the password again.
    pub(crate) async fn verify_login(
        &self,
        credentials: &Credentials,
        origin: &Origin,
        brand: Option<BrandId>,
    ) -> Result<VerifiedLogin, Error> {
        let found = match EmailAddress::parse_stored(&credentials.email) {
            Ok(email) => self.store.read().await?.users(&self.platform).by_email(&email).await?,
            Err(_) => None,
        };
        let existing_account = found.as_ref().map(|found| found.user.email.to_lowercase());
        let attempt = self.count_login_attempt(&credentials.email, existing_account, origin).await?;
        let found = found.filter(|found| found.user.state == UserState::Active);
        let hash = found.as_ref().and_then(|found| found.password_hash.clone());
        let permit = self.passwords.acquire_account_permit(attempt.bucket).await?;
        let lane = match brand {
            Some(brand) => Lane::Tenant(Tenant::Brand(brand)),
            None => Lane::Domain(self.domain_bucket(&credentials.email)),
        };
        let password_match = self.passwords.verify(&credentials.password, hash.clone(), lane).await?;
        drop(permit);
        let (Some(found), Some(hash), PasswordMatch::Right | PasswordMatch::NeedsRehash) =
            (found, hash, &password_match)
        else {
            return Err(invalid_credentials());
        };
        if found.password_expires_at.is_some_and(|at| self.clock.now() >= at) {
            let email = &found.user.email;
            tracing::warn!(
                "the password generated for {email} expired before it was used; \
                 `keepclear user set-password --email {email}` generates a new one"
            );
            return Err(invalid_credentials());
        }
        let new_hash = match password_match {
            PasswordMatch::NeedsRehash => {
                Some(self.passwords.hash(&credentials.password, &self.random).await?)
            }
            _ => None,
        };
        let (otp, origin) = (credentials.otp.clone(), origin.clone());
        Ok(VerifiedLogin { user: found.user, hash, new_hash, attempt, otp, origin })
    }

    /// Records a successful login, in the transaction that creates the session.
    pub(crate) async fn record_login(&self, tx: &mut Tx, login: &VerifiedLogin) -> Result<(), Error> {
        self.confirm_login_with_otp(tx, login).await?;
        let now = self.clock.now();
        tx.users(&self.platform).record_login(login.user.id, now).await?;
        if let Some(hash) = &login.new_hash {
            tx.users(&self.platform).rehash(login.user.id, hash).await?;
        }
        Ok(())
    }

    /// Withdraws the attempt, which was counted as failed, and forgives earlier failures. Fails if the user's password or state has
    /// changed since the password was verified, which takes a while. The user is locked until the end of the transaction.
    pub(crate) async fn confirm_login(&self, tx: &mut Tx, login: &VerifiedLogin) -> Result<(), Error> {
        let user = tx.users(&self.platform).by_id_locked(login.user.id).await?;
        let unchanged = user.is_some_and(|found| {
            found.user.state == UserState::Active && found.password_hash.as_deref() == Some(&login.hash)
        });
        if !unchanged {
            return Err(invalid_credentials());
        }
        let LoginAttempt { bucket, account, address, at } = &login.attempt;
        tx.login_throttle(&self.platform).withdraw(*bucket, address, *at).await?;
        tx.failed_logins(&self.platform).withdraw(account, address, *at).await?;
        tx.login_throttle(&self.platform).forgive(*bucket, account, address).await?;
        tx.failed_logins(&self.platform).forgive(account, address).await?;
        Ok(())
    }

    /// Like [`Self::confirm_login`], and uses up the code of the second factor. If the code is wrong, the caller must drop the
    /// transaction, so that the attempt stays counted: a correct password alone is not a success.
    pub(crate) async fn confirm_login_with_otp(
        &self,
        tx: &mut Tx,
        login: &VerifiedLogin,
    ) -> Result<(), Error> {
        self.confirm_login(tx, login).await?;
        self.consume_otp(tx, &login.user, login.otp.as_deref(), &login.origin).await
    }

    /// Counts an attempt before any work is done for it, so that concurrent attempts are all counted. Refuses an address that keeps
    /// failing on an account, and delays all attempts on an account under attack; failures on other accounts lock nobody out. Whether
    /// the account exists changes only under which key the attempt is counted for the audit log.
    async fn count_login_attempt(
        &self,
        typed: &str,
        existing_account: Option<String>,
        origin: &Origin,
    ) -> Result<LoginAttempt, Error> {
        let (at, address, bucket) = (self.clock.now(), origin.network(), self.account_bucket(typed));
        let limits = &self.config.attempts;
        let window = Span::minutes(limits.window_minutes.into());
        let mut tx = self.store.begin().await?;
        tx.login_throttle(&self.platform).begin_attempt(bucket, &address, at).await?;
        let since = (at - window).truncate_to_minute();
        let failed_attempts =
            tx.login_throttle(&self.platform).failed_attempts(bucket, &address, since, at).await?;
        if let Some(until) = retry_at(&failed_attempts, limits.max_per_address.into(), window)
            && at < until
        {
            let error = Error::new(
                ErrorKind::RateLimited,
                "too_many_attempts",
                "Too many wrong passwords or codes for this account from your address. Wait before you try again.",
            );
            return Err(error.retry_after((until - at).ceil_seconds()));
        }
        tx.login_throttle(&self.platform).add(bucket, &address, at).await?;
        let (account, counted_address) = match existing_account {
            Some(account) => (account, address.clone()),
            None => (UNKNOWN_ACCOUNT.to_owned(), self.unknown_account_shard(&address)),
        };
        tx.failed_logins(&self.platform).add(&account, &counted_address, at).await?;
        tx.commit().await?;
        let delay =
            delay_ms(failed_attempts.from_anywhere, limits.delay_after.into(), limits.max_delay_ms.into());
        if delay > 0 {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        Ok(LoginAttempt { bucket, account, address, at })
    }
}

/// The same error for every wrong input, so that it does not reveal which one is wrong.
pub(crate) fn invalid_credentials() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "invalid_credentials",
        "The email, the password or the code is wrong.",
    )
}

/// Returns the time until which an address with `limit` or more failures must wait: one minute after the last failure, then two,
/// four and so on.
fn retry_at(failed_attempts: &FailedAttempts, limit: i64, window: Span) -> Option<Timestamp> {
    let over = failed_attempts.from_address - limit;
    let last = failed_attempts.last_minute?;
    (over >= 0).then(|| {
        let minutes = 1_i64 << over.min(10);
        let wait = Span::minutes(minutes).min(window);
        // From the end of the minute, because only the minute of the last failure is stored.
        last + Span::minutes(1) + wait
    })
}

/// Returns zero up to the limit, then 50 ms for each further failure, up to the maximum.
fn delay_ms(refusals: i64, delay_after: i64, max_delay_ms: i64) -> u64 {
    let over = (refusals - delay_after).max(0);
    u64::try_from(over.saturating_mul(50).min(max_delay_ms)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_doubles_up_to_the_window() {
        let last = Timestamp::from_seconds(600);
        let wait = |from_address| {
            let failed_attempts = FailedAttempts { from_address, last_minute: Some(last), from_anywhere: 0 };
            retry_at(&failed_attempts, 5, Span::minutes(15)).map(|until| (until - last).ceil_seconds())
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
