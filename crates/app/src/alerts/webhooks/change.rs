//! Creating, changing and deleting webhooks.

use domain::access::ManageBrand;
use domain::{AlertRuleId, Change, Name, WebhookAddress, WebhookDisabled, WebhookId};
use serde_json::json;
use store::{RuleViewer, Scope, Tx};

use super::secrets::Secret;
use super::{ACTION, AUDITED_KIND, NewWebhook, WebhookChange, WebhookView, audit_fields, webhook_disabled};
use crate::platform::audit::AuditEntry;
use crate::{App, Error, ErrorKind, FreshCaller, Idempotent, IfMatch, ShownOnce};

/// Maximum number of webhooks per brand.
const MAX_WEBHOOKS: i64 = 50;

#[macros::boxed]
impl App {
    /// Creates a webhook and returns its secret, which is shown only once. It is not idempotent: the stored answer would contain the
    /// secret.
    pub async fn create_webhook(
        &self,
        caller: &FreshCaller<ManageBrand>,
        new: NewWebhook,
    ) -> Result<(WebhookView, String), Error> {
        caller.require_unrestricted(ACTION)?;
        self.check_webhook_target(&new.url).await?;
        let secret = Secret::generate(&self.random);
        let mut tx = self.store.begin().await?;
        let made = self.add_webhook(&mut tx, caller, new, &secret).await?;
        tx.commit().await?;
        Ok((made, secret.shown()))
    }

    /// The same for a form that may be sent twice: the second time nothing is created. A second click is shown the same secret; later
    /// repeats are not.
    pub async fn create_webhook_once(
        &self,
        caller: &FreshCaller<ManageBrand>,
        new: NewWebhook,
        idempotent: Idempotent<'_, WebhookView>,
    ) -> Result<ShownOnce, Error> {
        caller.require_unrestricted(ACTION)?;
        if !self.has_stored_response(idempotent.key()).await? {
            self.check_webhook_target(&new.url).await?;
        }
        let secret = Secret::generate(&self.random);
        self.run_once_with_secret(idempotent, async |tx| {
            let view = self.add_webhook(tx, caller, new.clone(), &secret).await?;
            Ok((view, secret.shown()))
        })
        .await
    }

    async fn add_webhook(
        &self,
        tx: &mut Tx,
        caller: &FreshCaller<ManageBrand>,
        new: NewWebhook,
        secret: &Secret,
    ) -> Result<WebhookView, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        // One creation at a time: two concurrent ones would both find the last place free.
        tx.lock_and_bump_registry(scope).await?;
        if tx.webhooks(scope).count(None).await? >= MAX_WEBHOOKS {
            let detail = format!("The brand already has {MAX_WEBHOOKS} webhooks; delete some.");
            return Err(Error::new(ErrorKind::Conflict, "too_many_webhooks", detail));
        }
        tx.webhooks(scope).lock_rules().await?;
        check_alerts(tx, scope, new.alerts.as_deref().unwrap_or_default(), &[]).await?;
        let row = store::NewWebhook {
            name: new.name,
            url: new.url,
            rules: new.alerts,
            disabled_reason: (!new.enabled).then_some(WebhookDisabled::ByUser),
        };
        let id = tx.webhooks(scope).add(&row, now).await?;
        let sealed = self.seal_webhook_secret(id, secret)?;
        tx.webhooks(scope).set_secret(id, &sealed, None, now).await?;
        let made = self.lock_webhook(tx, scope, id).await?;
        let act = AuditEntry::by_caller(caller).on("webhook.created", AUDITED_KIND, id.0);
        self.record_audit(tx, act.with_details(json!({ "after": audit_fields(&made)? }))).await?;
        Ok(made)
    }

    /// Changes, disables or enables a webhook. Enabling it sends nothing of what it missed.
    pub async fn change_webhook(
        &self,
        caller: &FreshCaller<ManageBrand>,
        id: WebhookId,
        if_match: &IfMatch,
        change: WebhookChange,
    ) -> Result<WebhookView, Error> {
        caller.require_unrestricted(ACTION)?;
        let (scope, now) = (caller.scope(), self.clock.now());
        // Looking a name up comes before the transaction.
        if let Change::Set(url) = &change.url
            && self.find_webhook(caller, id).await?.webhook.url != url.as_str()
        {
            self.check_webhook_target(url).await?;
        }
        let mut tx = self.store.begin().await?;
        tx.webhooks(scope).lock_rules().await?;
        let before = self.lock_webhook(&mut tx, scope, id).await?;
        if_match.check(before.webhook.version)?;
        let to = changed_values(&before, change)?;
        if is_same(&before, &to) {
            return Ok(before);
        }
        let known = before.alerts.as_deref().unwrap_or_default();
        check_alerts(&mut tx, scope, to.rules.as_deref().unwrap_or_default(), known).await?;
        let is_enabled_again = before.webhook.disabled_reason.is_some() && to.disabled_reason.is_none();
        if is_enabled_again && !has_secret(&mut tx, scope, id).await? {
            let detail = "The secret was lost with the installation key: rotate it first.";
            return Err(webhook_disabled(detail));
        }
        tx.webhooks(scope).change(id, &to, now).await?;
        let after = self.lock_webhook(&mut tx, scope, id).await?;
        let act = AuditEntry::by_caller(caller).on("webhook.changed", AUDITED_KIND, id.0);
        let details = json!({ "before": audit_fields(&before)?, "after": audit_fields(&after)? });
        self.record_audit(&mut tx, act.with_details(details)).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Deletes a webhook with its deliveries, and returns what it was. What has not been sent yet is not sent any more.
    pub async fn delete_webhook(
        &self,
        caller: &FreshCaller<ManageBrand>,
        id: WebhookId,
        if_match: &IfMatch,
    ) -> Result<WebhookView, Error> {
        caller.require_unrestricted(ACTION)?;
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        let deleted = self.lock_webhook(&mut tx, scope, id).await?;
        if_match.check(deleted.webhook.version)?;
        tx.webhooks(scope).delete(id).await?;
        let act = AuditEntry::by_caller(caller).on("webhook.deleted", AUDITED_KIND, id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "before": audit_fields(&deleted)? }))).await?;
        tx.commit().await?;
        Ok(deleted)
    }
}

