//! GET /reports: the reports that the reader sees, the newest first.

use std::sync::Arc;

use app::{App, Error, ReportView};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadInsights, ScheduleReports};
use domain::{
    Direction, ListOrder, ListRequest, PageRequest, ReportFilter, ReportKind, ReportScheduleId, ReportState,
    ReportSubject, SortKey, Sorting, WorksiteId,
};
use texts::console::reports as t;
use texts::reports::report_title;
use web::{Caller, FromParams, ListParams, Params, Query, Result};

use super::subjects::SubjectNames;
use super::words;
use crate::entities::parts::actor_name;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{
    self, Cell, Choice, Column, Empty, Field, Input, MAX_CSV_ROWS, Pager, Plain, Row, Table, read_csv_format,
};
use crate::pickers::Pickers;
use crate::{response, settings};

#[derive(Template)]
#[template(path = "reports/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    can_schedule: bool,
    /// The parameters that the form of the filters keeps.
    kept: Vec<(String, String)>,
    filters: Vec<Field>,
    of_schedule: bool,
    /// Whether one of the reports on the page is being made.
    is_waiting: bool,
    table: Table,
}

pub struct ReportQuery {
    kind: Option<ReportKind>,
    state: Option<ReportState>,
    site: Option<WorksiteId>,
    mine: bool,
    schedule: Option<ReportScheduleId>,
    csv: bool,
    list: ListParams,
}

impl FromParams for ReportQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. A report has a period of its own.
        Pickers::read(query)?;
        Ok(Self {
            kind: query.one("kind", ReportKind::parse)?,
            state: query.one("state", ReportState::parse)?,
            site: query.id("site_id")?.map(WorksiteId),
            mine: query.flag("mine")?,
            schedule: query.id("schedule_id")?.map(ReportScheduleId),
            csv: read_csv_format(query)?,
            list: ListParams::read(query)?,
        })
    }
}

impl ReportQuery {
    fn is_filtered(&self) -> bool {
        self.kind.is_some()
            || self.state.is_some()
            || self.site.is_some()
            || self.mine
            || self.schedule.is_some()
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<ReportQuery>,
) -> Result {
    let filter = ReportFilter {
        ids: None,
        kinds: query.kind.into_iter().collect(),
        states: query.state.into_iter().collect(),
        subject: ReportSubject { worksite: query.site, ..ReportSubject::default() },
        schedule: query.schedule,
        author: query.mine.then_some(caller.identity.user),
    };
    let sorting = Sorting::by(SortKey::Id, Direction::Descending);
    let page = match query.csv {
        true => PageRequest { limit: MAX_CSV_ROWS, after: None },
        false => query.list.page(),
    };
    let request = ListRequest::of_page(ListOrder::Sorted(sorting), &page, true);
    let found = app.list_reports(&caller, &filter, sorting, &request.window, request.include_total).await?;
    let names = SubjectNames::load(&app, &frame, found.rows.iter().map(|view| &view.report.subject)).await?;
    let pager = Pager::of(&frame, found.rows.len(), found.total, found.next.as_ref());
    let table = table(&frame, &query, &names, &found.rows).paged(pager).with_csv(&frame);
    if query.csv {
        return Ok(parts::csv_response("reports.csv", &table));
    }
    let mut kept = frame.pickers.0.clone();
    kept.extend(query.schedule.map(|id| ("schedule_id".to_owned(), id.to_string())));
    let page = ListPage {
        frame: &frame,
        can_schedule: frame.may::<ScheduleReports>(),
        kept,
        filters: filters(&app, &frame, &query).await?,
        of_schedule: query.schedule.is_some(),
        is_waiting: found.rows.iter().any(|view| view.report.state.is_unfinished()),
        table,
    };
    response::page(&frame, &page)
}

async fn filters(app: &App, frame: &Frame, query: &ReportQuery) -> Result<Vec<Field>, Error> {
    let word = |word: Option<&'static str>| word.unwrap_or_default().to_owned();
    let view = FormView::new(vec![
        ("kind", word(query.kind.map(ReportKind::as_str))),
        ("state", word(query.state.map(ReportState::as_str))),
        ("site_id", query.site.map(|id| id.to_string()).unwrap_or_default()),
        ("mine", if query.mine { "true".to_owned() } else { String::new() }),
    ]);
    let language = frame.language;
    let all = || std::iter::once(Choice::blank(frame.text(t::ALL_OF_THEM)));
    let kinds = ReportKind::ALL.map(|kind| Choice::new(kind.as_str(), report_title(language, kind.as_str())));
    let states = ReportState::ALL.map(|state| {
        let text = match state {
            // Without the percentage that one report has.
            ReportState::Running => frame.fill(t::STATE_RUNNING, &[("percent", "…")]),
            state => words::state_text(frame, state, 0),
        };
        Choice::new(state.as_str(), text)
    });
    let mut sites = settings::worksite_choices(app, frame).await?;
    if let Some(first) = sites.first_mut() {
        *first = Choice::blank(frame.text(t::ALL_OF_THEM));
    }
    Ok(vec![
        Field::new(frame, &view, "kind", t::KIND, Input::Select(all().chain(kinds).collect())),
        Field::new(frame, &view, "state", t::STATE, Input::Select(all().chain(states).collect())),
        Field::new(frame, &view, "site_id", t::SITE, Input::Select(sites)),
        Field::new(frame, &view, "mine", t::MINE, Input::Flag),
    ])
}

fn table(frame: &Frame, query: &ReportQuery, names: &SubjectNames, rows: &[ReportView]) -> Table {
    let columns = vec![
        Column::text(frame.text(t::REPORT)),
        Column::text(frame.text(t::ABOUT)),
        Column::text(frame.text(t::PERIOD)),
        Column::text(frame.text(t::STATE)),
        Column::text(frame.text(t::AUTHOR)),
        Column::text(frame.text(t::ORDERED_AT)),
        Column::text(frame.text(t::DOWNLOAD)),
    ];
    let empty = match query.is_filtered() {
        true => Empty {
            title: frame.text(t::NO_MATCH).to_owned(),
            reason: frame.text(t::NO_MATCH_REASON).to_owned(),
            action: Some((frame.text(t::SHOW_ALL).to_owned(), frame.link("/reports"))),
        },
        false => Empty {
            title: frame.text(t::NONE_YET).to_owned(),
            reason: frame.text(t::NONE_YET_REASON).to_owned(),
            action: Some((frame.text(t::NEW).to_owned(), frame.link("/reports/new"))),
        },
    };
    let rows = rows.iter().map(|view| row(frame, names, view)).collect();
    Table::new(frame.text(t::TITLE), columns, rows, empty)
}

fn row(frame: &Frame, names: &SubjectNames, view: &ReportView) -> Row {
    let report = &view.report;
    let page = frame.link(&format!("/reports/{}", report.id));
    let file = match words::has_files(report) {
        true => Cell::link(report.format.as_str().to_uppercase(), format!("/reports/{}/file", report.id)),
        false => Cell::text("–"),
    };
    let cells = vec![
        Cell::head(report_title(frame.language, report.kind.as_str()), page),
        Cell::text(names.line(frame, &report.subject)),
        Cell::text(words::period(frame, &report.from, &report.to)),
        words::state_cell(frame, report.state, report.percent, view.reason_text),
        Cell::text(actor_name(frame, &report.author)),
        Cell::text(frame.formats().own(report.created_at)).plain(Plain::time(report.created_at)),
        file,
    ];
    Row::new(cells).muted(matches!(report.state, ReportState::Failed | ReportState::Expired))
}
