//! GET /reports/site-reports/{id}: the sentences, with the facts behind each of them one click away.

use std::collections::BTreeSet;
use std::sync::Arc;

use app::reports::narrative::SentenceRole;
use app::{App, SentenceView, SiteReportView};
use askama::Template;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{ReportFormat, ReportKind, ReportState, ReportSubject, SiteReport, SiteReportId};
use texts::console::reports as of_reports;
use texts::console::site_reports as t;
use texts::narrative as words_of_facts;
use web::{Caller, Params, PathId, Result};

use super::facts::{self, ShownFact};
use super::writing::{self, Writing};
use crate::address::Address;
use crate::entities::parts::actor_name;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Details, Empty, Field, FormPart, Input, Progress};
use crate::reports::show::NoneOfItsOwn;
use crate::reports::subjects::SubjectNames;
use crate::reports::words;
use crate::response;

#[derive(Template)]
#[template(path = "reports/site_reports/show.html")]
struct ShowPage<'a> {
    frame: &'a Frame,
    title: String,
    period: String,
    /// The language of the sentences, which need not be the reader's.
    language: &'a str,
    is_waiting: bool,
    progress: Option<Progress>,
    empty: Option<Empty>,
    roles: Vec<RoleGroup>,
    /// Facts that no sentence reports.
    others: Vec<ShownFact>,
    writing: Option<Writing>,
    details: Details,
    incursions: String,
    render: Option<FormPart>,
    delete: Option<DeleteAction>,
}

/// The sentences of a role: findings, recommendations, and what the data cannot say.
struct RoleGroup {
    heading: &'static str,
    sentences: Vec<ShownSentence>,
}

struct ShownSentence {
    text: String,
    /// How many facts are behind it.
    behind: String,
    facts: Vec<ShownFact>,
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
    let view = app.find_site_report(&caller, SiteReportId(id)).await?;
    let report = &view.report;
    let subject = ReportSubject { worksite: Some(report.worksite), ..ReportSubject::default() };
    let names = SubjectNames::load(&app, &frame, std::iter::once(&subject)).await?;
    let site = names.line(&frame, &subject);
    let is_waiting = report.state.is_unfinished();
    let is_ready = report.state == ReportState::Ready;
    let may_change = words::may_change(&frame, &report.author);
    let page = ShowPage {
        frame: &frame,
        title: frame.fill(t::TITLE_OF, &[("site", &site)]),
        period: words::period(&frame, &report.from, &report.to),
        language: &report.language,
        is_waiting,
        progress: is_waiting.then(|| Progress {
            percent: u8::try_from(report.percent).ok().filter(|_| report.state == ReportState::Running),
            text: words::state_text(&frame, report.state, report.percent),
            cancel: None,
            live: String::new(),
        }),
        empty: (!is_waiting && view.sentences.is_empty()).then(|| Empty {
            title: frame.text(t::NO_SENTENCES).to_owned(),
            reason: view.reason_text.unwrap_or(frame.text(t::NOTHING_TO_SAY)).to_owned(),
            action: None,
        }),
        roles: roles(&frame, &view),
        others: others(&frame, &view),
        writing: writing::of(&frame, report),
        details: details(&frame, report, &site),
        incursions: incursions(report),
        render: is_ready.then(|| render_form(&frame, report, &usual())),
        delete: (may_change && (is_ready || is_waiting)).then(|| DeleteAction {
            text: frame.text(if is_ready { t::DELETE } else { t::CANCEL_WRITING }),
            hint: is_ready.then(|| frame.text(t::DELETE_HINT)),
            to: format!("/reports/site-reports/{id}/delete"),
        }),
    };
    response::page(&frame, &page)
}

