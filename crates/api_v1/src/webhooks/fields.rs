//! The fields of a webhook, as bodies have them.

use domain::{AlertRuleId, Change, Invalid, Name, WebhookAddress};
use serde_json::Value;

use super::Webhook;

/// More alerts than this are better served by a webhook for all.
const MAX_ALERTS: usize = 100;

/// Fields of a new webhook.
#[web::body]
pub struct NewWebhook {
    /// Name of the webhook.
    #[schema(example = "Control room", min_length = 1, max_length = 100)]
    name: Name,
    /// Address to call. It begins with `https://`, has no user name and no fragment, and does not lead to a private, loopback or
    /// link-local address, unless the operator allows it.
    #[schema(example = "https://hooks.example.com/keepclear", min_length = 1, max_length = 2000)]
    #[field(parse = WebhookAddress::parse)]
    url: WebhookAddress,
    /// Identifiers of the alerts to call it for, at most 100; null or left out for all, also for those that are added later.
    #[schema(value_type = Option<Vec<i64>>, example = json!([]), max_items = 100)]
    #[field(with = alert_ids)]
    alert_ids: Option<Vec<AlertRuleId>>,
    /// Whether it is called. The default is `true`.
    #[schema(default = true, example = true)]
    enabled: Option<bool>,
}

impl From<NewWebhook> for app::NewWebhook {
    fn from(new: NewWebhook) -> Self {
        Self { name: new.name, url: new.url, alerts: new.alert_ids, enabled: new.enabled.unwrap_or(true) }
    }
}

/// Changes to a webhook. Fields that are left out keep their values.
#[web::body(into = app::WebhookChange, of = Webhook)]
pub struct ChangedWebhook {
    /// Name of the webhook.
    #[schema(example = "Control room", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Address to call, by the same rules as for a new webhook.
    #[schema(example = "https://hooks.example.com/keepclear", min_length = 1, max_length = 2000)]
    #[field(parse = WebhookAddress::parse)]
    url: Change<WebhookAddress>,
    /// Identifiers of the alerts to call it for, at most 100; null for all.
    #[schema(value_type = Option<Vec<i64>>, example = json!([]), max_items = 100)]
    #[field(with = alert_ids, into = alerts)]
    alert_ids: Change<Option<Vec<AlertRuleId>>>,
    /// Whether it is called.
    #[schema(example = true)]
    enabled: Change<bool>,
}

/// Reads the alerts of a webhook, sorted and without duplicates.
fn alert_ids(value: &Value) -> Result<Vec<AlertRuleId>, Invalid> {
    let ids = value.as_array().ok_or_else(|| Invalid::new("wrong_type", "must be a list of ids"))?;
    if ids.len() > MAX_ALERTS {
        return Err(Invalid::new("too_many", format!("must have at most {MAX_ALERTS} ids")));
    }
    let mut ids: Vec<AlertRuleId> =
        ids.iter().map(|id| web::id(id).map(AlertRuleId)).collect::<Result<_, _>>()?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}
