//! Coming back in without the old password, by a link in a mail.

use domain::{AccountChange, Email, LinkPurpose, Span, UserState};
use serde_json::json;

use crate::audit::Act;
use crate::jobs::{Lease, PasswordResetRequest, Standing};
use crate::{App, Error, Origin};

/// A user gets at most one mail in so long, however often someone asks.
const QUIET: Span = Span::minutes(5);

impl App {
    /// Takes a request in. What comes of it happens later, as a job, so that neither the answer nor its time tells
    /// whether there is such an account.
    pub async fn request_password_reset(&self, email: &Email) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        self.enqueue(&mut tx, None, &PasswordResetRequest { email: email.as_str().to_owned() }).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Mails a link to whoever asked for one, if they have an account they can sign in to; and ends the job, both or
    /// neither.
    pub async fn answer_password_reset(
        &self,
        lease: &Lease,
        request: &PasswordResetRequest,
    ) -> Result<Standing, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let found = match Email::parse(&request.email) {
            Ok(email) => tx.users(&self.platform).by_email(&email).await?,
            Err(_) => None,
        };
        let user = found.map(|found| found.user).filter(|user| user.state == UserState::Active);
        if let Some(user) = user {
            // Locked: of two requests at once, the second sees the link of the first.
            tx.users(&self.platform).by_id_locked(user.id).await?;
            let purpose = LinkPurpose::PasswordReset;
            let last = tx.account_links(&self.platform).last_made(user.id, purpose).await?;
            if last.is_none_or(|last| last > now || now - last >= QUIET) {
                let lifetime = Span::minutes(self.config.password_reset_minutes.into());
                self.issue_account_link(&mut tx, &user, purpose, None, lifetime).await?;
                let act = Act::of_service(Some(user.brand), None);
                self.record(&mut tx, act.on("user.password_reset_requested", "user", user.id.0)).await?;
            }
        }
        let standing = self.finish_job_in(&mut tx, lease).await?;
        if standing == Standing::Held {
            tx.commit().await?;
        }
        Ok(standing)
    }

    /// Refuses a link that opens nothing, before what is wanted of it is even read.
    pub async fn check_password_reset(&self, secret: &str) -> Result<(), Error> {
        let mut tx = self.store.read().await?;
        let found = self.find_account_link(&mut tx, LinkPurpose::PasswordReset, secret).await?;
        found.map(drop).ok_or_else(missing)
    }

    /// Gives whoever holds the link a new password; every session of theirs ends.
    pub async fn reset_password(&self, secret: &str, password: &str, origin: &Origin) -> Result<(), Error> {
        let purpose = LinkPurpose::PasswordReset;
        let mut tx = self.store.read().await?;
        let link = self.find_account_link(&mut tx, purpose, secret).await?.ok_or_else(missing)?;
        let found = tx.account_links(&self.platform).addressed(link.id).await?.ok_or_else(missing)?;
        drop(tx);
        // Hashed outside of the transaction, and only for those who hold a good link.
        let known = [&*found.email, &found.name, &found.brand_name];
        let hash = self.accept_password(("password", password), known).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let user = tx.users(&self.platform).by_id_locked(link.user).await?;
        let user = user.filter(|found| found.user.state == UserState::Active).ok_or_else(missing)?.user;
        let link = self.live_account_link(&mut tx, purpose, secret).await?.ok_or_else(missing)?;
        tx.account_links(&self.platform).mark_used(link.id, now).await?;
        let ended = self.replace_password(&mut tx, user.id, &hash, None).await?;
        self.notify(&mut tx, (user.brand, user.id), AccountChange::PasswordChanged).await?;
        let act = Act::of_user(user.brand, user.id, origin).on("user.password_reset", "user", user.id.0);
        self.record(&mut tx, act.with(json!({ "sessions_ended": ended }))).await?;
        self.commit_access_change(tx).await
    }
}

/// Unknown, used and expired links are one and the same to whoever tries them.
fn missing() -> Error {
    Error::not_found("password reset")
}
