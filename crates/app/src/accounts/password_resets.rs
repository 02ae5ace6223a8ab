//! Password resets by a link that is sent by mail.

use domain::{AccountChange, EmailAddress, LinkPurpose, Span, User, UserId, UserState};
use serde_json::json;
use store::{TaskOwner, Tx};

use crate::platform::audit::AuditEntry;
use crate::{App, Error, Origin};

/// Minimum time between two mails to the same user, however many requests there are.
const MIN_LINK_INTERVAL: Span = Span::minutes(5);
/// Maximum number of links that a user gets within the lifetime of one. If a stranger uses them up, the last one still works for the
/// user.
const MAX_LINKS: i64 = 3;

#[macros::boxed]
impl App {
    /// Mails a reset link to an active user with this address. If there is none, nothing is written.
    pub(crate) async fn process_password_reset(&self, email: &EmailAddress) -> Result<(), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.users(&self.platform).by_email(email).await?;
        let user = found.map(|found| found.user).filter(|user| user.state == UserState::Active);
        // Checked even without an account, so that the time taken reveals less.
        let id = user.as_ref().map_or(UserId(0), |user| user.id);
        let is_link_allowed = self.is_reset_link_allowed(&mut tx, id).await?;
        drop(tx);
        match user {
            Some(user) if is_link_allowed => {
                TaskOwner::job(user.brand).run(self.issue_reset_link(user)).await
            }
            _ => Ok(()),
        }
    }

    async fn issue_reset_link(&self, user: User) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        // Locked, so that the second of two concurrent requests sees the link of the first.
        let locked = tx.users(&self.platform).by_id_locked(user.id).await?;
        let Some(user) = locked.map(|found| found.user).filter(|user| user.state == UserState::Active) else {
            return Ok(());
        };
        if !self.is_reset_link_allowed(&mut tx, user.id).await? {
            return Ok(());
        }
        self.issue_account_link(&mut tx, &user, LinkPurpose::PasswordReset, None, self.reset_lifetime())
            .await?;
        let entry = AuditEntry::by_service(Some(user.brand), None);
        self.record_audit(&mut tx, entry.on("user.password_reset_requested", "user", user.id.0)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Whether a user may get another link: not right after the last one, and no more than a few that are still valid.
    async fn is_reset_link_allowed(&self, tx: &mut Tx, user: UserId) -> Result<bool, Error> {
        let now = self.clock.now();
        let period = (now - self.reset_lifetime(), now);
        let purpose = LinkPurpose::PasswordReset;
        let (count, last) = tx.account_links(&self.platform).count_created(user, purpose, period).await?;
        Ok(count < MAX_LINKS && last.is_none_or(|last| now - last >= MIN_LINK_INTERVAL))
    }

    fn reset_lifetime(&self) -> Span {
        Span::minutes(self.config.password_reset_lifetime_minutes.into())
    }

    /// Refuses an invalid link before the request body is read.
    pub async fn check_password_reset(&self, secret: &str) -> Result<(), Error> {
        let found = self.find_account_link(LinkPurpose::PasswordReset, secret).await?;
        found.map(drop).ok_or_else(reset_not_found)
    }

    /// Sets a new password for the user of a link, and ends all of their sessions.
    pub async fn reset_password(&self, secret: &str, password: &str, origin: &Origin) -> Result<(), Error> {
        let purpose = LinkPurpose::PasswordReset;
        let link = self.find_account_link(purpose, secret).await?.ok_or_else(reset_not_found)?;
        let mut tx = self.store.read().await?;
        let found =
            tx.account_links(&self.platform).find_details(link.id).await?.ok_or_else(reset_not_found)?;
        drop(tx);
        // Hashed outside the transaction, and only for a valid link.
        let guessable = [&*found.email, &found.name, &found.brand_name];
        let hash = self.validate_and_hash_password(("password", password), guessable).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let user = tx.users(&self.platform).by_id_locked(link.user).await?;
        let user =
            user.filter(|found| found.user.state == UserState::Active).ok_or_else(reset_not_found)?.user;
        let link =
            self.lock_live_account_link(&mut tx, purpose, secret).await?.ok_or_else(reset_not_found)?;
        tx.account_links(&self.platform).mark_used(link.id, now).await?;
        let ended = self.replace_password(&mut tx, user.id, &hash, None).await?;
        self.enqueue_account_notice(&mut tx, (user.brand, user.id), AccountChange::PasswordChanged).await?;
        let entry =
            AuditEntry::by_user(user.brand, user.id, origin).on("user.password_reset", "user", user.id.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "sessions_ended": ended }))).await?;
        self.commit_access_change(tx).await
    }
}

/// Unknown, used and expired links get the same error, so that they cannot be distinguished.
fn reset_not_found() -> Error {
    Error::not_found("password reset")
}
