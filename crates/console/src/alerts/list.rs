//! The list of alerts with their state, and the alarms that are open now.

use std::sync::Arc;

use app::{AlertView, App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::{ManageAlerts, ReadInsights};
use domain::insights::IncursionFilter;
use domain::{AlertRuleFilter, AlertSeverity, AlertStatus, FiringSubject, PageRequest};
use futures_util::future;
use texts::console::alert_words as words;
use texts::console::alerts as t;
use web::{Caller, FromParams, ListParams, Params, Query, Result};

use super::firings::{self, Of};
use super::marks::{severity_badge, status_badge, status_reason};
use super::{open_alarms_of, terms};
use crate::entities::parts::actor_name;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{
    self, Cell, Choice, Column, Empty, Field, Input, MAX_CSV_ROWS, Pager, Plain, Row, Table, read_csv_format,
};
use crate::pickers::Pickers;
use crate::response;

/// The open alarms that are listed above the alerts.
const MAX_ALARMS: u16 = 50;

#[derive(Template)]
#[template(path = "alerts/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    can_manage: bool,
    alarms: Table,
    more_alarms: Option<String>,
    /// Where all open alarms are, if only those of a project or a site are listed.
    all_alarms: Option<String>,
    /// The parameters of the pickers, which the form keeps.
    kept: Vec<(String, String)>,
    filters: Vec<Field>,
    table: Table,
}

pub struct AlertQuery {
    /// The project and the site of the open alarms.
    picked: IncursionFilter,
    filter: AlertRuleFilter,
    csv: bool,
    list: ListParams,
}

impl FromParams for AlertQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let picked = Pickers::read(query)?.filter;
        let filter = AlertRuleFilter {
            statuses: query.one("status", AlertStatus::parse)?.into_iter().collect(),
            severities: query.one("severity", AlertSeverity::parse)?.into_iter().collect(),
            q: query.search("q")?,
            ..AlertRuleFilter::default()
        };
        let csv = read_csv_format(query)?;
        Ok(Self { picked, filter, csv, list: ListParams::read(query)? })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<AlertQuery>,
) -> Result {
    if query.csv {
        let page = PageRequest { limit: MAX_CSV_ROWS, after: None };
        let (found, _) = app.list_alerts(&caller, &query.filter, &page, false).await?;
        let pager = Pager::of(&frame, found.rows.len(), None, found.next.as_ref());
        return Ok(parts::csv_response("alerts.csv", &table(&frame, &query, &found.rows).paged(pager)));
    }
    let open = open_alarms_of(&query.picked);
    let first = PageRequest { limit: MAX_ALARMS, after: None };
    let page = query.list.page();
    let ((found, total), (alarms, open_total)) = future::try_join(
        app.list_alerts(&caller, &query.filter, &page, true),
        app.list_alert_firings(&caller, &open, &first, true),
    )
    .await?;
    let pager = Pager::of(&frame, found.rows.len(), total, found.next.as_ref());
    let none_open = Empty {
        title: frame.text(t::NO_OPEN_ALARMS).to_owned(),
        reason: frame.text(t::NO_OPEN_ALARMS_REASON).to_owned(),
        action: None,
    };
    let shown = i64::try_from(alarms.rows.len()).unwrap_or(i64::MAX);
    let more = open_total.map(|total| total - shown).filter(|more| *more > 0);
    let page = ListPage {
        frame: &frame,
        can_manage: frame.may::<ManageAlerts>(),
        alarms: firings::table(&frame, Of::AllAlerts, &alarms.rows, none_open),
        more_alarms: more.map(|more| frame.count(t::MORE_ALARMS, more)),
        all_alarms: (open.subject != FiringSubject::default()).then(|| without_place(&frame)),
        kept: frame.pickers.0.clone(),
        filters: filters(&frame, &query.filter),
        table: table(&frame, &query, &found.rows).paged(pager).with_csv(&frame),
    };
    response::page(&frame, &page)
}

