//! Reading what a report is to contain from a form, with the readers of the API.

use app::{Error, NewReport};
use domain::{Day, Invalid, Period, ReportKind};
use serde_json::{Map, Value};
use web::{FromFields, ReportFields, ReportFieldsOfSchedule};

use crate::form::{Form, Kind};

/// The fields of a report's contents, by the names under which faults are reported.
pub const KINDS: &[(&str, Kind)] = &[
    ("format", Kind::Text),
    ("project_id", Kind::Number),
    ("worksite_id", Kind::Number),
    ("machine_id", Kind::Number),
    ("person_id", Kind::Number),
    ("saved_view_id", Kind::Number),
    ("site_report_id", Kind::Number),
    ("paper", Kind::Text),
    ("filters.from", Kind::Text),
    ("filters.to", Kind::Text),
    ("filters.zone", Kind::List),
    ("filters.acknowledged", Kind::Text),
    ("filters.review", Kind::List),
    ("filters.machine_kind", Kind::List),
    ("filters.min_duration_s", Kind::Number),
    ("filters.max_duration_s", Kind::Number),
];

/// Whether single filters of incursions belong to a kind, besides the period.
pub const fn takes_filters(kind: ReportKind) -> bool {
    matches!(
        kind,
        ReportKind::SiteSafety
            | ReportKind::ProjectSummary
            | ReportKind::Machine
            | ReportKind::Person
            | ReportKind::Incursions
    )
}

/// Takes the fields of a form as the API would get them.
pub fn take_fields(form: &Form, kinds: &[(&str, Kind)]) -> Result<Map<String, Value>, Error> {
    form.read(kinds, |fields| {
        let mut taken = Map::new();
        for (name, _) in kinds {
            if let Some(value) = fields.take(name) {
                taken.insert((*name).to_owned(), value);
            }
        }
        Some(taken)
    })
}

/// Moves the filters out of the fields into an object of their own.
fn take_filters(fields: &mut Map<String, Value>) -> Map<String, Value> {
    let mut filters = Map::new();
    let names: Vec<String> = fields.keys().filter(|name| name.starts_with("filters.")).cloned().collect();
    for name in names {
        let (Some(value), Some(inner)) = (fields.remove(&name), name.strip_prefix("filters.")) else {
            continue;
        };
        let value = match (inner, &value) {
            ("acknowledged", Value::String(word)) if word == "true" => Value::Bool(true),
            ("acknowledged", Value::String(word)) if word == "false" => Value::Bool(false),
            ("to", Value::String(last)) => day_after(last).map_or(value, Value::String),
            _ => value,
        };
        filters.insert(inner.to_owned(), value);
    }
    filters
}

/// The end of a period is exclusive; people name the last day.
fn day_after(last: &str) -> Option<String> {
    Some(Day::from_number(Day::parse(last).ok()?.number() + 1).to_string())
}

/// Puts the kind and the filters where the readers of the API look for them. A pivot has its filters in the saved view.
fn arrange(kind: ReportKind, fields: &mut Map<String, Value>) -> Map<String, Value> {
    let filters = take_filters(fields);
    fields.insert("kind".to_owned(), Value::String(kind.as_str().to_owned()));
    if !matches!(kind, ReportKind::Pivot | ReportKind::SiteReport) {
        fields.insert("filters".to_owned(), Value::Object(filters.clone()));
    }
    filters
}

/// Reads the request of a report. For a pivot it comes with the days that take the place of those of the saved view.
pub fn read(form: &Form, kind: ReportKind) -> Result<(NewReport, Option<Period>), Error> {
    let mut fields = take_fields(form, KINDS)?;
    let filters = arrange(kind, &mut fields);
    let ReportFields(new) = web::read_fields(fields, ReportFields::read)?;
    if kind != ReportKind::Pivot {
        return Ok((new, None));
    }
    if new.saved_view.is_none() {
        return Err(Error::invalid_field("saved_view_id", Invalid::new("required", "must be given")));
    }
    let read = web::read_fields(filters, web::read_filters).map_err(inside_filters)?;
    let days = read.period.filter(|period| period.from.is_some() || period.to.is_some());
    Ok((new, days))
}

/// Reads the reports of a schedule, which sets their period, from the fields that are left of its form.
pub fn read_scheduled(mut fields: Map<String, Value>, kind: ReportKind) -> Result<NewReport, Error> {
    arrange(kind, &mut fields);
    let ReportFieldsOfSchedule(new) = web::read_fields(fields, ReportFieldsOfSchedule::read)?;
    Ok(new)
}

/// Names the filters of a pivot as the form does.
fn inside_filters(mut error: Error) -> Error {
    for fault in &mut error.fields {
        fault.field = format!("filters.{}", fault.field);
    }
    error
}

#[cfg(test)]
mod tests {
    use domain::{PeriodBound, ReportFormat, WorksiteId, Zone};

    use super::*;

    fn form(pairs: &[(&str, &str)]) -> Form {
        Form::of_pairs(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    fn faults(read: Result<(NewReport, Option<Period>), Error>) -> Vec<String> {
        read.unwrap_err().fields.into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn a_form_is_read_as_a_request_with_its_last_day() {
        let pairs = [
            ("worksite_id", "3"),
            ("format", "json"),
            ("filters.from", "2026-02-01"),
            ("filters.to", "2026-02-28"),
            ("filters.zone", "danger"),
            ("filters.acknowledged", "false"),
            ("project_id", ""),
            ("_once", "x"),
        ];
        let (new, days) = read(&form(&pairs), ReportKind::SiteSafety).unwrap();
        assert_eq!((new.subject.worksite, new.format, days), (Some(WorksiteId(3)), ReportFormat::Json, None));
        let filter = new.filter.unwrap();
        assert_eq!(filter.period.unwrap().to, Some(PeriodBound::parse("2026-03-01").unwrap()));
        assert_eq!((filter.zones, filter.acknowledged), (vec![Zone::Danger], Some(false)));
    }

    #[test]
    fn a_pivot_takes_its_days_beside_the_view() {
        let pairs = [("saved_view_id", "4"), ("filters.from", "2026-02-01"), ("filters.to", "")];
        let (new, days) = read(&form(&pairs), ReportKind::Pivot).unwrap();
        assert!(new.filter.is_none() && new.pivot.is_none());
        assert_eq!(days.unwrap().from, Some(PeriodBound::parse("2026-02-01").unwrap()));
        assert_eq!(faults(read(&form(&[("saved_view_id", "")]), ReportKind::Pivot)), ["saved_view_id"]);
        let wrong = [("saved_view_id", "4"), ("filters.from", "soon")];
        assert_eq!(faults(read(&form(&wrong), ReportKind::Pivot)), ["filters.from"]);
    }

    #[test]
    fn faults_have_the_names_of_the_fields() {
        let wrong = [("filters.to", "tomorrow"), ("filters.min_duration_s", "-1"), ("colour", "red")];
        assert_eq!(faults(read(&form(&wrong), ReportKind::Incursions)), ["colour"]);
        let wrong = [("filters.to", "tomorrow"), ("filters.min_duration_s", "-1")];
        assert_eq!(
            faults(read(&form(&wrong), ReportKind::Incursions)),
            ["filters.to", "filters.min_duration_s"]
        );
    }
}
