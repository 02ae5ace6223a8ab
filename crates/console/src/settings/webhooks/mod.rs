//! /settings/webhooks: other systems that are called when alarms fire or clear, their secrets and their deliveries.

mod actions;
mod deliveries;
mod edit;
mod list;
mod page;
mod secret;

use app::{App, Error, WebhookView};
use axum::Router;
use axum::routing::{get, post};
use domain::access::ReadInsights;
use domain::{
    AlertRuleFilter, AlertRuleId, Change, Invalid, Name, PageRequest, WebhookAddress, WebhookDisabled,
};
use serde_json::Value;
use texts::console::webhooks as t;
use web::{BodyField, EdgeState, Fields};

use crate::done::Done;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Badge, Choice, Field, Input, Tone};

use actions::Button;

pub const ADDED_BEFORE: Done = Done { code: "webhook-added-before", text: t::ADDED_BEFORE, undo: None };
pub const ROTATED_BEFORE: Done = Done { code: "webhook-rotated-before", text: t::ROTATED_BEFORE, undo: None };
pub const SAVED: Done = Done { code: "webhook-saved", text: t::SAVED, undo: None };
pub const DELETED: Done = Done { code: "webhook-deleted", text: t::DELETED, undo: None };
pub const ENABLED: Done = Done { code: "webhook-enabled", text: t::WAS_ENABLED, undo: None };
pub const DISABLED: Done = Done { code: "webhook-disabled", text: t::WAS_DISABLED, undo: None };
pub const TESTED: Done = Done { code: "webhook-tested", text: t::TESTED, undo: None };
pub const REDELIVERED: Done = Done { code: "webhook-redelivered", text: t::REDELIVERED, undo: None };

const PATH: &str = "/settings/webhooks";
/// The maximum number of alerts that a webhook can name, as in the API.
const MAX_ALERTS: usize = 100;
/// The maximum number of alerts that can be chosen from.
const MAX_CHOICES: u16 = 500;
/// The choices of `which`.
const ALL: &str = "all";
const CHOSEN: &str = "chosen";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route("/settings/webhooks/{id}", get(edit::show).post(edit::save))
        .route("/settings/webhooks/{id}/rotate", post(secret::rotate))
        .route("/settings/webhooks/{id}/enable", actions::on(Button::Enable))
        .route("/settings/webhooks/{id}/disable", actions::on(Button::Disable))
        .route("/settings/webhooks/{id}/delete", actions::on(Button::Delete))
        .route("/settings/webhooks/{id}/test", post(actions::test))
        .route("/settings/webhooks/{id}/deliveries/{delivery_id}/redeliver", post(actions::redeliver))
}

const KINDS: &[(&str, Kind)] =
    &[("name", Kind::Text), ("url", Kind::Text), ("which", Kind::Text), ("alert_ids", Kind::Numbers)];

/// What the form says: the name, the address, and the alerts; none for all.
type Entries = (Name, WebhookAddress, Option<Vec<AlertRuleId>>);

fn read(fields: &mut Fields) -> Option<Entries> {
    let name = fields.required("name", Name::from_json);
    let url = fields.required("url", web::text(WebhookAddress::parse));
    let gets_all = fields.required("which", read_which);
    let alerts = fields.change_list("alert_ids", MAX_ALERTS, |fields, path, value| {
        fields.item(path, &value, AlertRuleId::from_json)
    });
    let mut alerts = match alerts? {
        Change::Set(alerts) => alerts,
        Change::Keep => Vec::new(),
    };
    alerts.sort_unstable();
    alerts.dedup();
    Some((name?, url?, if gets_all? { None } else { Some(alerts) }))
}

fn read_which(value: &Value) -> Result<bool, Invalid> {
    match value.as_str() {
        Some(ALL) => Ok(true),
        Some(CHOSEN) => Ok(false),
        _ => Err(Invalid::new("invalid_choice", "must be all or chosen")),
    }
}

/// The form as it is filled from a webhook, or for a new one.
fn view_of(webhook: Option<&WebhookView>) -> FormView {
    let alerts = webhook.and_then(|view| view.alerts.as_ref());
    let which = if alerts.is_some() { CHOSEN } else { ALL };
    let mut values = vec![("which", which.to_owned())];
    if let Some(view) = webhook {
        values.extend([("name", view.webhook.name.clone()), ("url", view.webhook.url.clone())]);
    }
    values.extend(alerts.into_iter().flatten().map(|id| ("alert_ids", id.to_string())));
    FormView::new(values)
}

/// The fields of a webhook, in the form that adds one and in the one that changes it.
async fn fields_of(app: &App, frame: &Frame, view: &FormView) -> Result<Vec<Field>, Error> {
    let which =
        vec![Choice::new(ALL, frame.text(t::ALL_ALERTS)), Choice::new(CHOSEN, frame.text(t::CHOSEN_ALERTS))];
    let alerts = alert_choices(app, frame, &view.values("alert_ids")).await?;
    let mut fields = vec![
        Field::new(frame, view, "name", t::NAME, Input::Text).required(),
        Field::new(frame, view, "url", t::URL, Input::Text).required().hint(frame.text(t::URL_HINT)),
        Field::new(frame, view, "which", t::WHICH, Input::Radios(which)),
    ];
    if !alerts.is_empty() {
        fields.push(Field::new(frame, view, "alert_ids", t::ALERTS, Input::Checks(alerts)));
    }
    Ok(fields)
}

/// The alerts of the brand by name, and those that are chosen already.
async fn alert_choices(app: &App, frame: &Frame, chosen: &[String]) -> Result<Vec<Choice>, Error> {
    let page = PageRequest { limit: MAX_CHOICES, after: None };
    let caller = frame.caller::<ReadInsights>()?;
    let (found, _) = app.list_alerts(&caller, &AlertRuleFilter::default(), &page, false).await?;
    let alerts = found.rows.into_iter().map(|view| Choice::new(view.rule.id.to_string(), view.rule.name));
    let mut choices: Vec<Choice> = alerts.collect();
    for value in chosen {
        if choices.iter().all(|choice| choice.value != *value) {
            choices.push(Choice::new(value.as_str(), frame.fill(t::ALERT_NUMBER, &[("id", value)])));
        }
    }
    Ok(choices)
}

fn badge(frame: &Frame, webhook: &domain::Webhook) -> Badge {
    match webhook.disabled_at {
        None => Badge { word: frame.text(t::ENABLED).to_owned(), sign: "✓", tone: Tone::Good },
        Some(_) => {
            let tone = match webhook.disabled_reason {
                Some(WebhookDisabled::ByUser) | None => Tone::Neutral,
                Some(_) => Tone::Bad,
            };
            Badge { word: frame.text(t::DISABLED).to_owned(), sign: "■", tone }
        }
    }
}

/// Why a webhook is not called.
fn reason(frame: &Frame, webhook: &domain::Webhook) -> Option<&'static str> {
    webhook.disabled_reason.map(|reason| match reason {
        WebhookDisabled::ByUser => frame.text(t::BY_USER),
        WebhookDisabled::Failing => frame.text(t::FAILING),
        WebhookDisabled::Gone => frame.text(t::GONE),
        WebhookDisabled::KeyLost => frame.text(t::KEY_LOST),
    })
}
