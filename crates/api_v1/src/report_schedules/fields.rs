//! The fields of a schedule, as bodies have them.

use app::NewReport;
use domain::schedule::CadenceKind;
use domain::{
    Cadence, Change, EmailAddress, Invalid, Name, ReportPeriod, ReportRecipient, ScheduleRule, WorksiteId,
};
use web::{BodyField, Fields, FromFields, ReportFieldsOfSchedule, enum_schemas, integer_within, text};

/// Fields of a new report schedule.
#[web::body(parts)]
pub struct NewReportSchedule {
    /// Name of the schedule, with which the subjects of its mails begin.
    #[schema(example = "Yard, weekly", min_length = 1, max_length = 100)]
    name: Name,
    /// Kind of the reports; all but `site_report`.
    #[schema(value_type = enum_schemas::ReportKind, example = "site_safety")]
    #[field(read = read_report)]
    kind: NewReport,
    /// Format of the reports. The default is the first that the kind has: a PDF.
    #[schema(value_type = Option<enum_schemas::ReportFormat>, example = "pdf")]
    #[field(read = read_with_kind)]
    format: (),
    /// Identifier of the project that the reports are about. The kind `project_summary` requires it.
    #[schema(value_type = Option<i64>, example = 2)]
    #[field(read = read_with_kind)]
    project_id: (),
    /// Identifier of the worksite that the reports are about. The kind `site_safety` requires it.
    #[schema(value_type = Option<i64>, example = 1)]
    #[field(read = read_with_kind)]
    worksite_id: (),
    /// Identifier of the machine that the reports are about. The kind `machine` requires it.
    #[schema(value_type = Option<i64>, example = 5)]
    #[field(read = read_with_kind)]
    machine_id: (),
    /// Identifier of the person that the reports are about. The kind `person` requires it.
    #[schema(value_type = Option<i64>, example = 7)]
    #[field(read = read_with_kind)]
    person_id: (),
    /// Filters of the incursions, as in `POST /api/v1/reports`, but without `from` and `to`.
    #[schema(value_type = Option<Object>)]
    #[field(read = read_with_kind)]
    filters: (),
    /// For the kind `pivot`: the pivot, as in `POST /api/v1/reports`, but without `from` and `to` in its filters.
    #[schema(value_type = Option<Object>)]
    #[field(read = read_with_kind)]
    pivot: (),
    /// For the kind `pivot`, instead of `pivot`: identifier of a saved view, whose definition is copied.
    #[schema(value_type = Option<i64>)]
    #[field(read = read_with_kind)]
    saved_view_id: (),
    /// Size of the pages of a PDF. The default is the one that is usual in the region of your language.
    #[schema(value_type = Option<enum_schemas::Paper>, example = "a4")]
    #[field(read = read_with_kind)]
    paper: (),
    /// Period of each report, in whole local days before the day of the slot. The default is the previous day, week or month, as `cadence`
    /// says.
    #[schema(value_type = Option<enum_schemas::ReportPeriod>, example = "previous_week")]
    period: Option<ReportPeriod>,
    /// How often the schedule runs.
    #[schema(value_type = enum_schemas::ScheduleCadence, example = "weekly")]
    #[field(parse = CadenceKind::parse)]
    cadence: CadenceKind,
    /// For the cadence `weekly`: the day, 1 for Monday to 7 for Sunday.
    #[schema(example = 1)]
    #[field(range = 1..=7)]
    weekday: Option<i64>,
    /// For the cadence `monthly`: the day of the month.
    #[field(range = 1..=28)]
    day_of_month: Option<i64>,
    /// Local time at which the schedule runs, from 00:00 to 23:59. On a day on which clocks skip it, the schedule runs at the next instant;
    /// if it occurs twice, the first time.
    #[schema(example = "07:30", min_length = 5, max_length = 5)]
    #[field(parse = ScheduleRule::parse_time)]
    time: i64,
    /// Identifier of the worksite by whose clock the schedule runs. The default is the worksite in `worksite_id`, or the brand's time zone
    /// if there is none.
    #[schema(example = 1)]
    zone_worksite_id: Option<WorksiteId>,
    /// Addresses to mail the reports to: 1 to 50.
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 50, example = json!(["ada@example.com"]))]
    #[field(read = read_recipients)]
    recipients: Vec<EmailAddress>,
    /// Whether the schedule is paused. The default is `false`.
    #[schema(default = false, example = false)]
    paused: Option<bool>,
}

