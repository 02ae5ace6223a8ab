//! Webhooks: calls to other systems when alerts fire or clear, by the rules of Standard Webhooks.
//!
//! `change` has what admins do with webhooks and `target` refuses addresses that lead inside. `deliveries` adds what is to be sent,
//! `calls` prepares and records each attempt at it, `circuit_breakers` makes events wait whose receiver does not answer,
//! `payload` writes the body, and `secrets` and `signing` prove to the receiver who calls.
//! `notices` notifies admins that a webhook was disabled.

mod calls;
mod change;
mod circuit_breakers;
mod deliveries;
mod notices;
mod payload;
mod secrets;
mod signing;
mod target;

use std::collections::HashMap;

use domain::access::ManageBrand;
use domain::{
    AlertRuleId, Change, Name, Page, PageRequest, Webhook, WebhookAddress, WebhookDisabled, WebhookId,
};
use serde_json::{Value, json};
use store::{Scope, Tx};

use crate::{App, Caller, Error, ErrorKind};

pub use calls::WebhookCall;
pub(crate) use circuit_breakers::CircuitBreakers;
pub use notices::WebhookNoticeEmail;

/// Kind of record in the audit log.
const AUDITED_KIND: &str = "webhook";

/// What only those who see the whole brand may do: a webhook gets the firings of all projects.
const ACTION: &str = crate::unrestricted::MANAGE_WEBHOOKS;

#[derive(Clone, Debug)]
pub struct NewWebhook {
    pub name: Name,
    pub url: WebhookAddress,
    /// Rules whose events it gets; none for all.
    pub alerts: Option<Vec<AlertRuleId>>,
    pub enabled: bool,
}

#[derive(Clone, Debug)]
pub struct WebhookChange {
    pub name: Change<Name>,
    pub url: Change<WebhookAddress>,
    pub alerts: Change<Option<Vec<AlertRuleId>>>,
    pub enabled: Change<bool>,
}

/// A webhook with the rules whose events it gets.
#[derive(Clone, Debug)]
pub struct WebhookView {
    pub webhook: Webhook,
    /// None for all.
    pub alerts: Option<Vec<AlertRuleId>>,
}

#[macros::boxed]
impl App {
    /// Returns a page of webhooks, sorted by name, with the total if requested.
    pub async fn list_webhooks(
        &self,
        caller: &Caller<ManageBrand>,
        q: Option<&str>,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<WebhookView>, Option<i64>), Error> {
        caller.require_unrestricted(ACTION)?;
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let found = tx.webhooks(scope).page(q, page).await?;
        let total = match include_total {
            true => Some(tx.webhooks(scope).count(q).await?),
            false => None,
        };
        let rows = self.view_webhooks(&mut tx, scope, found.rows).await?;
        Ok((Page { rows, next: found.next }, total))
    }

    pub async fn find_webhook(
        &self,
        caller: &Caller<ManageBrand>,
        id: WebhookId,
    ) -> Result<WebhookView, Error> {
        caller.require_unrestricted(ACTION)?;
        let mut tx = self.store.read().await?;
        let found = tx.webhooks(caller.scope()).find(id).await?.ok_or_else(webhook_not_found)?;
        self.view_webhook(&mut tx, caller.scope(), found).await
    }

    /// Finds a webhook and locks its row until the end of the transaction.
    async fn lock_webhook(&self, tx: &mut Tx, scope: &Scope, id: WebhookId) -> Result<WebhookView, Error> {
        let found = tx.webhooks(scope).find_locked(id).await?.ok_or_else(webhook_not_found)?;
        self.view_webhook(tx, scope, found).await
    }

    /// Adds to a webhook what is shown with it.
    async fn view_webhook(&self, tx: &mut Tx, scope: &Scope, webhook: Webhook) -> Result<WebhookView, Error> {
        let mut views = self.view_webhooks(tx, scope, vec![webhook]).await?;
        views.pop().ok_or_else(|| Error::internal("a webhook is shown as none"))
    }

    async fn view_webhooks(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        webhooks: Vec<Webhook>,
    ) -> Result<Vec<WebhookView>, Error> {
        let ids: Vec<WebhookId> = webhooks.iter().map(|webhook| webhook.id).collect();
        let mut rules: HashMap<WebhookId, Vec<AlertRuleId>> = HashMap::new();
        for (webhook, rule) in tx.webhooks(scope).rules(&ids).await? {
            rules.entry(webhook).or_default().push(rule);
        }
        let view = |webhook: Webhook| {
            let mut alerts = rules.remove(&webhook.id).unwrap_or_default();
            alerts.sort_unstable_by_key(|rule| rule.0);
            WebhookView { alerts: (!webhook.all_rules).then_some(alerts), webhook }
        };
        Ok(webhooks.into_iter().map(view).collect())
    }
}

fn webhook_not_found() -> Error {
    Error::not_found("webhook")
}

/// Refuses what needs a webhook that is called.
fn webhook_disabled(detail: &'static str) -> Error {
    Error::new(ErrorKind::Conflict, "webhook_disabled", detail)
}

/// Returns the host of a stored address; the rest of it may contain secrets.
fn host_of(webhook: &Webhook) -> Result<String, Error> {
    let address = WebhookAddress::parse(&webhook.url).map_err(Error::internal)?;
    Ok(address.host().to_owned())
}

/// Returns the fields for the audit log.
fn audit_fields(view: &WebhookView) -> Result<Value, Error> {
    let disabled_reason = view.webhook.disabled_reason.map(WebhookDisabled::as_str);
    Ok(json!({
        "name": view.webhook.name,
        "host": host_of(&view.webhook)?,
        "alert_ids": view.alerts,
        "disabled_reason": disabled_reason,
    }))
}