fn roles(frame: &Frame, view: &SiteReportView) -> Vec<RoleGroup> {
    let all = [
        (words_of_facts::FINDINGS, SentenceRole::Finding),
        (words_of_facts::RECOMMENDATIONS, SentenceRole::Recommendation),
        (words_of_facts::LIMITATIONS, SentenceRole::Limitation),
    ];
    let group = |(heading, role): (texts::Text, SentenceRole)| {
        let sentences = view.sentences.iter().filter(|sentence| sentence.role == role);
        let sentences = sentences.map(|sentence| shown_sentence(frame, view, sentence)).collect();
        RoleGroup { heading: frame.text(heading), sentences }
    };
    all.into_iter().map(group).filter(|group| !group.sentences.is_empty()).collect()
}

fn shown_sentence(frame: &Frame, view: &SiteReportView, sentence: &SentenceView) -> ShownSentence {
    let behind = view.facts.iter().filter(|known| sentence.facts.contains(&known.fact.id));
    let facts: Vec<ShownFact> = behind.map(|known| facts::show(frame, known)).collect();
    let number = i64::try_from(facts.len()).unwrap_or(i64::MAX);
    ShownSentence { text: sentence.text.clone(), behind: frame.count(t::FACTS_BEHIND, number), facts }
}

fn others(frame: &Frame, view: &SiteReportView) -> Vec<ShownFact> {
    let cited: BTreeSet<&String> = view.sentences.iter().flat_map(|sentence| &sentence.facts).collect();
    let rest = view.facts.iter().filter(|known| !cited.contains(&known.fact.id));
    rest.map(|known| facts::show(frame, known)).collect()
}

fn details(frame: &Frame, report: &SiteReport, site: &str) -> Details {
    let formats = frame.formats();
    let state = words::state_badge(frame, report.state, report.percent);
    let site = Cell::link(site, frame.link(&format!("/sites/{}", report.worksite)));
    let language = if report.language == "de" { t::GERMAN } else { t::ENGLISH };
    let mut rows = vec![
        (of_reports::STATE, Cell::badge(state)),
        (t::SITE, site),
        (of_reports::PERIOD, Cell::text(words::period(frame, &report.from, &report.to))),
        (t::LANGUAGE, Cell::text(frame.text(language))),
        (of_reports::AUTHOR, Cell::text(actor_name(frame, &report.author))),
        (of_reports::ORDERED_AT, Cell::text(formats.own(report.created_at))),
    ];
    let zones = words::zones(report.time_zones.as_deref());
    rows.extend(zones.map(|zones| (of_reports::ZONES, Cell::text(zones))));
    rows.extend(report.model.as_ref().map(|model| (t::MODEL, Cell::text(model.as_str()))));
    rows.extend(report.program.as_ref().map(|program| (of_reports::PROGRAM, Cell::text(program.as_str()))));
    let until = report.expires_at.filter(|_| report.state == ReportState::Ready);
    rows.extend(until.map(|at| (of_reports::KEPT_UNTIL, Cell::text(formats.own(at)))));
    Details { rows: rows.into_iter().map(|(label, cell)| (frame.text(label).to_owned(), cell)).collect() }
}

/// The incursions of the site in the period.
fn incursions(report: &SiteReport) -> String {
    Address::new("/incursions")
        .and("period", "custom")
        .and("from", &report.from)
        .and("to", &report.to)
        .and("worksite_id", &report.worksite.to_string())
        .to_string()
}

fn usual() -> FormView {
    FormView::new(vec![("format", ReportFormat::Pdf.as_str().to_owned())])
}

/// The form that makes a document of the text.
fn render_form(frame: &Frame, report: &SiteReport, view: &FormView) -> FormPart {
    let formats = ReportKind::SiteReport.formats().iter().map(|format| format.as_str());
    let formats = formats.map(|format| Choice::new(format, of_reports::format(frame.language, format)));
    let field = Field::new(frame, view, "format", of_reports::FORMAT, Input::Select(formats.collect()));
    let to = format!("/reports/site-reports/{}/render", report.id);
    FormPart::new(to, view, vec![field.required()], frame.text(t::RENDER)).creating(frame)
}
