//! GET /reports/schedules/{id}: what it makes, when, for whom, and how its last run went.

use std::sync::Arc;

use app::{App, ScheduleView};
use askama::Template;
use axum::extract::State;
use domain::RunState;
use domain::access::ScheduleReports;
use texts::console::report_schedules as t;
use texts::console::reports as of_reports;
use texts::reports::report_title;
use web::{Caller, Params, PathId, Result};

use super::{find, path_of, words};
use crate::entities::parts::actor_name;
use crate::frame::Frame;
use crate::parts::{Action, Cell, Column, Details, Empty, Row, Table};
use crate::reports::show::NoneOfItsOwn;
use crate::reports::subjects::{Subject, SubjectNames};
use crate::response;

#[derive(Template)]
#[template(path = "reports/schedules/show.html")]
struct ShowPage<'a> {
    frame: &'a Frame,
    name: &'a str,
    version: i64,
    /// The last run is not over yet.
    is_running: bool,
    details: Details,
    recipients: Table,
    edit: String,
    delete: String,
    reports: String,
    actions: Vec<Action>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    PathId(id): PathId,
    Params(NoneOfItsOwn): Params<NoneOfItsOwn>,
) -> Result {
    let view = find(&app, &frame, &caller, id).await?;
    let names = SubjectNames::load(&app, &frame, std::iter::once(&view.report.subject)).await?;
    let subjects = names.of(&frame, &view.report.subject);
    let page = ShowPage {
        frame: &frame,
        name: &view.schedule.name,
        version: view.schedule.version,
        is_running: view.schedule.last_run_state == Some(RunState::Running),
        details: details(&frame, &view, subjects),
        recipients: recipients(&frame, &view),
        edit: frame.link(&format!("{}/edit", path_of(&view))),
        delete: format!("{}/delete", path_of(&view)),
        reports: frame.link_with("/reports", &[("schedule_id", &id.to_string())]),
        actions: actions(&frame, &view),
    };
    response::page(&frame, &page)
}

fn actions(frame: &Frame, view: &ScheduleView) -> Vec<Action> {
    let action = |word: &str, text, hidden| Action {
        to: format!("{}/{word}", path_of(view)),
        text: frame.text(text).to_owned(),
        is_danger: false,
        hidden,
    };
    let version = || vec![("_version".to_owned(), view.schedule.version.to_string())];
    let switch = match view.schedule.paused_reason {
        None => action("pause", t::PAUSE, version()),
        Some(_) => action("resume", t::RESUME, version()),
    };
    let mut actions = vec![switch];
    if !view.recipients.is_empty() {
        actions.push(action("run", t::RUN_NOW, Vec::new()));
    }
    actions
}

fn details(frame: &Frame, view: &ScheduleView, subjects: Vec<Subject>) -> Details {
    let schedule = &view.schedule;
    let title = report_title(frame.language, schedule.kind.as_str());
    let mut rows = vec![
        (frame.text(t::STATE), words::state_cell(frame, schedule)),
        (frame.text(t::RUNS), Cell::text(words::rule(frame, view))),
        (frame.text(t::NEXT_RUN), words::next_run(frame, view)),
        (frame.text(t::LAST_RUN), words::last_run(frame, view)),
        (frame.text(t::REPORT), Cell::text(title)),
    ];
    for subject in subjects {
        let cell = match subject.href {
            Some(href) => Cell::link(subject.name, href),
            None => Cell::text(subject.name),
        };
        rows.push((subject.label, cell));
    }
    let format = of_reports::format(frame.language, schedule.format.as_str());
    rows.push((frame.text(t::PERIOD), Cell::text(t::period(frame.language, schedule.period.as_str()))));
    rows.push((frame.text(of_reports::FORMAT), Cell::text(format)));
    rows.push((frame.text(t::AUTHOR), Cell::text(actor_name(frame, &schedule.author))));
    Details { rows: rows.into_iter().map(|(label, cell)| (label.to_owned(), cell)).collect() }
}

fn recipients(frame: &Frame, view: &ScheduleView) -> Table {
    let empty = Empty {
        title: frame.text(t::NO_RECIPIENTS).to_owned(),
        reason: frame.text(t::NO_RECIPIENTS_REASON).to_owned(),
        action: None,
    };
    let rows = view.recipients.iter().map(|one| Row::new(vec![Cell::text(one.email.as_str())])).collect();
    Table::new(frame.text(t::RECIPIENTS), vec![Column::text(frame.text(t::ADDRESS))], rows, empty)
}
