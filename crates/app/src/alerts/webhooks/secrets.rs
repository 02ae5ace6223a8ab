//! Secrets of webhooks. They are stored sealed, because signing needs them, and shown once. While one replaces another, both are valid.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::access::ManageBrand;
use domain::{Random, Span, Timestamp, WebhookId};
use serde_json::json;
use store::{Scope, Tx};

use super::{ACTION, AUDITED_KIND, WebhookView};
use crate::platform::audit::AuditEntry;
use crate::{App, Error, FreshCaller, Idempotent, ShownOnce};

/// Purposes for which secrets are sealed, each with the id of its webhook.
const SECRET_PURPOSE: &str = "webhooks.secret";
const OLD_SECRET_PURPOSE: &str = "webhooks.old_secret";

/// The least length that Standard Webhooks recommends.
const SECRET_BYTES: usize = 24;

/// A new secret.
pub(super) struct Secret([u8; SECRET_BYTES]);

impl Secret {
    pub fn generate(random: &Random) -> Self {
        Self(random.bytes())
    }

    /// Returns the secret as receivers are configured with it.
    pub fn shown(&self) -> String {
        format!("whsec_{}", BASE64_STANDARD.encode(self.0))
    }
}

#[macros::boxed]
impl App {
    /// Replaces the secret of a webhook and returns the new one, which is shown only once. The previous one signs, too, for the time of
    /// the overlap; one that was replaced earlier ends in any case. A webhook that lost its secret with the installation key is enabled
    /// again.
    pub async fn rotate_webhook_secret(
        &self,
        caller: &FreshCaller<ManageBrand>,
        id: WebhookId,
        overlap: Span,
    ) -> Result<(WebhookView, String), Error> {
        caller.require_unrestricted(ACTION)?;
        let secret = Secret::generate(&self.random);
        let mut tx = self.store.begin().await?;
        let after = self.replace_secret(&mut tx, caller, id, (overlap, &secret)).await?;
        tx.commit().await?;
        Ok((after, secret.shown()))
    }

    /// The same for a form that may be sent twice: the second time nothing is replaced, so that the original secret stays valid for the
    /// overlap. A second click is shown the same secret; later repeats are not.
    pub async fn rotate_webhook_secret_once(
        &self,
        caller: &FreshCaller<ManageBrand>,
        id: WebhookId,
        overlap: Span,
        idempotent: Idempotent<'_, WebhookView>,
    ) -> Result<ShownOnce, Error> {
        caller.require_unrestricted(ACTION)?;
        let secret = Secret::generate(&self.random);
        self.run_once_with_secret(idempotent, async |tx| {
            let view = self.replace_secret(tx, caller, id, (overlap, &secret)).await?;
            Ok((view, secret.shown()))
        })
        .await
    }
}

impl App {
    /// Replaces the secret in a transaction, and records it in the audit log.
    async fn replace_secret(
        &self,
        tx: &mut Tx,
        caller: &FreshCaller<ManageBrand>,
        id: WebhookId,
        (overlap, secret): (Span, &Secret),
    ) -> Result<WebhookView, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let sealed = self.seal_webhook_secret(id, secret)?;
        self.lock_webhook(tx, scope, id).await?;
        let previous = match overlap > Span::ZERO {
            true => self.seal_as_previous(tx, scope, id).await?,
            false => None,
        };
        let previous = previous.as_deref().map(|previous| (previous, now + overlap));
        tx.webhooks(scope).set_secret(id, &sealed, previous, now).await?;
        let entry = AuditEntry::by_caller(caller).on("webhook.rotated", AUDITED_KIND, id.0);
        let details = json!({ "overlap_s": previous.map(|_| overlap.whole_seconds()) });
        self.record_audit(tx, entry.with_details(details)).await?;
        self.lock_webhook(tx, scope, id).await
    }

    pub(super) fn seal_webhook_secret(&self, id: WebhookId, secret: &Secret) -> Result<Vec<u8>, Error> {
        self.seal(SECRET_PURPOSE, id.to_string().as_bytes(), &secret.0)
    }

    /// Returns the current secret, sealed as the one before; none if there is none.
    async fn seal_as_previous(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        id: WebhookId,
    ) -> Result<Option<Vec<u8>>, Error> {
        let stored = tx.webhooks(scope).secrets(id).await?;
        let Some(sealed) = stored.and_then(|stored| stored.secret) else { return Ok(None) };
        let context = id.to_string();
        let plain = self.unseal_in(tx, (SECRET_PURPOSE, context.as_bytes()), &sealed).await?;
        self.seal(OLD_SECRET_PURPOSE, context.as_bytes(), &plain).map(Some)
    }

    /// Returns the secrets that sign now, the current one first; none if it was lost with the installation key.
    pub(super) async fn signing_secrets(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        id: WebhookId,
        now: Timestamp,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let Some(stored) = tx.webhooks(scope).secrets(id).await? else { return Ok(Vec::new()) };
        let context = id.to_string();
        let mut secrets = Vec::new();
        if let Some(sealed) = &stored.secret {
            secrets.push(self.unseal_in(tx, (SECRET_PURPOSE, context.as_bytes()), sealed).await?);
        }
        let is_valid = stored.old_secret_until.is_some_and(|until| until > now);
        if let Some(sealed) = stored.old_secret.as_ref().filter(|_| is_valid) {
            secrets.push(self.unseal_in(tx, (OLD_SECRET_PURPOSE, context.as_bytes()), sealed).await?);
        }
        Ok(secrets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_as_the_specification_says() {
        let shown = Secret::generate(&Random::seeded(7)).shown();
        let encoded = shown.strip_prefix("whsec_").unwrap();
        assert_eq!(BASE64_STANDARD.decode(encoded).unwrap().len(), SECRET_BYTES);
        assert_ne!(shown, Secret::generate(&Random::seeded(8)).shown());
    }
}
