//! The fields of a report's contents, as far as its kind takes them; for reports that are ordered and for schedules.

use app::{App, Error};
use domain::access::{ReadInsights, ReadRegistry};
use domain::{
    Direction, ListOrder, ListRequest, PageRequest, Paper, PeopleFilter, ReportKind, ReportState,
    ReportSubject, SavedViewFilter, SavedViewKind, SiteReportFilter, SortKey, Sorting, Window,
    WindowPosition,
};
use texts::Text;
use texts::console::{reports as t, site_reports as of_texts};

use super::request::takes_filters;
use super::subjects::SubjectNames;
use super::{filters, words};
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};
use crate::settings;

/// The maximum number of records that a select offers.
const MAX_CHOICES: u16 = 500;
/// The maximum number of written site reports that a select offers, the newest first.
const MAX_WRITTEN: u16 = 50;

/// What the fields are for: a report now, or the reports of a schedule, which sets their days.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Order,
    Schedule {
        /// Whether there is a table that stays if no saved view is chosen.
        has_table: bool,
    },
}

/// The field that a kind requires of those that any report can be narrowed by.
const fn required_subject(kind: ReportKind) -> Option<&'static str> {
    match kind {
        ReportKind::SiteSafety => Some("worksite_id"),
        ReportKind::ProjectSummary => Some("project_id"),
        ReportKind::Machine => Some("machine_id"),
        ReportKind::Person => Some("person_id"),
        _ => None,
    }
}

pub async fn fields(
    app: &App,
    frame: &Frame,
    view: &FormView,
    kind: ReportKind,
    purpose: Purpose,
) -> Result<Vec<Field>, Error> {
    let mut fields = Vec::new();
    match kind {
        ReportKind::Pivot => fields.push(view_field(app, frame, view, purpose).await?),
        ReportKind::SiteReport => {
            let written = written_choices(app, frame).await?;
            let field = select(frame, view, "site_report_id", t::WRITTEN, written);
            fields.push(field.required().hint(frame.text(t::WRITTEN_HINT)));
        }
        _ => {}
    }
    let mut narrowing = Vec::new();
    if kind != ReportKind::SiteReport {
        for (name, label) in SUBJECTS {
            let is_required = required_subject(kind) == Some(name);
            let first = if is_required { t::CHOOSE } else { t::ANY };
            let field = select(frame, view, name, label, subject_choices(app, frame, name, first).await?);
            match is_required {
                true => fields.push(field.required()),
                false => narrowing.push(field),
            }
        }
    }
    if purpose == Purpose::Order && kind != ReportKind::SiteReport {
        let hint = if kind == ReportKind::Pivot { t::OF_VIEW_HINT } else { t::FIRST_DAY_HINT };
        let from = Field::new(frame, view, "filters.from", t::FIRST_DAY, Input::Date);
        fields.push(from.hint(frame.text(hint)));
        let to = Field::new(frame, view, "filters.to", t::LAST_DAY, Input::Date);
        fields.push(to.hint(frame.text(t::LAST_DAY_HINT)));
    }
    let mut narrowing = narrowing.into_iter();
    fields.extend(narrowing.next().map(|first| first.headed(frame.text(t::NARROWED))));
    fields.extend(narrowing);
    if takes_filters(kind) {
        fields.extend(filters::fields(frame, view));
    }
    fields.extend(file_fields(frame, view, kind));
    Ok(fields)
}

/// What any report can be narrowed by.
const SUBJECTS: [(&str, Text); 4] = [
    ("worksite_id", t::SITE),
    ("project_id", t::PROJECT),
    ("machine_id", t::MACHINE),
    ("person_id", t::PERSON),
];

async fn subject_choices(app: &App, frame: &Frame, name: &str, first: Text) -> Result<Vec<Choice>, Error> {
    let mut choices = match name {
        "worksite_id" => settings::worksite_choices(app, frame).await?,
        "project_id" => settings::project_choices(app, frame).await?,
        "machine_id" => settings::machine_choices(app, frame).await?,
        _ => person_choices(app, frame).await?,
    };
    if let Some(blank) = choices.first_mut() {
        *blank = Choice::blank(frame.text(first));
    }
    Ok(choices)
}

