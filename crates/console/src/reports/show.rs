//! GET /reports/{id}: how far a report is, its numbers, its files, and what can be done with it.

use std::sync::Arc;

use app::{App, EntityRole, Error, KeyFigure, KeyFigures, ReportView};
use askama::Template;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{Report, ReportFormat, ReportId, ReportState};
use texts::console::reports as t;
use texts::reports::{DRIVING, ON_FOOT, report_title_of};
use texts::{Text, values};
use web::{Caller, FromParams, Params, PathId, Query, Result};

use super::subjects::{Subject, SubjectNames};
use super::{filters, words};
use crate::address::Address;
use crate::behind::acknowledged_of;
use crate::entities::parts::actor_name;
use crate::frame::Frame;
use crate::parts::{Action, Cell, Details, Progress, Tile};
use crate::pickers::Pickers;
use crate::response;

/// The parameters of the page: the pickers of other pages, which stay in the address.
pub struct NoneOfItsOwn;

impl FromParams for NoneOfItsOwn {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Pickers::read(query)?;
        Ok(Self)
    }
}

#[derive(Template)]
#[template(path = "reports/show.html")]
struct ShowPage<'a> {
    frame: &'a Frame,
    title: String,
    period: String,
    is_waiting: bool,
    progress: Option<Progress>,
    /// Why there is no file.
    reason: Option<&'static str>,
    /// Where such a report is ordered again.
    again: Option<String>,
    /// The PDF, to be looked at.
    preview: Option<String>,
    /// What is downloaded, and from where.
    downloads: Vec<(String, String)>,
    figures: Vec<FigureGroup>,
    details: Details,
    remake: Option<Action>,
    delete: Option<DeleteAction>,
}

/// The numbers of a role, or of the whole report.
struct FigureGroup {
    heading: Option<&'static str>,
    tiles: Vec<Tile>,
}

struct DeleteAction {
    text: &'static str,
    hint: Option<&'static str>,
    to: String,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    Params(NoneOfItsOwn): Params<NoneOfItsOwn>,
) -> Result {
    let view = app.find_report(&caller, ReportId(id)).await?;
    let report = &view.report;
    let figures = app.find_key_figures(&caller, report.id).await?;
    let names = SubjectNames::load(&app, &frame, std::iter::once(&report.subject)).await?;
    let subjects = names.of(&frame, &report.subject);
    let called: Vec<String> = subjects.iter().map(|subject| subject.name.clone()).collect();
    let is_waiting = report.state.is_unfinished();
    let has_files = words::has_files(report);
    let may_change = words::may_change(&frame, &report.author);
    let page = format!("/reports/{id}");
    let formats = report.kind.formats();
    let page = ShowPage {
        frame: &frame,
        title: report_title_of(frame.language, report.kind.as_str(), &called),
        period: words::period(&frame, &report.from, &report.to),
        is_waiting,
        progress: is_waiting.then(|| progress(&frame, report)),
        reason: view.reason_text.filter(|_| !has_files),
        again: (!has_files && !is_waiting).then(|| again(report)),
        preview: (has_files && formats.contains(&ReportFormat::Pdf))
            .then(|| format!("{page}/file?format=pdf&inline=true")),
        downloads: match has_files {
            true => formats.iter().map(|format| download(&frame, &page, *format)).collect(),
            false => Vec::new(),
        },
        figures: figures.map(|figures| groups(&frame, &figures)).unwrap_or_default(),
        details: details(&frame, &view, subjects),
        remake: (may_change && report.state == ReportState::Ready).then(|| Action {
            to: format!("{page}/remake"),
            text: frame.text(t::REMAKE).to_owned(),
            is_danger: false,
            hidden: Vec::new(),
        }),
        delete: (may_change && (has_files || is_waiting)).then(|| DeleteAction {
            text: frame.text(if has_files { t::DELETE } else { t::CANCEL_REPORT }),
            hint: has_files.then(|| frame.text(t::DELETE_HINT)),
            to: format!("{page}/delete"),
        }),
    };
    response::page(&frame, &page)
}

fn progress(frame: &Frame, report: &Report) -> Progress {
    let percent = u8::try_from(report.percent).ok().filter(|_| report.state == ReportState::Running);
    let text = words::state_text(frame, report.state, report.percent);
    Progress { percent, text, cancel: None, live: String::new() }
}

fn download(frame: &Frame, page: &str, format: ReportFormat) -> (String, String) {
    let name = t::format(frame.language, format.as_str());
    (frame.fill(t::DOWNLOAD_AS, &[("format", name)]), format!("{page}/file?format={}", format.as_str()))
}