/// Whether a webhook can be called: whatever it was disabled for, its secret may have been lost since.
async fn has_secret(tx: &mut Tx, scope: &Scope, id: WebhookId) -> Result<bool, Error> {
    let stored = tx.webhooks(scope).secrets(id).await?;
    Ok(stored.is_some_and(|stored| stored.secret.is_some()))
}

/// Returns the values of a webhook as they are stored.
fn stored_values(view: &WebhookView) -> Result<store::NewWebhook, Error> {
    Ok(store::NewWebhook {
        name: Name::parse_stored(&view.webhook.name).map_err(Error::internal)?,
        url: WebhookAddress::parse(&view.webhook.url).map_err(Error::internal)?,
        rules: view.alerts.clone(),
        disabled_reason: view.webhook.disabled_reason,
    })
}

fn changed_values(before: &WebhookView, change: WebhookChange) -> Result<store::NewWebhook, Error> {
    let stored = stored_values(before)?;
    let disabled_reason = match change.enabled {
        Change::Keep => stored.disabled_reason,
        Change::Set(true) => None,
        Change::Set(false) => Some(stored.disabled_reason.unwrap_or(WebhookDisabled::ByUser)),
    };
    Ok(store::NewWebhook {
        name: change.name.or(stored.name),
        url: change.url.or(stored.url),
        rules: change.alerts.or(stored.rules),
        disabled_reason,
    })
}

fn is_same(before: &WebhookView, to: &store::NewWebhook) -> bool {
    let webhook = &before.webhook;
    (webhook.name.as_str(), webhook.url.as_str()) == (to.name.as_str(), to.url.as_str())
        && (&before.alerts, webhook.disabled_reason) == (&to.rules, to.disabled_reason)
}

/// Refuses rules that do not exist. Those that the webhook has already are not looked up.
async fn check_alerts(
    tx: &mut Tx,
    scope: &Scope,
    wanted: &[AlertRuleId],
    known: &[AlertRuleId],
) -> Result<(), Error> {
    for id in wanted.iter().filter(|id| !known.contains(id)) {
        if tx.alert_rules(scope).find(*id, RuleViewer::Brand).await?.is_none() {
            let text = format!("has {id}, which is not the identifier of an alert");
            return Err(Error::missing_relation("alert_ids", "unknown_alert", text));
        }
    }
    Ok(())
}