/// The parsed fields.
pub struct ScheduleFields(pub app::NewReportSchedule);

impl FromFields for ScheduleFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let parts = NewReportSchedule::read_parts(fields);
        // These were read with the kind.
        let _: [Option<()>; 9] = [
            parts.format,
            parts.project_id,
            parts.worksite_id,
            parts.machine_id,
            parts.person_id,
            parts.filters,
            parts.pivot,
            parts.saved_view_id,
            parts.paper,
        ];
        let days = parts.weekday.zip(parts.day_of_month);
        let cadence = parts.cadence.zip(days).and_then(|(kind, days)| read_cadence(fields, kind, days));
        Some(Self(app::NewReportSchedule {
            name: parts.name?,
            report: parts.kind?,
            period: parts.period?,
            rule: ScheduleRule { cadence: cadence?, minute_of_day: parts.time? },
            zone_worksite: parts.zone_worksite_id?,
            recipients: parts.recipients?,
            paused: parts.paused?.unwrap_or(false),
        }))
    }
}

/// Reads when a schedule runs, as it is after a change.
pub fn read_rule(fields: &mut Fields) -> Option<ScheduleRule> {
    let kind = fields.required("cadence", text(CadenceKind::parse));
    let weekday = fields.optional("weekday", integer_within(1..=7));
    let day_of_month = fields.optional("day_of_month", integer_within(1..=28));
    let time = fields.required("time", text(ScheduleRule::parse_time));
    let cadence = read_cadence(fields, kind?, (weekday?, day_of_month?));
    Some(ScheduleRule { cadence: cadence?, minute_of_day: time? })
}

/// Reads everything that the report is made of, by the rules of reports that are requested.
pub fn read_report(fields: &mut Fields, _: &str) -> Option<NewReport> {
    ReportFieldsOfSchedule::read(fields).map(|ReportFieldsOfSchedule(report)| report)
}

/// Reads nothing: the field was read with `kind`.
fn read_with_kind(_: &mut Fields, _: &str) -> Option<()> {
    Some(())
}

/// Refuses a day that the cadence does not have, or lacks. `None` means that an error was recorded.
fn read_cadence(
    fields: &mut Fields,
    kind: CadenceKind,
    (weekday, day_of_month): (Option<i64>, Option<i64>),
) -> Option<Cadence> {
    let with_cadence = kind.as_str();
    let mut refuse = |field: &str| {
        let invalid = Invalid::new("not_allowed", format!("is not allowed with cadence {with_cadence}"));
        let _: Option<()> = fields.add_fault(field, invalid);
    };
    if weekday.is_some() && kind != CadenceKind::Weekly {
        refuse("weekday");
    }
    if day_of_month.is_some() && kind != CadenceKind::Monthly {
        refuse("day_of_month");
    }
    let required = || Invalid::new("required", format!("must be given with cadence {with_cadence}"));
    match (kind, weekday, day_of_month) {
        (CadenceKind::Daily, None, None) => Some(Cadence::Daily),
        (CadenceKind::Weekly, Some(weekday), None) => Some(Cadence::Weekly { weekday }),
        (CadenceKind::Monthly, None, Some(day_of_month)) => Some(Cadence::Monthly { day_of_month }),
        (CadenceKind::Weekly, None, _) => fields.add_fault("weekday", required()),
        (CadenceKind::Monthly, _, None) => fields.add_fault("day_of_month", required()),
        // Refused above.
        _ => None,
    }
}

/// Reads addresses; one that is given twice counts once. `None` means that an error was recorded.
pub fn read_recipients(fields: &mut Fields, name: &str) -> Option<Vec<EmailAddress>> {
    let given = fields.change_list(name, ReportRecipient::MAX, |fields, path, value| {
        fields.item(path, &value, EmailAddress::from_json)
    })?;
    let mut recipients: Vec<EmailAddress> = Vec::new();
    if let Change::Set(given) = given {
        for address in given {
            if !recipients.iter().any(|known| known.key() == address.key()) {
                recipients.push(address);
            }
        }
    }
    match recipients.is_empty() {
        true => fields.add_fault(name, Invalid::new("required", "must have at least one address")),
        false => Some(recipients),
    }
}
