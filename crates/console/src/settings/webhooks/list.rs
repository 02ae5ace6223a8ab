//! The list of webhooks, and the form that adds one.

use std::sync::Arc;

use app::{App, Error, NewWebhook, ShownOnce, WebhookView, unrestricted};
use axum::extract::State;
use domain::WebhookId;
use domain::access::ManageBrand;
use texts::console::webhooks as t;
use web::{Caller, FromParams, Params, Query, Result};

use super::deliveries::DeliveryQuery;
use super::page::{self, Forms};
use super::{ADDED_BEFORE, KINDS, PATH, badge, fields_of, read, reason, view_of};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Column, FormPart, Pager, Plain, Row, Table, csv_response};
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::PageOfList;
use crate::{prove, response};

pub struct ListQuery {
    q: Option<String>,
    page: PageOfList,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { q: query.search("q")?, page: PageOfList::read(query)? })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    Params(query): Params<ListQuery>,
) -> Result {
    let table = table(&app, &frame, &caller, &query).await?;
    if query.page.csv {
        return Ok(csv_response("webhooks.csv", &table));
    }
    render(&app, &frame, &caller, (table, &query), &view_of(None)).await
}

/// Adds a webhook and shows its secret. Whoever sends the form twice, by a double click or a reload, gets to the same webhook. A second
/// click shows the same secret; later it is not shown again.
pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    Params(query): Params<ListQuery>,
    form: Form,
) -> Result {
    caller.require_unrestricted(unrestricted::MANAGE_WEBHOOKS)?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let made = match form.read(KINDS, read) {
        Ok((name, url, alerts)) => {
            let place = |made: &WebhookView| format!("{PATH}/{}", made.webhook.id);
            let once = response::made(form.once(&frame), place);
            app.create_webhook_once(&fresh, NewWebhook { name, url, alerts, enabled: true }, once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(ShownOnce { answer, secret }) => {
            let place = response::stored_location(answer);
            let (Some(id), Some(secret)) = (id_in(&place), secret) else {
                return Ok(response::redirect(&place, Some((&ADDED_BEFORE, None))));
            };
            let webhook = app.find_webhook(&caller, id).await?;
            let forms = Forms::fresh(&webhook);
            page::render(&app, &frame, &caller, &webhook, &forms, (DeliveryQuery::first(), Some(secret)))
                .await
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            let table = table(&app, &frame, &caller, &query).await?;
            render(&app, &frame, &caller, (table, &query), &view).await
        }
    }
}

/// Returns the webhook whose page is at this place.
fn id_in(place: &str) -> Option<WebhookId> {
    place.strip_prefix(PATH)?.strip_prefix('/')?.parse().ok().map(WebhookId)
}

async fn table(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageBrand>,
    query: &ListQuery,
) -> Result<Table, Error> {
    let (found, total) = app.list_webhooks(caller, query.q.as_deref(), &query.page.request(), true).await?;
    let columns = vec![
        Column::text(frame.text(t::NAME)),
        Column::text(frame.text(t::URL)),
        Column::text(frame.text(t::ALERTS)),
        Column::text(frame.text(t::STATE)),
        Column::text(frame.text(t::LAST_SUCCESS)),
        Column::text(frame.text(t::LAST_FAILURE)),
    ];
    let rows: Vec<Row> = found.rows.iter().map(|view| row(frame, view)).collect();
    let pager = Pager::of(frame, rows.len(), total, found.next.as_ref());
    let empty = list_page::empty(frame, query.q.is_some(), (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, view: &WebhookView) -> Row {
    let (webhook, formats) = (&view.webhook, frame.formats());
    let alerts = match &view.alerts {
        None => frame.text(t::ALL_ALERTS).to_owned(),
        Some(alerts) => formats.integer(i64::try_from(alerts.len()).unwrap_or(i64::MAX)),
    };
    let at = |at: Option<domain::Timestamp>| {
        Cell::text(at.map_or_else(|| frame.text(t::NEVER).to_owned(), |at| formats.ago(at)))
            .plain(Plain::time(at))
    };
    let state = Cell::badge(badge(frame, webhook));
    Row::new(vec![
        Cell::head(webhook.name.as_str(), format!("{PATH}/{}", webhook.id)),
        Cell::text(webhook.url.as_str()),
        Cell::text(alerts),
        reason(frame, webhook).into_iter().fold(state, Cell::note),
        at(webhook.last_success_at),
        at(webhook.last_failure_at),
    ])
    .muted(webhook.disabled_at.is_some())
}

async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageBrand>,
    (table, query): (Table, &ListQuery),
    view: &FormView,
) -> Result {
    let fields = fields_of(app, frame, view).await?;
    let proof = prove::fields(app, frame, caller);
    let form = FormPart::new(PATH, view, fields, frame.text(t::ADD)).creating(frame).proven(proof);
    ListPage::new(frame, t::TITLE, t::LEAD, table)
        .searched(query.q.as_deref(), Vec::new())
        .adding(t::NEW, view, form)
        .respond()
}