/// Returns this address without the project and the site.
fn without_place(frame: &Frame) -> String {
    frame.address.clone().without("project_id").without("worksite_id").to_string()
}

fn filters(frame: &Frame, filter: &AlertRuleFilter) -> Vec<Field> {
    let mut given: Vec<(&'static str, String)> = vec![("q", filter.q.clone().unwrap_or_default())];
    given.extend(filter.statuses.iter().map(|status| ("status", status.as_str().to_owned())));
    given.extend(filter.severities.iter().map(|severity| ("severity", severity.as_str().to_owned())));
    let view = FormView::new(given);
    let language = frame.language;
    let all = || std::iter::once(Choice::blank(frame.text(t::ANY)));
    let statuses = AlertStatus::ALL.map(AlertStatus::as_str);
    let statuses = statuses.map(|status| Choice::new(status, words::status(language, status)));
    let severities = AlertSeverity::ALL.map(AlertSeverity::as_str);
    let severities = severities.map(|word| Choice::new(word, texts::alerts::severity(language, word)));
    vec![
        Field::new(frame, &view, "q", t::NAME_CONTAINS, Input::Text),
        Field::new(frame, &view, "status", t::STATE, Input::Select(all().chain(statuses).collect())),
        Field::new(frame, &view, "severity", t::SEVERITY, Input::Select(all().chain(severities).collect())),
    ]
}

fn table(frame: &Frame, query: &AlertQuery, rows: &[AlertView]) -> Table {
    let columns = vec![
        Column::text(frame.text(t::NAME)),
        Column::text(frame.text(t::STATE)),
        Column::number(frame.text(t::OPEN_ALARMS)),
        Column::text(frame.text(t::JUDGED)),
        Column::text(frame.text(t::SPLIT)),
        Column::text(frame.text(t::SEVERITY)),
        Column::text(frame.text(t::OWNER)),
    ];
    let filter = &query.filter;
    let is_filtered = filter.q.is_some() || !filter.statuses.is_empty() || !filter.severities.is_empty();
    let empty = match (is_filtered, frame.may::<ManageAlerts>()) {
        (true, _) => Empty {
            title: frame.text(t::NO_MATCH).to_owned(),
            reason: frame.text(t::NO_MATCH_REASON).to_owned(),
            action: Some((frame.text(t::SHOW_ALL).to_owned(), frame.link("/alerts"))),
        },
        (false, can_manage) => Empty {
            title: frame.text(t::NONE_YET).to_owned(),
            reason: frame.text(t::NONE_YET_REASON).to_owned(),
            action: can_manage.then(|| (frame.text(t::NEW).to_owned(), "/alerts/new".to_owned())),
        },
    };
    let rows = rows.iter().map(|view| row(frame, view)).collect();
    Table::new(frame.text(t::TITLE), columns, rows, empty)
}

fn row(frame: &Frame, view: &AlertView) -> Row {
    let rule = &view.rule;
    let page = frame.link(&format!("/alerts/{}", rule.id));
    let status = Cell::badge(status_badge(frame, rule));
    let open = frame.formats().integer(view.open_firings);
    let owner = match rule.owner_left_at {
        None => actor_name(frame, &rule.owner),
        Some(_) => frame.text(t::OWNED_BY_ADMINS).to_owned(),
    };
    let cells = vec![
        Cell::head(rule.name.as_str(), page.as_str()),
        match status_reason(frame, rule) {
            Some(reason) => status.note(reason),
            None => status,
        },
        match view.open_firings {
            0 => Cell::text(open),
            _ => Cell::link(open, page.as_str()),
        }
        .plain(Plain::whole(view.open_firings)),
        Cell::text(terms::sentence(frame, &rule.terms)),
        Cell::text(words::split(frame.language, rule.terms.split_by.as_str())),
        Cell::badge(severity_badge(frame, rule.severity)),
        Cell::text(owner),
    ];
    Row::new(cells).muted(!rule.enabled)
}
