//! Single-use links that are sent by mail: invitations and password resets.
//!
//! A link's secret is not stored. It is derived from the link's nonce with the installation's key: once to store its hash, and
//! again when the mail is written, so that a mail that is sent twice carries the same link.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{
    AccountLinkId, EmailAddress, JobId, LinkPurpose, Name, Role, Span, Timestamp, User, UserId, UserState,
};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{AccountLink, NewAccountLink, Tx};
use texts::Language;

use crate::platform::audit::AuditEntry;
use crate::platform::crypto::hmac_sha256;
use crate::platform::jobs::{AccountMail, Lease, LeaseStatus};
use crate::{App, Error};

/// Contents of the mail that carries an account link.
#[derive(Clone, Debug)]
pub struct AccountEmail {
    pub link: AccountLink,
    /// The link's secret in clear text, for the URL in the mail.
    pub secret: String,
    pub recipient: EmailAddress,
    pub recipient_name: Name,
    /// The role that the recipient has, or will have once they accept the invitation.
    pub role: Role,
    pub brand_name: String,
    /// The recipient's language, or the brand's if they chose none.
    pub language: Language,
    /// The brand's time zone, in which the mail gives times.
    pub time_zone: String,
    /// Name of the user who caused the mail, if it was a user.
    pub sender: Option<String>,
    pub expires_at: Timestamp,
    /// Whether the address already has an account elsewhere in the installation, so that the invitation cannot be accepted.
    pub email_is_taken: bool,
}

#[macros::boxed]
impl App {
    /// Creates a link for a user and enqueues its mail, both in the caller's transaction. Earlier links of the user for the same
    /// purpose are ended. `created_by` is the user who causes the mail.
    pub async fn issue_account_link(
        &self,
        tx: &mut Tx,
        user: &User,
        purpose: LinkPurpose,
        created_by: Option<UserId>,
        lifetime: Span,
    ) -> Result<AccountLink, Error> {
        let now = self.clock.now();
        tx.account_links(&self.platform).end_by_purpose(user.id, purpose, now).await?;
        let nonce = self.random.bytes::<32>();
        let new = NewAccountLink {
            brand: user.brand,
            user: user.id,
            purpose,
            nonce: &nonce,
            hash: &hash_secret(&self.derive_link_secret(purpose, &nonce)),
            created_by,
            expires_at: now + lifetime,
        };
        let link = tx.account_links(&self.platform).add(&new, now).await?;
        self.enqueue_account_mail(tx, &link).await?;
        Ok(link)
    }

    /// Enqueues the mail of a link. It may be called again for the same link: the mail carries the same secret.
    pub(crate) async fn enqueue_account_mail(&self, tx: &mut Tx, link: &AccountLink) -> Result<JobId, Error> {
        self.enqueue(tx, Some(link.brand), &AccountMail { link: link.id }).await
    }

    /// Returns the secret for the URL of a link.
    pub fn account_link_secret(&self, link: &AccountLink) -> String {
        self.derive_link_secret(link.purpose, &link.nonce)
    }

    /// Finds the live link with this secret and purpose, and locks it until the end of the transaction, so that it is used only once.
    pub async fn lock_live_account_link(
        &self,
        tx: &mut Tx,
        purpose: LinkPurpose,
        secret: &str,
    ) -> Result<Option<AccountLink>, Error> {
        let found = tx.account_links(&self.platform).by_hash_locked(&hash_secret(secret)).await?;
        Ok(found.filter(|link| link.purpose == purpose && link.is_live(self.clock.now())))
    }

    /// Like [`Self::lock_live_account_link`], but without the lock: for reading only.
    pub(crate) async fn find_account_link(
        &self,
        purpose: LinkPurpose,
        secret: &str,
    ) -> Result<Option<AccountLink>, Error> {
        let now = self.clock.now();
        // The connection is returned immediately: holding one while waiting for another can deadlock.
        let found =
            self.store.read().await?.account_links(&self.platform).by_hash(&hash_secret(secret)).await?;
        let Some(link) = found.filter(|link| link.purpose == purpose) else { return Ok(None) };
        if link.used_at.is_none() && !link.is_live(now) {
            // The expiry is stored, so that the link stays dead if the clock is set back. Every use of a link starts with this lookup.
            let mut tx = self.store.begin().await?;
            tx.account_links(&self.platform).mark_used(link.id, now).await?;
            tx.commit().await?;
        }
        Ok(Some(link).filter(|link| link.is_live(now)))
    }

    /// Returns the contents of a link's mail, or `None` if there is no reason left to send it: the link is used or expired, or the
    /// user is no longer in the state that the link is for.
    pub async fn find_account_email(&self, id: AccountLinkId) -> Result<Option<AccountEmail>, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.account_links(&self.platform).find_details(id).await?;
        let Some(found) = found else { return Ok(None) };
        let expected_state = match found.link.purpose {
            LinkPurpose::Invitation => UserState::Invited,
            LinkPurpose::PasswordReset => UserState::Active,
        };
        if found.state != expected_state || !found.link.is_live(self.clock.now()) {
            return Ok(None);
        }
        let scope = self.scope_of(found.link.brand);
        let preferences = tx.preferences(&scope, found.link.user).get().await?.effective();
        Ok(Some(AccountEmail {
            language: Language::of_tag(preferences.language.as_str()),
            secret: self.account_link_secret(&found.link),
            recipient: EmailAddress::parse_stored(&found.email).map_err(Error::internal)?,
            recipient_name: Name::parse_stored(&found.name).map_err(Error::internal)?,
            role: found.role,
            brand_name: found.brand_name,
            time_zone: found.time_zone,
            sender: found.created_by_name,
            expires_at: found.link.expires_at,
            email_is_taken: found.email_is_taken,
            link: found.link,
        }))
    }

    /// Records that the mail of a link was handed over and finishes its job, in one transaction.
    pub async fn record_account_email_sent(
        &self,
        lease: &Lease,
        email: &AccountEmail,
    ) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let details = json!({ "mail": email.link.purpose.as_str(), "job": lease.job() });
        let entry =
            AuditEntry::by_service(Some(email.link.brand), None).on("mail.sent", "user", email.link.user.0);
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        tx.commit().await?;
        Ok(lease_status)
    }

    fn derive_link_secret(&self, purpose: LinkPurpose, nonce: &[u8]) -> String {
        // Domain separation: the key's other use hashes JSON, which never begins like this.
        let parts: [&[u8]; 4] = [b"account link\0", purpose.as_str().as_bytes(), b"\0", nonce];
        BASE64_URL_SAFE_NO_PAD.encode(hmac_sha256(&self.keys().derivation_key, &parts))
    }
}

fn hash_secret(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}
