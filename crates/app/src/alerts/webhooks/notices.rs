//! Webhooks that are disabled because their receivers fail, and the mails that notify the admins.

use domain::{
    AlertDeliveryId, BrandId, EmailAddress, Name, PageRequest, Role, UserFilter, UserState, WebhookDisabled,
    WebhookId,
};
use serde_json::json;
use store::Tx;
use texts::Language;

use super::calls::MAX_AGE;
use super::{AUDITED_KIND, host_of};
use crate::alerts::messages::formats;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::WebhookNotice;
use crate::{App, Error};

/// As many admins get a mail.
const MAX_ADMINS: u16 = 500;

/// Contents of the mail to one admin.
#[derive(Clone, Debug)]
pub struct WebhookNoticeEmail {
    pub recipient: EmailAddress,
    pub recipient_name: Name,
    pub brand_name: String,
    pub language: Language,
    pub webhook_name: String,
    /// The rest of the address may contain secrets.
    pub host: String,
    pub reason: WebhookDisabled,
    /// Since when its calls fail, or when it was disabled, formatted for people.
    pub since: String,
}

#[macros::boxed]
impl App {
    /// Returns the contents of a notice's mail, or `None` if there is no reason left to send it: the webhook was enabled again or
    /// deleted, or the user no longer manages webhooks or has no address for mail.
    pub async fn find_webhook_notice(
        &self,
        job: &WebhookNotice,
    ) -> Result<Option<WebhookNoticeEmail>, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.read().await?;
        let Some(webhook) = tx.webhooks(&scope).find(job.webhook).await? else { return Ok(None) };
        let Some((at, reason)) = webhook.disabled_at.zip(webhook.disabled_reason) else { return Ok(None) };
        let Some(user) = tx.users_of(&scope).find(job.user).await? else { return Ok(None) };
        if user.state != UserState::Active || user.role < Role::Admin || user.restricted {
            return Ok(None);
        }
        // An account may have an address that earlier versions accepted and no mail can be sent to.
        let Ok(recipient) = EmailAddress::parse(&user.email) else { return Ok(None) };
        let preferences = tx.preferences(&scope, job.user).get().await?.effective();
        let brand = tx.brand_settings(&scope).await?.values;
        let language = Language::of_tag(preferences.language.as_str());
        // The event on which it was given up was tried for a day.
        let since = if reason == WebhookDisabled::Failing { at - MAX_AGE } else { at };
        Ok(Some(WebhookNoticeEmail {
            recipient,
            recipient_name: Name::parse_stored(&user.name).map_err(Error::internal)?,
            brand_name: brand.name.as_str().to_owned(),
            language,
            host: host_of(&webhook)?,
            webhook_name: webhook.name,
            reason,
            since: formats::time(language, since, &preferences.time_zone),
        }))
    }
}

impl App {
    /// Disables a webhook after a delivery that failed for good, and enqueues the mails to the admins who see the whole brand.
    pub(super) async fn disable_webhook(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        webhook: WebhookId,
        reason: WebhookDisabled,
        delivery: AlertDeliveryId,
    ) -> Result<(), Error> {
        let scope = self.scope_of(brand);
        // Another delivery may have been faster.
        if !tx.webhooks(&scope).disable(webhook, reason, self.clock.now()).await? {
            return Ok(());
        }
        let entry = AuditEntry::by_service(Some(brand), None).on("webhook.disabled", AUDITED_KIND, webhook.0);
        let details = json!({ "reason": reason.as_str(), "delivery": delivery });
        self.record_audit(tx, entry.with_details(details)).await?;
        let filter = UserFilter { role: Some(Role::Admin), state: Some(UserState::Active), q: None };
        let page = PageRequest { limit: MAX_ADMINS, after: None };
        let admins = tx.users_of(&scope).page(&filter, &page).await?;
        for admin in admins.rows.iter().filter(|admin| !admin.restricted) {
            self.enqueue(tx, Some(brand), &WebhookNotice { brand, webhook, user: admin.id }).await?;
        }
        Ok(())
    }
}
