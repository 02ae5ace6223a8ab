//! What was sent to a webhook.

use std::collections::HashMap;

use app::{App, Caller, Error, WebhookView};
use domain::access::{ManageBrand, ReadInsights};
use domain::{
    AlertDelivery, AlertEvent, AlertFiringFilter, AlertFiringId, AlertRuleId, DeliveryState, PageRequest,
};
use texts::console::alert_words as words;
use texts::console::webhooks as t;
use web::{FromParams, ListParams, Query, Result};

use crate::alerts::marks::delivery_badge;
use crate::frame::Frame;
use crate::parts::{Action, Cell, Column, Empty, Pager, Row, Table};
use crate::pickers::Pickers;

/// The deliveries on a page that nobody turned.
const FIRST_PAGE: u16 = 50;

/// Which deliveries are listed.
pub struct DeliveryQuery {
    state: Option<DeliveryState>,
    page: PageRequest,
}

impl DeliveryQuery {
    /// The first page of all.
    pub fn first() -> Self {
        Self { state: None, page: PageRequest { limit: FIRST_PAGE, after: None } }
    }
}

impl FromParams for DeliveryQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. They mean nothing here.
        Pickers::read(query)?;
        let state = query.one("state", DeliveryState::parse)?;
        Ok(Self { state, page: ListParams::read(query)?.page() })
    }
}

/// The links that filter the deliveries by their state.
pub fn states(frame: &Frame, path: &str, query: &DeliveryQuery) -> Vec<(&'static str, String, bool)> {
    let all = (frame.text(t::ANY), format!("{path}#deliveries"), query.state.is_none());
    let states = DeliveryState::ALL.into_iter().map(|state| {
        let word = words::delivery_state(frame.language, state.as_str());
        (word, format!("{path}?state={}#deliveries", state.as_str()), query.state == Some(state))
    });
    std::iter::once(all).chain(states).collect()
}

pub async fn table(
    app: &App,
    frame: &Frame,
    caller: &Caller<ManageBrand>,
    view: &WebhookView,
    (path, query): (&str, &DeliveryQuery),
) -> Result<Table, Error> {
    let states: Vec<DeliveryState> = query.state.into_iter().collect();
    let (found, total) =
        app.list_webhook_deliveries(caller, view.webhook.id, &states, &query.page, true).await?;
    let alerts = alerts_of(app, frame, &found.rows).await?;
    let columns = [t::QUEUED_AT, t::EVENT, t::STATE, t::ATTEMPTS, t::LAST_ATTEMPT, t::AGAIN];
    let columns = columns.map(|head| Column::text(frame.text(head)));
    let is_called = view.webhook.disabled_at.is_none();
    let row = |delivery: &AlertDelivery| row(frame, delivery, (path, is_called), &alerts);
    let rows: Vec<Row> = found.rows.iter().map(row).collect();
    let empty = Empty {
        title: frame.text(t::NO_DELIVERIES).to_owned(),
        reason: frame.text(t::NO_DELIVERIES_REASON).to_owned(),
        action: None,
    };
    let pager = Pager::of(frame, rows.len(), total, found.next.as_ref());
    let table = Table::new(frame.text(t::DELIVERIES), columns.into(), rows, empty);
    // Pages are turned at the address of the webhook, not at that of a form that was just sent.
    Ok(if frame.address.path() == path { table.paged(pager) } else { table })
}

/// Finds the alerts of the alarms that deliveries are about.
async fn alerts_of(
    app: &App,
    frame: &Frame,
    deliveries: &[AlertDelivery],
) -> Result<HashMap<AlertFiringId, AlertRuleId>, Error> {
    let ids: Vec<i64> = deliveries.iter().filter_map(|delivery| delivery.firing).map(|id| id.0).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let page = PageRequest { limit: u16::try_from(ids.len()).unwrap_or(u16::MAX), after: None };
    let filter = AlertFiringFilter { ids: Some(ids), ..AlertFiringFilter::default() };
    let caller = frame.caller::<ReadInsights>()?;
    let (found, _) = app.list_alert_firings(&caller, &filter, &page, false).await?;
    Ok(found.rows.into_iter().map(|view| (view.firing.id, view.firing.rule)).collect())
}

fn row(
    frame: &Frame,
    delivery: &AlertDelivery,
    (path, is_called): (&str, bool),
    alerts: &HashMap<AlertFiringId, AlertRuleId>,
) -> Row {
    let formats = frame.formats();
    let event = delivery.event.map_or("", AlertEvent::as_str);
    let event = words::event(frame.language, event);
    let alarm = delivery.firing.and_then(|firing| Some((firing, alerts.get(&firing)?)));
    let event = match alarm {
        Some((firing, alert)) => Cell::link(event, format!("/alerts/{alert}/firings/{firing}")),
        None => Cell::text(event),
    };
    let state = Cell::badge(delivery_badge(frame, delivery.state));
    let reason = delivery.reason.as_deref().map(|reason| words::delivery_reason(frame.language, reason));
    let last = Cell::text(delivery.last_attempt_at.map(|at| formats.own(at)).unwrap_or_default());
    let next = delivery.next_attempt_at.filter(|_| delivery.state == DeliveryState::Queued);
    let next = next.map(|at| frame.fill(t::NEXT_ATTEMPT, &[("at", &formats.own(at))]));
    let again = match is_called && delivery.state != DeliveryState::Queued {
        true => Cell::action(Action {
            to: format!("{path}/deliveries/{}/redeliver", delivery.id),
            text: frame.text(t::AGAIN).to_owned(),
            is_danger: false,
            hidden: Vec::new(),
        }),
        false => Cell::text(""),
    };
    Row::new(vec![
        Cell::text(formats.own(delivery.created_at)),
        delivery.event_id.clone().into_iter().fold(event, Cell::note),
        reason.into_iter().fold(state, Cell::note),
        Cell::text(formats.integer(delivery.attempts)),
        next.into_iter().fold(last, Cell::note),
        again,
    ])
}
