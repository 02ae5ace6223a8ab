//! One alarm: its value, what it rests on, and what was sent about it.

use std::sync::Arc;

use app::{AlertView, App, Error, ErrorKind, FiringFact, FiringView, IncursionView};
use askama::Template;
use axum::extract::State;
use domain::access::{ManageBrand, ReadInsights};
use domain::insights::IncursionFilter;
use domain::{
    AlertDelivery, AlertEvent, AlertFiring, AlertFiringId, AlertRuleId, IncursionOrder, Period, PeriodBound,
    Review, Timestamp, Window, WindowPosition,
};
use texts::console::alert_words as words;
use texts::console::alerts as t;
use texts::values;
use web::{Caller, FromParams, Params, PathIds, Query, Result};

use super::marks::{delivery_badge, firing_badge, severity_badge};
use super::show::recipient_name;
use super::{firings, terms};
use crate::frame::Frame;
use crate::parts::{Badge, Cell, Column, Details, Empty, Row, Table};
use crate::pickers::Pickers;
use crate::response;

#[derive(Template)]
#[template(path = "alerts/firing.html")]
struct FiringPage<'a> {
    frame: &'a Frame,
    name: &'a str,
    place: String,
    state: Badge,
    /// The page of the alert; none if it was deleted.
    alert: Option<String>,
    details: Details,
    evidence: Table,
    deliveries: Table,
}

pub struct NoFilters;

