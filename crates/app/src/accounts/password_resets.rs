//! Coming back in without the old password, by a link in a mail.

use domain::{AccountChange, EmailAddress, LinkPurpose, Span, UserId, UserState};
use serde_json::json;
use store::{TaskOwner, Tx, User};

use crate::platform::audit::AuditEntry;
use crate::{App, Error, Origin};

/// A user gets at most one mail in so long, however often someone asks.
const MIN_LINK_INTERVAL: Span = Span::minutes(5);
/// How many links of a user are made in the time in which one is good. Whoever uses these up for someone else leaves them with
/// one that still opens.
const MAX_LINKS: i64 = 3;

impl App {
    /// Mails a link to whoever asked for one, if they have an account they can sign in to. Without one nothing is written.
    pub(crate) async fn process_password_reset(&self, email: &EmailAddress) -> Result<(), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.users(&self.platform).by_email(email).await?;
        let user = found.map(|found| found.user).filter(|user| user.state == UserState::Active);
        // Looked at for those who have no account, too: how long it takes tells less.
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
        // Locked: of two requests at once, the second sees the link of the first.
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

    /// Whether a user may have one more link: not right after the last one, and not more than a few that are still good.
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

    /// Refuses a link that opens nothing, before what is wanted of it is even read.
    pub async fn check_password_reset(&self, secret: &str) -> Result<(), Error> {
        let found = self.find_account_link(LinkPurpose::PasswordReset, secret).await?;
        found.map(drop).ok_or_else(reset_not_found)
    }

    /// Gives whoever holds the link a new password; every session of theirs ends.
    pub async fn reset_password(&self, secret: &str, password: &str, origin: &Origin) -> Result<(), Error> {
        let purpose = LinkPurpose::PasswordReset;
        let link = self.find_account_link(purpose, secret).await?.ok_or_else(reset_not_found)?;
        let mut tx = self.store.read().await?;
        let found =
            tx.account_links(&self.platform).find_details(link.id).await?.ok_or_else(reset_not_found)?;
        drop(tx);
        // Hashed outside of the transaction, and only for those who hold a good link.
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

/// Unknown, used and expired links are one and the same to whoever tries them.
fn reset_not_found() -> Error {
    Error::not_found("password reset")
}
