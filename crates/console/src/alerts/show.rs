//! One alert: how it stands, what it judges, who is notified, and its alarms.

use std::sync::Arc;

use app::{AlertView, App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::{ManageAlerts, ReadInsights};
use domain::{AlertFiringFilter, AlertRecipient, AlertRuleId, FiringState};
use texts::console::alert_words as words;
use texts::console::alerts as t;
use web::{Caller, FromParams, ListParams, Params, PathId, Query, Result};

use super::firings::{self, Of};
use super::marks::{severity_badge, status_badge, status_reason};
use super::{form_values, scope, terms};
use crate::entities::parts::actor_name;
use crate::frame::Frame;
use crate::parts::{Action, Badge, Cell, Column, Details, Empty, Pager, Row, Table};
use crate::pickers::Pickers;
use crate::response;

#[derive(Template)]
#[template(path = "alerts/show.html")]
struct ShowPage<'a> {
    frame: &'a Frame,
    id: AlertRuleId,
    name: &'a str,
    version: i64,
    status: Badge,
    reason: Option<&'static str>,
    details: Details,
    recipients: Table,
    alarms: Table,
    /// The words of the filter, the addresses, and whether it is chosen.
    states: Vec<(&'static str, String, bool)>,
    /// The buttons that the reader may press.
    actions: Vec<Action>,
    can_change: bool,
}

pub struct FiringQuery {
    state: Option<FiringState>,
    list: ListParams,
}

impl FromParams for FiringQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. They mean nothing here.
        Pickers::read(query)?;
        Ok(Self { state: query.one("state", FiringState::parse)?, list: ListParams::read(query)? })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    Params(query): Params<FiringQuery>,
) -> Result {
    let alert = app.find_alert(&caller, AlertRuleId(id)).await?;
    let filter = AlertFiringFilter {
        rules: vec![alert.rule.id],
        states: query.state.into_iter().collect(),
        ..AlertFiringFilter::default()
    };
    let (found, total) = app.list_alert_firings(&caller, &filter, &query.list.page(), true).await?;
    let pager = Pager::of(&frame, found.rows.len(), total, found.next.as_ref());
    let empty = Empty {
        title: frame.text(t::NO_ALARMS).to_owned(),
        reason: frame.text(t::NO_ALARMS_REASON).to_owned(),
        action: None,
    };
    let page = ShowPage {
        frame: &frame,
        id: alert.rule.id,
        name: &alert.rule.name,
        version: alert.rule.version,
        status: status_badge(&frame, &alert.rule),
        reason: status_reason(&frame, &alert.rule),
        details: details(&app, &frame, &alert).await?,
        recipients: recipients(&frame, &alert.recipients),
        alarms: firings::table(&frame, Of::OneAlert, &found.rows, empty).paged(pager),
        states: states(&frame, query.state),
        actions: actions(&frame, &alert),
        can_change: alert.is_yours && frame.may::<ManageAlerts>(),
    };
    response::page(&frame, &page)
}

fn states(frame: &Frame, chosen: Option<FiringState>) -> Vec<(&'static str, String, bool)> {
    let all = (frame.text(t::ANY), frame.here("state", None), chosen.is_none());
    let states = FiringState::ALL.into_iter().map(|state| {
        let word = words::firing_state(frame.language, state.as_str());
        (word, frame.here("state", Some(state.as_str())), chosen == Some(state))
    });
    std::iter::once(all).chain(states).collect()
}

/// The buttons of those who may press them.
fn actions(frame: &Frame, alert: &AlertView) -> Vec<Action> {
    let mut actions = Vec::new();
    if !frame.may::<ManageAlerts>() {
        return actions;
    }
    let page = format!("/alerts/{}", alert.rule.id);
    let version = ("_version".to_owned(), alert.rule.version.to_string());
    let own = [("_alert".to_owned(), alert.rule.id.to_string()), version.clone()];
    let fields = form_values::stored(frame, alert, alert.rule.terms.metric).into_iter();
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    actions.push(Action {
        to: "/alerts/dry-run".to_owned(),
        text: frame.text(t::TRY).to_owned(),
        is_danger: false,
        hidden: own.into_iter().filter(|_| alert.is_yours).chain(fields).collect(),
    });
    if alert.is_yours {
        let (to, text) = match alert.rule.enabled {
            true => ("disable", t::DISABLE),
            false => ("enable", t::ENABLE),
        };
        actions.push(Action {
            to: format!("{page}/test"),
            text: frame.text(t::SEND_TEST).to_owned(),
            is_danger: false,
            hidden: Vec::new(),
        });
        actions.push(Action {
            to: format!("{page}/{to}"),
            text: frame.text(text).to_owned(),
            is_danger: false,
            hidden: vec![version],
        });
    }
    actions
}