impl FromParams for NoFilters {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. They mean nothing here.
        Pickers::read(query)?;
        Ok(Self)
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathIds(alert, firing): PathIds,
    _: Params<NoFilters>,
) -> Result {
    let found = app.find_alert_firing(&caller, Some(AlertRuleId(alert)), AlertFiringId(firing)).await?;
    // An alarm is found even after its alert was deleted.
    let alert = match app.find_alert(&caller, AlertRuleId(alert)).await {
        Ok(alert) => Some(alert),
        Err(error) if error.kind == ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let restriction = app.describe_restriction(&caller, frame.language, &found.firing).await?;
    let incursions = evidence_of(&app, &caller, &found.firing).await?;
    let page = FiringPage {
        frame: &frame,
        name: &found.firing.rule_name,
        place: firings::place(&frame, &found),
        state: firing_badge(&frame, &found.firing),
        alert: alert.as_ref().map(|alert| frame.link(&format!("/alerts/{}", alert.rule.id))),
        details: details(&frame, &found, restriction),
        evidence: evidence(&frame, &found.firing, &incursions),
        deliveries: deliveries(&frame, &found, alert.as_ref()),
    };
    response::page(&frame, &page)
}

fn details(frame: &Frame, view: &FiringView, restriction: Option<String>) -> Details {
    let (firing, formats) = (&view.firing, frame.formats());
    let label = |text: texts::Text| frame.text(text).to_owned();
    let at = |at: Timestamp| Cell::text(formats.instant(at, &firing.time_zone));
    let metric = words::metric(frame.language, firing.metric.as_str());
    let threshold = terms::threshold(frame, firing.metric, firing.comparison, firing.threshold);
    let mut rows = vec![
        (label(t::MEASURED), Cell::text(metric)),
        (label(t::VALUE), Cell::text(terms::value_with_parts(frame, firing.metric, firing.value()))),
        (label(t::THRESHOLD), Cell::text(threshold)),
        (label(t::PEAK), Cell::text(terms::value_with_parts(frame, firing.metric, firing.peak()))),
    ];
    if let Some(from) = firing.window_from {
        let from = formats.minute(from, &firing.time_zone);
        let to = formats.instant(firing.window_to, &firing.time_zone);
        rows.push((label(t::WINDOW), Cell::text(frame.fill(t::FROM_TO, &[("from", &from), ("to", &to)]))));
    }
    rows.extend(restriction.map(|names| (label(texts::alerts::RESTRICTED_TO), Cell::text(names))));
    rows.extend(subject(frame, view));
    rows.extend(explanation(frame, firing));
    rows.push((label(t::SEVERITY), Cell::badge(severity_badge(frame, firing.severity))));
    rows.push((label(t::FIRED_AT), at(firing.fired_at)));
    rows.extend(firing.held_until.map(|until| (label(t::HELD_UNTIL), at(until))));
    if let Some(cleared) = firing.cleared_at {
        let cell = at(cleared);
        let reason = firing.clear_reason.map(|why| words::clear_reason(frame.language, why.as_str()));
        rows.push((label(t::CLEARED_AT), reason.into_iter().fold(cell, Cell::note)));
    }
    if let Some(value) = firing.cleared_value() {
        let value = terms::value_with_parts(frame, firing.metric, value);
        rows.push((label(texts::alerts::VALUE_AT_CLEARING), Cell::text(value)));
    }
    Details { rows }
}

/// The records that the alarm is about, with their pages.
fn subject(frame: &Frame, view: &FiringView) -> Vec<(String, Cell)> {
    let (subject, labels) = (&view.firing.subject, &view.labels);
    let linked = |section: &str, id: Option<i64>, label: &Option<String>| match (id, label) {
        (Some(id), Some(label)) => Some(Cell::link(label.as_str(), frame.link(&format!("{section}/{id}")))),
        _ => None,
    };
    let plain = |label: &Option<String>| label.as_deref().map(Cell::text);
    let rows = [
        ("person", linked("/people", subject.person.map(|id| id.0), &labels.person)),
        ("machine", linked("/machines", subject.machine.map(|id| id.0), &labels.machine)),
        ("base_station", plain(&labels.base_station)),
        ("tag", plain(&labels.tag)),
        ("worksite", linked("/sites", subject.worksite.map(|id| id.0), &labels.worksite)),
        ("project", plain(&labels.project)),
    ];
    let named = |(dimension, cell): (&str, Option<Cell>)| {
        Some((values::dimension(frame.language, dimension).to_owned(), cell?))
    };
    let mut rows: Vec<(String, Cell)> = rows.into_iter().filter_map(named).collect();
    if let Some(visit) = subject.visit {
        let page = frame.link(&format!("/visitors/{visit}"));
        rows.push((frame.text(t::VISIT).to_owned(), Cell::link(visit.to_string(), page)));
    }
    rows
}

/// What else explains the value, as the mail about the alarm says it, too.
fn explanation(frame: &Frame, firing: &AlertFiring) -> Vec<(String, Cell)> {
    let cell = |fact: FiringFact| match fact {
        FiringFact::At(at) => Cell::text(frame.formats().instant(at, &firing.time_zone)),
        FiringFact::Words(words) => Cell::text(words),
    };
    let facts = app::explain_firing(frame.language, firing).into_iter();
    facts.map(|(label, fact)| (frame.text(label).to_owned(), cell(fact))).collect()
}

/// Finds the incursions that the value rests on, as far as the reader sees them.
async fn evidence_of(
    app: &App,
    caller: &app::Caller<ReadInsights>,
    firing: &AlertFiring,
) -> Result<Vec<IncursionView>, Error> {
    let ids = firing.incursion_ids();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let from = firing.window_from.map(PeriodBound::Instant);
    let filter = IncursionFilter {
        period: Some(Period { from, to: None }),
        reviews: Review::ALL.to_vec(),
        ..IncursionFilter::default()
    };
    let size = u16::try_from(ids.len()).unwrap_or(u16::MAX);
    let window = Window { size, position: WindowPosition::Start };
    let order = IncursionOrder::NEWEST_FIRST;
    let found = app.slice_sorted_incursions(caller, (&filter, &ids), order, &window, false).await?;
    Ok(found.slice.rows)
}

fn evidence(frame: &Frame, firing: &AlertFiring, incursions: &[IncursionView]) -> Table {
    let columns = vec![
        Column::text(frame.text(t::STARTED)),
        Column::text(values::dimension(frame.language, "machine")),
        Column::text(values::dimension(frame.language, "pedestrian")),
        Column::text(values::dimension(frame.language, "zone")),
        Column::text(values::dimension(frame.language, "review")),
    ];
    let name = |name: Option<&str>| Cell::text(name.unwrap_or("–"));
    let row = |view: &IncursionView| {
        let (details, row) = (&view.details, &view.details.stored.row);
        let page = frame.link(&format!("/incursions/{}", details.stored.id));
        Row::new(vec![
            Cell::head(frame.formats().instant(row.started_at, &firing.time_zone), page),
            name(details.machine.as_ref().map(|(_, name)| name.as_str())),
            name(details.pedestrian.as_ref().map(|person| person.name.as_str())),
            Cell::text(values::zone(frame.language, row.zone.as_str())),
            Cell::text(values::review(frame.language, row.review.as_str())),
        ])
    };
    let empty = Empty {
        title: frame.text(t::NO_EVIDENCE).to_owned(),
        reason: frame.text(t::NO_EVIDENCE_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::EVIDENCE), columns, incursions.iter().map(row).collect(), empty)
}

fn deliveries(frame: &Frame, view: &FiringView, alert: Option<&AlertView>) -> Table {
    let columns = [t::TO_WHOM, t::STATE, t::ATTEMPTS, t::LAST_ATTEMPT];
    let columns = columns.map(|head| Column::text(frame.text(head)));
    let formats = frame.formats();
    let row = |delivery: &AlertDelivery| {
        let state = Cell::badge(delivery_badge(frame, delivery.state));
        let reason = delivery.reason.as_deref().map(|reason| words::delivery_reason(frame.language, reason));
        let last = delivery.last_attempt_at.map(|at| formats.instant(at, &view.firing.time_zone));
        Row::new(vec![
            recipient(frame, delivery, alert),
            reason.into_iter().fold(state, Cell::note),
            Cell::text(formats.integer(delivery.attempts)),
            Cell::text(last.unwrap_or_default()),
        ])
    };
    let empty = Empty {
        title: frame.text(t::NOTHING_SENT).to_owned(),
        reason: frame.text(t::NOTHING_SENT_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::SENT), columns.into(), view.deliveries.iter().map(row).collect(), empty)
}

/// Writes who was notified: a webhook with the event it was called for, or a recipient of mails.
fn recipient(frame: &Frame, delivery: &AlertDelivery, alert: Option<&AlertView>) -> Cell {
    if let Some(webhook) = delivery.webhook {
        let text = frame.fill(t::WEBHOOK_NUMBER, &[("id", &webhook.to_string())]);
        let is_unrestricted = frame.identity().is_some_and(|identity| identity.project_ids().is_none());
        let cell = match frame.may::<ManageBrand>() && is_unrestricted {
            true => Cell::link(text, format!("/settings/webhooks/{webhook}")),
            false => Cell::text(text),
        };
        let event = delivery.event.map(AlertEvent::as_str);
        return event.map(|event| words::event(frame.language, event)).into_iter().fold(cell, Cell::note);
    }
    let mut known = alert.into_iter().flat_map(|alert| &alert.recipients);
    let recipient = known.find(|recipient| delivery.recipient == Some(recipient.id));
    Cell::text(match recipient {
        Some(recipient) => recipient_name(frame, recipient),
        None => frame.text(t::RECIPIENT_REMOVED).to_owned(),
    })
}
