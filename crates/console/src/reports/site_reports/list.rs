//! GET and POST /reports/site-reports: what was written, the newest first, and the form that orders one.

use std::sync::Arc;

use app::{App, Error, SiteReportView};
use askama::Template;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{
    Direction, ListOrder, ListRequest, PageRequest, ReportState, ReportSubject, SiteReportFilter,
    SiteReportGenerator, SortKey, Sorting, WorksiteId,
};
use texts::console::reports as of_reports;
use texts::console::site_reports as t;
use web::{Caller, FromParams, ListParams, Params, Query, Result};

use super::{ORDERED, order};
use crate::address::Address;
use crate::entities::parts::actor_name;
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{
    self, Cell, Choice, Column, Empty, Field, FormPart, Input, MAX_CSV_ROWS, Pager, Plain, Row, Table,
    read_csv_format,
};
use crate::pickers::Pickers;
use crate::reports::subjects::SubjectNames;
use crate::reports::words;
use crate::{response, settings};

#[derive(Template)]
#[template(path = "reports/site_reports/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    kept: Vec<(String, String)>,
    filters: Vec<Field>,
    is_waiting: bool,
    table: Table,
    form: FormPart,
}

pub struct SiteReportQuery {
    pickers: Pickers,
    site: Option<WorksiteId>,
    state: Option<ReportState>,
    csv: bool,
    list: ListParams,
}

impl FromParams for SiteReportQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            pickers: Pickers::read(query)?,
            site: query.id("site_id")?.map(WorksiteId),
            state: query.one("state", ReportState::parse)?,
            csv: read_csv_format(query)?,
            list: ListParams::read(query)?,
        })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<SiteReportQuery>,
) -> Result {
    // The site that the reader came from is chosen already.
    let site = query.site.or(query.pickers.filter.worksites.first().copied());
    let view = FormView::new(site.map(|id| ("worksite_id", id.to_string())).into_iter().collect());
    render(&app, &frame, &caller, &query, &view).await
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<SiteReportQuery>,
    form: Form,
) -> Result {
    let ordered = match form.read(order::KINDS, order::read) {
        Ok(new) => {
            let place = |view: &SiteReportView| format!("/reports/site-reports/{}", view.report.id);
            app.request_site_report(&caller, new, response::made(form.once(&frame), place)).await
        }
        Err(error) => Err(error),
    };
    match ordered {
        Ok(stored) => {
            let page = frame.link(&response::stored_location(stored));
            Ok(response::redirect(&page, Some((&ORDERED, None))))
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            let mut shown = frame.clone();
            shown.address = Address::new("/reports/site-reports");
            render(&app, &shown, &caller, &query, &view).await
        }
    }
}

async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ReadInsights>,
    query: &SiteReportQuery,
    view: &FormView,
) -> Result {
    let filter =
        SiteReportFilter { ids: None, worksite: query.site, states: query.state.into_iter().collect() };
    let sorting = Sorting::by(SortKey::Id, Direction::Descending);
    let page = match query.csv {
        true => PageRequest { limit: MAX_CSV_ROWS, after: None },
        false => query.list.page(),
    };
    let request = ListRequest::of_page(ListOrder::Sorted(sorting), &page, true);
    let found = app.list_site_reports(caller, &filter, sorting, &request.window, true).await?;
    let subjects: Vec<ReportSubject> = found.rows.iter().map(subject).collect();
    let names = SubjectNames::load(app, frame, subjects.iter()).await?;
    let pager = Pager::of(frame, found.rows.len(), found.total, found.next.as_ref());
    let table = table(frame, query, &names, &found.rows).paged(pager).with_csv(frame);
    if query.csv {
        return Ok(parts::csv_response("site-reports.csv", &table));
    }
    let page = ListPage {
        frame,
        kept: frame.pickers.0.clone(),
        filters: filters(app, frame, query).await?,
        is_waiting: found.rows.iter().any(|view| view.report.state.is_unfinished()),
        table,
        form: order::form(app, frame, view).await?,
    };
    response::page_with(view.status, frame, &page)
}

/// What a written site report is about.
fn subject(view: &SiteReportView) -> ReportSubject {
    ReportSubject { worksite: Some(view.report.worksite), ..ReportSubject::default() }
}

async fn filters(app: &App, frame: &Frame, query: &SiteReportQuery) -> Result<Vec<Field>, Error> {
    let view = FormView::new(vec![
        ("site_id", query.site.map(|id| id.to_string()).unwrap_or_default()),
        ("state", query.state.map(|state| state.as_str().to_owned()).unwrap_or_default()),
    ]);
    let mut sites = settings::worksite_choices(app, frame).await?;
    if let Some(blank) = sites.first_mut() {
        *blank = Choice::blank(frame.text(of_reports::ALL_OF_THEM));
    }
    let states = ReportState::ALL.map(|state| {
        let text = match state {
            ReportState::Running => frame.fill(of_reports::STATE_RUNNING, &[("percent", "…")]),
            state => words::state_text(frame, state, 0),
        };
        Choice::new(state.as_str(), text)
    });
    let states = std::iter::once(Choice::blank(frame.text(of_reports::ALL_OF_THEM))).chain(states).collect();
    Ok(vec![
        Field::new(frame, &view, "site_id", t::SITE, Input::Select(sites)),
        Field::new(frame, &view, "state", of_reports::STATE, Input::Select(states)),
    ])
}

fn table(frame: &Frame, query: &SiteReportQuery, names: &SubjectNames, rows: &[SiteReportView]) -> Table {
    let columns = vec![
        Column::text(frame.text(t::SITE)),
        Column::text(frame.text(of_reports::PERIOD)),
        Column::text(frame.text(of_reports::STATE)),
        Column::text(frame.text(t::GENERATOR)),
        Column::text(frame.text(of_reports::AUTHOR)),
        Column::text(frame.text(of_reports::ORDERED_AT)),
    ];
    let empty = match query.site.is_some() || query.state.is_some() {
        true => Empty {
            title: frame.text(t::NO_MATCH).to_owned(),
            reason: frame.text(t::NO_MATCH_REASON).to_owned(),
            action: Some((frame.text(of_reports::SHOW_ALL).to_owned(), frame.link("/reports/site-reports"))),
        },
        false => Empty {
            title: frame.text(t::NONE_YET).to_owned(),
            reason: frame.text(t::NONE_YET_REASON).to_owned(),
            action: None,
        },
    };
    let rows = rows.iter().map(|view| row(frame, names, view)).collect();
    Table::new(frame.text(t::TITLE), columns, rows, empty)
}

fn row(frame: &Frame, names: &SubjectNames, view: &SiteReportView) -> Row {
    let report = &view.report;
    let generator = match report.generator {
        Some(SiteReportGenerator::Rules) => frame.text(t::BY_RULES),
        Some(SiteReportGenerator::Model) => frame.text(t::BY_MODEL),
        None => "–",
    };
    let page = frame.link(&format!("/reports/site-reports/{}", report.id));
    let cells = vec![
        Cell::head(names.line(frame, &subject(view)), page),
        Cell::text(words::period(frame, &report.from, &report.to)),
        words::state_cell(frame, report.state, report.percent, view.reason_text),
        Cell::text(generator),
        Cell::text(actor_name(frame, &report.author)),
        Cell::text(frame.formats().own(report.created_at)).plain(Plain::time(report.created_at)),
    ];
    Row::new(cells).muted(matches!(report.state, ReportState::Failed | ReportState::Expired))
}