/// The people by name, after a blank choice.
async fn person_choices(app: &App, frame: &Frame) -> Result<Vec<Choice>, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let order = ListOrder::Sorted(Sorting::by(SortKey::Name, Direction::Ascending));
    let request = ListRequest::of_page(order, &PageRequest { limit: MAX_CHOICES, after: None }, false);
    let found = app.list_people(&caller.reader(), &PeopleFilter::default(), &request).await?;
    let people = found.rows.into_iter().map(|person| Choice::new(person.id.to_string(), person.name));
    Ok(std::iter::once(Choice::blank("")).chain(people).collect())
}

async fn view_field(app: &App, frame: &Frame, view: &FormView, purpose: Purpose) -> Result<Field, Error> {
    let caller = frame.caller::<ReadInsights>()?;
    let filter = SavedViewFilter { kinds: vec![SavedViewKind::Pivot], ..SavedViewFilter::default() };
    let window = Window { size: MAX_CHOICES, position: WindowPosition::Start };
    let sorting = Sorting::by(SortKey::Name, Direction::Ascending);
    let found = app.list_saved_views(&caller, &filter, sorting, &window, false).await?;
    let stays = purpose == Purpose::Schedule { has_table: true };
    let blank = Choice::blank(frame.text(if stays { t::AS_IT_IS } else { t::CHOOSE }));
    let views = found.rows.into_iter().map(|view| Choice::new(view.id.to_string(), view.name));
    let choices = std::iter::once(blank).chain(views).collect();
    let field = select(frame, view, "saved_view_id", t::SAVED_VIEW, choices);
    let field = field.hint(frame.text(t::SAVED_VIEW_HINT));
    Ok(if stays { field } else { field.required() })
}

/// The written site reports that are ready, by site, period and language, and by number, because they may be written again.
async fn written_choices(app: &App, frame: &Frame) -> Result<Vec<Choice>, Error> {
    let caller = frame.caller::<ReadInsights>()?;
    let filter = SiteReportFilter { states: vec![ReportState::Ready], ..SiteReportFilter::default() };
    let window = Window { size: MAX_WRITTEN, position: WindowPosition::Start };
    let sorting = Sorting::by(SortKey::Id, Direction::Descending);
    let found = app.list_site_reports(&caller, &filter, sorting, &window, false).await?;
    let about = |view: &app::SiteReportView| ReportSubject {
        worksite: Some(view.report.worksite),
        ..ReportSubject::default()
    };
    let subjects: Vec<ReportSubject> = found.rows.iter().map(about).collect();
    let names = SubjectNames::load(app, frame, subjects.iter()).await?;
    let written = found.rows.iter().zip(&subjects).map(|(view, subject)| {
        let (site, id) = (names.line(frame, subject), view.report.id.to_string());
        let period = words::period(frame, &view.report.from, &view.report.to);
        let language =
            frame.text(if view.report.language == "de" { of_texts::GERMAN } else { of_texts::ENGLISH });
        let values = [("site", site.as_str()), ("period", &period), ("language", language), ("id", &id)];
        let label = frame.fill(of_texts::TEXT_TO_CHOOSE, &values);
        Choice::new(id, label)
    });
    Ok(std::iter::once(Choice::blank(frame.text(t::CHOOSE))).chain(written).collect())
}

fn file_fields(frame: &Frame, view: &FormView, kind: ReportKind) -> Vec<Field> {
    let formats = kind.formats().iter().map(|format| format.as_str());
    let formats = formats.map(|format| Choice::new(format, t::format(frame.language, format))).collect();
    let papers = vec![
        Choice::blank(frame.text(t::PAPER_USUAL)),
        Choice::new(Paper::A4.as_str(), frame.text(t::PAPER_A4)),
        Choice::new(Paper::Letter.as_str(), frame.text(t::PAPER_LETTER)),
    ];
    let format = Field::new(frame, view, "format", t::FORMAT, Input::Select(formats));
    vec![
        format.required().headed(frame.text(t::FILE)),
        Field::new(frame, view, "paper", t::PAPER, Input::Select(papers)),
    ]
}

/// A select. What was chosen already is among the choices even if it is archived, so that saving keeps it.
fn select(
    frame: &Frame,
    view: &FormView,
    name: &'static str,
    label: Text,
    mut choices: Vec<Choice>,
) -> Field {
    let value = view.value(name);
    if choices.iter().all(|choice| choice.value != value) {
        let what = frame.text(label);
        let text = frame.fill(t::UNKNOWN_RECORD, &[("what", what), ("id", &value)]);
        choices.push(Choice::new(value, text));
    }
    Field::new(frame, view, name, label, Input::Select(choices))
}