async fn details(app: &App, frame: &Frame, alert: &AlertView) -> Result<Details, Error> {
    let (rule, formats) = (&alert.rule, frame.formats());
    let label = |text: texts::Text| frame.text(text).to_owned();
    let metric = rule.terms.metric.as_str();
    let mut rows = vec![
        (
            label(t::JUDGED),
            Cell::text(terms::sentence(frame, &rule.terms)).note(words::about_metric(frame.language, metric)),
        ),
        (label(t::SPLIT), Cell::text(words::split(frame.language, rule.terms.split_by.as_str()))),
    ];
    if let Some(count) = rule.terms.minimum_count {
        rows.push((label(t::MINIMUM_COUNT), Cell::text(formats.integer(count))));
    }
    let restricted = scope::describe(app, frame, &rule.terms.scope).await?;
    if restricted.is_empty() {
        rows.push((label(t::SCOPE), Cell::text(frame.text(t::EVERYTHING_OF_OWNER))));
    }
    rows.extend(restricted.into_iter().map(|(list, names)| (list.to_owned(), Cell::text(names))));
    let hours = match &rule.active_hours {
        Some(hours) => {
            let outside = if rule.outside_hours == domain::OutsideHours::Hold { t::HOLD } else { t::DROP };
            Cell::text(terms::hours(frame, hours)).note(frame.text(outside))
        }
        None => Cell::text(frame.text(t::AT_ALL_HOURS)),
    };
    let on_clear = if rule.notify_on_clear { t::YES } else { t::NO };
    let cool_down = texts::alerts::value(frame.language, "minutes", rule.cool_down_minutes as f64);
    let owner = match rule.owner_left_at {
        None => Cell::text(actor_name(frame, &rule.owner)),
        Some(at) => {
            let left = frame.fill(t::OWNER_LEFT, &[("at", &formats.own(at))]);
            Cell::text(frame.text(t::OWNED_BY_ADMINS)).note(left)
        }
    };
    rows.extend([
        (label(t::SEVERITY), Cell::badge(severity_badge(frame, rule.severity))),
        (label(t::ACTIVE_HOURS), hours),
        (label(t::COOL_DOWN), Cell::text(cool_down)),
        (label(t::NOTIFY_ON_CLEAR), Cell::text(frame.text(on_clear))),
        (label(t::OWNER), owner),
        (
            label(t::LAST_JUDGED),
            Cell::text(match rule.judged_at {
                Some(at) => formats.own(at),
                None => frame.text(t::NOT_JUDGED).to_owned(),
            }),
        ),
    ]);
    Ok(Details { rows })
}

fn recipients(frame: &Frame, recipients: &[AlertRecipient]) -> Table {
    let columns = [t::RECIPIENT, t::STATE].map(|head| Column::text(frame.text(head)));
    let row = |recipient: &AlertRecipient| {
        let at = |at| frame.formats().own(at);
        let state = match (recipient.unsubscribed_at, recipient.refused_at) {
            (Some(left), _) => frame.fill(t::LEFT_AT, &[("at", &at(left))]),
            (None, Some(refused)) => frame.fill(t::REFUSED_AT, &[("at", &at(refused))]),
            (None, None) => frame.text(t::GETS_MAILS).to_owned(),
        };
        let is_out = recipient.unsubscribed_at.is_some() || recipient.refused_at.is_some();
        Row::new(vec![Cell::text(recipient_name(frame, recipient)), Cell::text(state)]).muted(is_out)
    };
    let empty = Empty {
        title: frame.text(t::NO_RECIPIENTS).to_owned(),
        reason: frame.text(t::NO_RECIPIENTS_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::RECIPIENTS), columns.into(), recipients.iter().map(row).collect(), empty)
}

/// Writes who is notified, as far as the reader may know.
pub fn recipient_name(frame: &Frame, recipient: &AlertRecipient) -> String {
    match (&recipient.user_name, &recipient.email, recipient.user) {
        (Some(name), _, _) => name.clone(),
        (None, Some(email), _) => email.clone(),
        (None, None, Some(user)) => frame.fill(t::USER_NUMBER, &[("id", &user.to_string())]),
        (None, None, None) => frame.text(t::HIDDEN_ADDRESS).to_owned(),
    }
}
