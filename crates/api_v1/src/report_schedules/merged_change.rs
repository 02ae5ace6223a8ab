//! What a change of a schedule means together with what the schedule has. Only the parts are read again of which a member differs from
//! what is shown: the rest may be of a time when other things were allowed, or refer to what is gone.

use std::collections::BTreeSet;

use app::{App, Error, NewReport, ReportScheduleChange, ScheduleView};
use domain::access::{ReadInsights, ScheduleReports};
use domain::{Change, Name, ReportPeriod, WorksiteId};
use serde_json::{Map, Value};
use web::{BodyField, Fields};

use super::fields::{read_recipients, read_report, read_rule};
use super::{ReportSchedule, shape};

/// Members that make up the report.
const REPORT: &[&str] = &[
    "kind",
    "format",
    "project_id",
    "worksite_id",
    "machine_id",
    "person_id",
    "filters",
    "pivot",
    "saved_view_id",
    "paper",
];
/// Members that make up the time.
const RULE: &[&str] = &["cadence", "weekday", "day_of_month", "time"];
const NAME: &[&str] = &["name"];
const PERIOD: &[&str] = &["period"];
const CLOCK: &[&str] = &["zone_worksite_id"];
const RECIPIENTS: &[&str] = &["recipients"];
const PAUSED: &[&str] = &["paused"];

/// All parts. Members of one part are read together.
const PARTS: [&[&str]; 7] = [NAME, REPORT, PERIOD, RULE, CLOCK, RECIPIENTS, PAUSED];

/// The parts of a schedule that a change touches, as they would be shown after it.
struct Merged {
    members: Map<String, Value>,
    /// The members that differ from what is shown now.
    changed: BTreeSet<String>,
    /// Whether the pivot is that of a saved view that was given.
    takes_view: bool,
}

impl Merged {
    /// Puts given members over those that a schedule is shown with. What does not fit a new value, and was not given, is dropped.
    fn new(shown: &ReportSchedule, given: &Map<String, Value>) -> Self {
        let shown = match serde_json::to_value(shown) {
            Ok(Value::Object(shown)) => shown,
            Ok(_) | Err(_) => Map::new(),
        };
        let changes = given.iter().filter(|(name, value)| shown.get(*name) != Some(*value));
        let changed: BTreeSet<String> = changes.map(|(name, _)| name.clone()).collect();
        let is_changed = |name: &str| changed.contains(name);
        let is_given = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
        // A schedule is shown with the pivot that was copied from its view. Whoever sends both back has chosen neither.
        let is_copied_anew = given.get("pivot") == Some(&Value::Null);
        let takes_view = is_given("saved_view_id") && (is_changed("saved_view_id") || is_copied_anew);
        let is_dropped = |name: &str| match name {
            "weekday" | "day_of_month" => is_changed("cadence"),
            "filters" => is_changed("kind") && given.get("kind").is_some_and(|kind| kind == "pivot"),
            "pivot" => is_changed("kind") || takes_view,
            "saved_view_id" => !takes_view,
            _ => false,
        };
        let mut members = Map::new();
        for part in PARTS.into_iter().filter(|part| part.iter().any(|name| is_changed(name))) {
            for name in part.iter().copied() {
                let value = match is_changed(name) {
                    true => given.get(name),
                    false => shown.get(name).filter(|_| !is_dropped(name)),
                };
                members.extend(value.map(|value| (name.to_owned(), value.clone())));
            }
        }
        Self { members, changed, takes_view }
    }

    fn changes(&self, part: &[&str]) -> bool {
        part.iter().any(|name| self.changed.contains(*name))
    }

    /// Reads a part if it is changed. `None` means that an error was recorded.
    fn read<T>(
        &self,
        part: &[&str],
        fields: &mut Fields,
        read: impl FnOnce(&mut Fields) -> Option<T>,
    ) -> Option<Change<T>> {
        match self.changes(part) {
            true => read(fields).map(Change::Set),
            false => Some(Change::Keep),
        }
    }

    /// Reads the parts that are changed, by the rules for a new schedule.
    fn read_parts(&self, fields: &mut Fields, stored: &ScheduleView) -> Option<ReportScheduleChange> {
        let name = self.read(NAME, fields, |fields| fields.required("name", Name::from_json));
        let report = self.read(REPORT, fields, |fields| read_report(fields, "kind").map(Box::new));
        let period = self.read(PERIOD, fields, |fields| fields.optional("period", ReportPeriod::from_json));
        let rule = self.read(RULE, fields, read_rule);
        let zone_worksite =
            self.read(CLOCK, fields, |fields| fields.optional("zone_worksite_id", WorksiteId::from_json));
        let recipients = self.read(RECIPIENTS, fields, |fields| read_recipients(fields, "recipients"));
        let paused = self.read(PAUSED, fields, |fields| fields.required("paused", bool::from_json));
        let rule = rule?;
        let usual = || ReportPeriod::usual(rule.or(stored.schedule.rule).cadence.kind());
        Some(ReportScheduleChange {
            name: name?,
            report: report?,
            period: match period? {
                Change::Keep => Change::Keep,
                Change::Set(period) => Change::Set(period.unwrap_or_else(usual)),
            },
            rule,
            zone_worksite: zone_worksite?,
            recipients: recipients?,
            paused: paused?,
        })
    }

    /// Gives a report the saved view that its unchanged pivot was copied from, which may be gone, or not be seen by who changes the rest.
    fn keep_view(&self, report: &mut NewReport, stored: &ScheduleView) {
        let is_kept = !["kind", "pivot", "saved_view_id"].iter().any(|name| self.changed.contains(*name));
        if is_kept {
            (report.pivot, report.saved_view) = (stored.report.pivot.clone(), stored.report.saved_view);
        }
    }
}

/// Reads what a change sets, of the schedule as it is stored now.
pub async fn read_change(
    app: &App,
    caller: &app::Caller<ScheduleReports>,
    stored: &ScheduleView,
    given: &Map<String, Value>,
) -> Result<ReportScheduleChange, Error> {
    let merged = Merged::new(&shape(stored.clone()), given);
    let mut change = web::read_fields(merged.members.clone(), |fields| merged.read_parts(fields, stored))?;
    if let Change::Set(report) = &mut change.report {
        match merged.takes_view {
            true => {
                let reader = caller.with_permission::<ReadInsights>()?;
                web::resolve_saved_view(app, &reader, report).await?;
            }
            false => merged.keep_view(report, stored),
        }
    }
    Ok(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_belongs_to_one_part() {
        let all: Vec<&str> = PARTS.concat();
        let once: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), once.len());
    }
}