/// Returns the form that orders the same with a period of its own.
fn again(report: &Report) -> String {
    let subject = &report.subject;
    let ids = [
        ("project_id", subject.project.map(|id| id.0)),
        ("worksite_id", subject.worksite.map(|id| id.0)),
        ("machine_id", subject.machine.map(|id| id.0)),
        ("person_id", subject.person.map(|id| id.0)),
        ("site_report_id", report.site_report.map(|id| id.0)),
    ];
    let form = Address::new("/reports/new").and("kind", report.kind.as_str());
    let given = ids.into_iter().filter_map(|(name, id)| Some((name, id?)));
    given.fold(form, |form, (name, id)| form.and(name, &id.to_string())).to_string()
}

/// What the numbers of a role stand beneath.
const fn heading_of(role: EntityRole) -> Option<Text> {
    match role {
        EntityRole::Machine => None,
        EntityRole::Pedestrian => Some(ON_FOOT),
        EntityRole::Operator => Some(DRIVING),
    }
}

/// Returns the filter of what a number counts: of a person, only what happened to them in its role; of a rate, its numerator.
fn counted(filter: &IncursionFilter, figure: &KeyFigure) -> IncursionFilter {
    let mut counted = filter.clone();
    match figure.role {
        Some(EntityRole::Pedestrian) => counted.pedestrians = std::mem::take(&mut counted.people),
        Some(EntityRole::Operator) => counted.operators = std::mem::take(&mut counted.people),
        Some(EntityRole::Machine) | None => {}
    }
    let is_acknowledged = acknowledged_of(figure.measure).map(|value| value == "true");
    counted.acknowledged = counted.acknowledged.or(is_acknowledged);
    counted
}

fn groups(frame: &Frame, key: &KeyFigures) -> Vec<FigureGroup> {
    let mut groups: Vec<FigureGroup> = Vec::new();
    for figure in &key.figures {
        let heading = figure.role.and_then(heading_of).map(|heading| frame.text(heading));
        let tile = Tile {
            label: values::measure(frame.language, figure.measure.as_str()).to_owned(),
            value: frame.formats().figure(figure.measure, figure.now),
            change: figure
                .before
                .and_then(|before| frame.formats().change(figure.measure, figure.now, before)),
            spark: None,
            href: filters::incursions(&counted(&key.filter, figure)),
            live: "",
        };
        match groups.last_mut() {
            Some(last) if last.heading == heading => last.tiles.push(tile),
            _ => groups.push(FigureGroup { heading, tiles: vec![tile] }),
        }
    }
    groups
}

fn details(frame: &Frame, view: &ReportView, subjects: Vec<Subject>) -> Details {
    let (report, formats) = (&view.report, frame.formats());
    let state = words::state_badge(frame, report.state, report.percent);
    let mut rows = vec![
        (frame.text(t::STATE), Cell::badge(state)),
        (frame.text(t::PERIOD), Cell::text(words::period(frame, &report.from, &report.to))),
    ];
    for subject in subjects {
        let cell = match subject.href {
            Some(href) => Cell::link(subject.name, href),
            None => Cell::text(subject.name),
        };
        rows.push((subject.label, cell));
    }
    rows.push((frame.text(t::AUTHOR), Cell::text(actor_name(frame, &report.author))));
    rows.push((frame.text(t::ORDERED_AT), Cell::text(formats.own(report.created_at))));
    let schedule = report.schedule.map(|id| frame.link(&format!("/reports/schedules/{id}")));
    rows.extend(
        schedule.map(|page| (frame.text(t::OF_THE_SCHEDULE), Cell::link(frame.text(t::TO_SCHEDULE), page))),
    );
    let written = report.site_report.map(|id| frame.link(&format!("/reports/site-reports/{id}")));
    rows.extend(
        written.map(|page| (frame.text(t::WRITTEN), Cell::link(frame.text(t::TO_SITE_REPORT), page))),
    );
    if report.state == ReportState::Ready {
        let names = if report.names_people { t::YES } else { t::NO };
        rows.push((frame.text(t::NAMES_PEOPLE), Cell::text(frame.text(names))));
    }
    let zones = words::zones(report.time_zones.as_deref());
    rows.extend(zones.map(|zones| (frame.text(t::ZONES), Cell::text(zones))));
    let size = report.content.as_ref().map(|content| words::size(frame, content.size_bytes));
    rows.extend(size.map(|size| (frame.text(t::SIZE), Cell::text(size))));
    rows.extend(
        report.program.as_ref().map(|program| (frame.text(t::PROGRAM), Cell::text(program.as_str()))),
    );
    rows.extend(report.finished_at.map(|at| (frame.text(t::FINISHED), Cell::text(formats.own(at)))));
    let until = report.expires_at.filter(|_| report.state == ReportState::Ready);
    rows.extend(until.map(|at| (frame.text(t::KEPT_UNTIL), Cell::text(formats.own(at)))));
    Details { rows: rows.into_iter().map(|(label, cell)| (label.to_owned(), cell)).collect() }
}
