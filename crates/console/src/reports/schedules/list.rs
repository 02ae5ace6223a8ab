//! GET /reports/schedules: the schedules by name.

use std::sync::Arc;

use app::{App, Error, ScheduleReach, ScheduleView};
use askama::Template;
use axum::extract::State;
use domain::access::ScheduleReports;
use domain::{PageRequest, ReportScheduleFilter};
use texts::console::report_schedules as t;
use texts::reports::report_title;
use web::{Caller, FromParams, ListParams, Params, Query, Result};

use super::words;
use crate::entities::parts::actor_name;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{
    self, Cell, Choice, Column, Empty, Field, Input, MAX_CSV_ROWS, Pager, Row, Table, read_csv_format,
};
use crate::pickers::Pickers;
use crate::reports::subjects::SubjectNames;
use crate::response;

#[derive(Template)]
#[template(path = "reports/schedules/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    kept: Vec<(String, String)>,
    filters: Vec<Field>,
    table: Table,
}

pub struct ScheduleQuery {
    filter: ReportScheduleFilter,
    mine: bool,
    csv: bool,
    list: ListParams,
}

impl FromParams for ScheduleQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. They mean nothing here.
        Pickers::read(query)?;
        let filter = ReportScheduleFilter { paused: query.optional_flag("paused")?, q: query.search("q")? };
        let (mine, csv) = (query.flag("mine")?, read_csv_format(query)?);
        Ok(Self { filter, mine, csv, list: ListParams::read(query)? })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    Params(query): Params<ScheduleQuery>,
) -> Result {
    let reach = if query.mine { ScheduleReach::Own } else { super::reach(&frame) };
    let page = match query.csv {
        true => PageRequest { limit: MAX_CSV_ROWS, after: None },
        false => query.list.page(),
    };
    let (found, total) = app.list_report_schedules(&caller, &query.filter, reach, &page, true).await?;
    let subjects = found.rows.iter().map(|view| &view.report.subject);
    let names = SubjectNames::load(&app, &frame, subjects).await?;
    let pager = Pager::of(&frame, found.rows.len(), total, found.next.as_ref());
    let table = table(&frame, &query, &names, &found.rows).paged(pager).with_csv(&frame);
    if query.csv {
        return Ok(parts::csv_response("report-schedules.csv", &table));
    }
    let page =
        ListPage { frame: &frame, kept: frame.pickers.0.clone(), filters: filters(&frame, &query), table };
    response::page(&frame, &page)
}

fn filters(frame: &Frame, query: &ScheduleQuery) -> Vec<Field> {
    let paused = query.filter.paused.map(|paused| paused.to_string()).unwrap_or_default();
    let view = FormView::new(vec![
        ("q", query.filter.q.clone().unwrap_or_default()),
        ("paused", paused),
        ("mine", if query.mine { "true".to_owned() } else { String::new() }),
    ]);
    let states = vec![
        Choice::blank(frame.text(t::EITHER)),
        Choice::new("false", frame.text(t::ACTIVE)),
        Choice::new("true", frame.text(t::PAUSED)),
    ];
    let mut fields = vec![
        Field::new(frame, &view, "q", t::NAME_CONTAINS, Input::Text),
        Field::new(frame, &view, "paused", t::STATE, Input::Select(states)),
    ];
    if super::reach(frame) == ScheduleReach::Brand {
        let whose =
            vec![Choice::blank(frame.text(t::EVERYBODYS)), Choice::new("true", frame.text(t::ONLY_MINE))];
        fields.push(Field::new(frame, &view, "mine", t::WHOSE, Input::Select(whose)));
    }
    fields
}

fn table(frame: &Frame, query: &ScheduleQuery, names: &SubjectNames, rows: &[ScheduleView]) -> Table {
    let columns = vec![
        Column::text(frame.text(t::NAME)),
        Column::text(frame.text(t::REPORT)),
        Column::text(frame.text(t::RUNS)),
        Column::text(frame.text(t::STATE)),
        Column::text(frame.text(t::NEXT_RUN)),
        Column::text(frame.text(t::LAST_RUN)),
        Column::text(frame.text(t::RECIPIENTS)),
        Column::text(frame.text(t::AUTHOR)),
    ];
    let is_filtered = query.filter.q.is_some() || query.filter.paused.is_some() || query.mine;
    let empty = match is_filtered {
        true => Empty {
            title: frame.text(t::NO_MATCH).to_owned(),
            reason: frame.text(t::NO_MATCH_REASON).to_owned(),
            action: Some((frame.text(t::SHOW_ALL).to_owned(), frame.link("/reports/schedules"))),
        },
        false => Empty {
            title: frame.text(t::NONE_YET).to_owned(),
            reason: frame.text(t::NONE_YET_REASON).to_owned(),
            action: Some((frame.text(t::NEW).to_owned(), frame.link("/reports/schedules/new"))),
        },
    };
    let rows = rows.iter().map(|view| row(frame, names, view)).collect();
    Table::new(frame.text(t::TITLE), columns, rows, empty)
}

fn row(frame: &Frame, names: &SubjectNames, view: &ScheduleView) -> Row {
    let schedule = &view.schedule;
    let report = Cell::text(report_title(frame.language, schedule.kind.as_str()));
    let number = i64::try_from(view.recipients.len()).unwrap_or(i64::MAX);
    let cells = vec![
        Cell::head(schedule.name.as_str(), frame.link(&super::path_of(view))),
        report.note(names.line(frame, &view.report.subject)),
        Cell::text(words::rule(frame, view)),
        words::state_cell(frame, schedule),
        words::next_run(frame, view),
        words::last_run(frame, view),
        Cell::text(frame.count(t::ADDRESSES, number)),
        Cell::text(actor_name(frame, &schedule.author)),
    ];
    Row::new(cells).muted(schedule.paused_reason.is_some())
}
