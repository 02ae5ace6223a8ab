//! Reading a schedule from its form.

use app::{Error, FieldError, NewReport, NewReportSchedule, ReportScheduleChange, ScheduleView};
use domain::schedule::CadenceKind;
use domain::{
    Cadence, Change, EmailAddress, Invalid, Name, ReportKind, ReportPeriod, ReportRecipient, ScheduleRule,
    WorksiteId,
};
use serde_json::{Map, Value};
use web::{BodyField, Fields};

use super::form;
use crate::form::{Form, Kind};
use crate::reports::{filters, request};

/// The fields that say when and to whom.
const KINDS: &[(&str, Kind)] = &[
    ("name", Kind::Text),
    ("period", Kind::Text),
    ("cadence", Kind::Text),
    ("weekday", Kind::Number),
    ("day_of_month", Kind::Number),
    ("time", Kind::Text),
    ("zone_worksite_id", Kind::Number),
    ("recipients", Kind::Text),
];

/// What a schedule has besides its report.
struct Settings {
    name: Name,
    period: Option<ReportPeriod>,
    rule: ScheduleRule,
    zone_worksite: Option<WorksiteId>,
    recipients: Vec<EmailAddress>,
}

pub fn read_new(form: &Form, kind: ReportKind) -> Result<NewReportSchedule, Error> {
    let (settings, report) = read(form, kind)?;
    let Settings { name, period, rule, zone_worksite, recipients } = settings;
    Ok(NewReportSchedule { name, report, period, rule, zone_worksite, recipients, paused: false })
}

/// Reads a change. The report is left alone if its fields show what it was: it may be of a time when other things were allowed.
pub fn read_change(form: &Form, stored: &ScheduleView) -> Result<ReportScheduleChange, Error> {
    let keeps_report = is_same_report(form, stored);
    let (settings, mut report) = read(form, stored.report.kind)?;
    keep_hidden(&mut report, &stored.report);
    let Settings { name, period, rule, zone_worksite, recipients } = settings;
    Ok(ReportScheduleChange {
        name: Change::Set(name),
        report: if keeps_report { Change::Keep } else { Change::Set(Box::new(report)) },
        period: Change::Set(period.unwrap_or(ReportPeriod::usual(rule.cadence.kind()))),
        rule: Change::Set(rule),
        zone_worksite: Change::Set(zone_worksite),
        recipients: Change::Set(recipients),
        paused: Change::Keep,
    })
}

/// Reads both parts, and reports the faults of both together.
fn read(form: &Form, kind: ReportKind) -> Result<(Settings, NewReport), Error> {
    let kinds = [KINDS, request::KINDS].concat();
    let mut report = request::take_fields(form, &kinds)?;
    let own = KINDS.iter().filter_map(|(name, _)| Some(((*name).to_owned(), report.remove(*name)?)));
    let own: Map<String, Value> = own.collect();
    let settings = web::read_fields(own, read_settings);
    match (settings, request::read_scheduled(report, kind)) {
        (Ok(settings), Ok(report)) => Ok((settings, report)),
        (Err(first), Err(second)) => {
            let faults: Vec<FieldError> = first.fields.into_iter().chain(second.fields).collect();
            Err(Error::invalid(faults))
        }
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
    }
}

fn read_settings(fields: &mut Fields) -> Option<Settings> {
    let name = fields.required("name", Name::from_json);
    let period = fields.optional("period", ReportPeriod::from_json);
    let rule = read_rule(fields);
    let zone_worksite = fields.optional("zone_worksite_id", WorksiteId::from_json);
    let recipients = read_recipients(fields);
    Some(Settings {
        name: name?,
        period: period?,
        rule: rule?,
        zone_worksite: zone_worksite?,
        recipients: recipients?,
    })
}

/// Reads when it runs. The day of another cadence is left alone.
fn read_rule(fields: &mut Fields) -> Option<ScheduleRule> {
    let kind = fields.required("cadence", web::text(CadenceKind::parse));
    let cadence = match kind {
        Some(CadenceKind::Daily) => Some(Cadence::Daily),
        Some(CadenceKind::Weekly) => {
            fields.required("weekday", web::integer_within(1..=7)).map(|weekday| Cadence::Weekly { weekday })
        }
        Some(CadenceKind::Monthly) => fields
            .required("day_of_month", web::integer_within(1..=28))
            .map(|day_of_month| Cadence::Monthly { day_of_month }),
        None => None,
    };
    for name in ["weekday", "day_of_month"] {
        fields.take(name);
    }
    let time = fields.required("time", web::text(ScheduleRule::parse_time));
    Some(ScheduleRule { cadence: cadence?, minute_of_day: time? })
}

/// Reads the addresses, one on each line. One that is there twice counts once.
fn read_recipients(fields: &mut Fields) -> Option<Vec<EmailAddress>> {
    let text = fields.required("recipients", web::text(|text: &str| Ok(text.to_owned())))?;
    let lines = text.split(['\n', ',', ';']).map(str::trim).filter(|line| !line.is_empty());
    let mut addresses: Vec<EmailAddress> = Vec::new();
    let mut is_sound = true;
    for (index, line) in lines.enumerate() {
        match EmailAddress::parse(line) {
            Ok(address) if addresses.iter().any(|known| known.key() == address.key()) => {}
            Ok(address) => addresses.push(address),
            Err(invalid) => {
                let _: Option<()> = fields.add_fault(&format!("recipients.{index}"), invalid);
                is_sound = false;
            }
        }
    }
    if addresses.len() > ReportRecipient::MAX {
        let most = format!("must be at most {}", ReportRecipient::MAX);
        return fields.add_fault("recipients", Invalid::new("too_many", most));
    }
    is_sound.then_some(addresses)
}

/// Whether the fields of the report say what the stored one says.
fn is_same_report(form: &Form, stored: &ScheduleView) -> bool {
    let shown = form::report_values(&stored.report);
    request::KINDS.iter().all(|(name, _)| {
        let mut sent: Vec<&str> = form.values(name).into_iter().filter(|value| !value.is_empty()).collect();
        let mut kept: Vec<&str> =
            shown.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
        sent.sort_unstable();
        kept.sort_unstable();
        sent == kept
    })
}

/// Gives a changed report what the form does not show: further filters, and the table if no other view was chosen.
fn keep_hidden(report: &mut NewReport, stored: &NewReport) {
    let both = report.filter.as_deref().zip(stored.filter.as_deref());
    if let Some(filter) = both.map(|(shown, others)| filters::keep_others(shown, others)) {
        report.filter = Some(Box::new(filter));
    }
    if report.saved_view.is_none() || report.saved_view == stored.saved_view {
        (report.pivot, report.saved_view) = (stored.pivot.clone(), stored.saved_view);
    }
}
