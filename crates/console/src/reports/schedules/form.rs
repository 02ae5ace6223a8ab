//! The form of a schedule: its report, when it runs, and who gets it.

use app::{App, Error, NewReport, ScheduleView};
use domain::schedule::CadenceKind;
use domain::{Cadence, Paper, ReportKind, ReportPeriod, ScheduleRule};
use texts::console::report_schedules as t;
use texts::values;

use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};
use crate::reports::filters;
use crate::reports::form::{self, Purpose};
use crate::settings;

/// What the form shows of a stored report.
pub fn report_values(report: &NewReport) -> Vec<(&'static str, String)> {
    let subject = &report.subject;
    let ids = [
        ("project_id", subject.project.map(|id| id.0)),
        ("worksite_id", subject.worksite.map(|id| id.0)),
        ("machine_id", subject.machine.map(|id| id.0)),
        ("person_id", subject.person.map(|id| id.0)),
        ("saved_view_id", report.saved_view.map(|id| id.0)),
    ];
    let mut values = vec![("format", report.format.as_str().to_owned())];
    values.extend(ids.into_iter().filter_map(|(name, id)| Some((name, id?.to_string()))));
    values.extend(report.paper.map(|paper: Paper| ("paper", paper.as_str().to_owned())));
    values.extend(report.filter.iter().flat_map(|filter| filters::form_values(filter)));
    values
}

/// What the form shows of a stored schedule.
pub fn stored(view: &ScheduleView) -> FormView {
    let schedule = &view.schedule;
    let mut values = report_values(&view.report);
    values.push(("name", schedule.name.clone()));
    values.push(("period", schedule.period.as_str().to_owned()));
    values.push(("cadence", schedule.rule.cadence.kind().as_str().to_owned()));
    match schedule.rule.cadence {
        Cadence::Daily => {}
        Cadence::Weekly { weekday } => values.push(("weekday", weekday.to_string())),
        Cadence::Monthly { day_of_month } => values.push(("day_of_month", day_of_month.to_string())),
    }
    values.push(("time", ScheduleRule::format_time(schedule.rule.minute_of_day)));
    values.extend(schedule.zone_worksite.map(|id| ("zone_worksite_id", id.to_string())));
    let addresses: Vec<&str> = view.recipients.iter().map(|recipient| recipient.email.as_str()).collect();
    values.push(("recipients", addresses.join("\n")));
    FormView::new(values)
}

/// What a new form is filled with besides the report: every Monday morning, to the reader themselves.
pub fn usual(frame: &Frame) -> Vec<(&'static str, String)> {
    let own = frame.identity().map(|identity| identity.email.clone()).unwrap_or_default();
    vec![
        ("cadence", CadenceKind::Weekly.as_str().to_owned()),
        ("weekday", "1".to_owned()),
        ("time", "07:00".to_owned()),
        ("recipients", own),
    ]
}

pub async fn fields(
    app: &App,
    frame: &Frame,
    view: &FormView,
    kind: ReportKind,
    has_table: bool,
) -> Result<Vec<Field>, Error> {
    let field = |name, label, input| Field::new(frame, view, name, label, input);
    let language = frame.language;
    let cadences = vec![
        Choice::new(CadenceKind::Daily.as_str(), frame.text(t::DAILY)),
        Choice::new(CadenceKind::Weekly.as_str(), frame.text(t::WEEKLY)),
        Choice::new(CadenceKind::Monthly.as_str(), frame.text(t::MONTHLY)),
    ];
    let days = (1..=7_i64).map(|day| Choice::new(day.to_string(), values::weekday(language, day - 1)));
    let days = std::iter::once(Choice::blank("–")).chain(days).collect();
    let usual = std::iter::once(Choice::blank(frame.text(t::USUAL_PERIOD)));
    let periods =
        ReportPeriod::ALL.map(|period| Choice::new(period.as_str(), t::period(language, period.as_str())));
    let mut clocks = settings::worksite_choices(app, frame).await?;
    let clock = view.value("zone_worksite_id");
    if clocks.iter().all(|choice| choice.value != clock) {
        clocks.push(Choice::new(clock.clone(), clock));
    }
    let mut fields = vec![field("name", t::NAME, Input::Text).required().hint(frame.text(t::NAME_HINT))];
    let purpose = Purpose::Schedule { has_table };
    fields.extend(form::fields(app, frame, view, kind, purpose).await?);
    fields.extend([
        field("cadence", t::CADENCE, Input::Select(cadences)).required().headed(frame.text(t::WHEN)),
        field("weekday", t::WEEKDAY, Input::Select(days)).hint(frame.text(t::WEEKDAY_HINT)),
        field("day_of_month", t::DAY_OF_MONTH, Input::Number { min: 1, max: 28 })
            .hint(frame.text(t::DAY_OF_MONTH_HINT)),
        field("time", t::TIME, Input::Text).required().hint(frame.text(t::TIME_HINT)),
        field("zone_worksite_id", t::CLOCK, Input::Select(clocks)).hint(frame.text(t::CLOCK_HINT)),
        field("period", t::PERIOD, Input::Select(usual.chain(periods).collect())),
        field("recipients", t::RECIPIENTS, Input::Area { rows: 4 })
            .required()
            .hint(frame.text(t::RECIPIENTS_HINT))
            .headed(frame.text(t::RECIPIENTS)),
    ]);
    Ok(fields)
}
