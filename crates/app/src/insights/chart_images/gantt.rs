//! Operators of machines over time, as rows of bars.

use charts::{ChartOptions, Gantt, LocalTime, MachineRow, RunPeriod};
use domain::{PeriodBound, Span, TimeZone};

use super::empty_reason;
use crate::insights::{Chart, DrivenMachine, DrivenSpan};

/// Beyond this many days bars would be too thin to see, and short breaks of the same operator are not shown.
const MAX_DETAILED_DAYS: i64 = 7;
/// Breaks shorter than this are not shown.
const MAX_BREAK: Span = Span::minutes(3 * 60);

fn is_long(chart: &Chart) -> bool {
    let length = chart.result.to.midnight_or_instant() - chart.result.from.midnight_or_instant();
    length > Span::minutes(MAX_DETAILED_DAYS * 24 * 60)
}

/// Returns the default width for the period, in pixels.
pub(super) fn width(chart: &Chart) -> u32 {
    if is_long(chart) { 1_900 } else { 960 }
}

pub(super) fn note(chart: &Chart) -> Option<String> {
    is_long(chart).then(|| "Breaks shorter than 3 hours are not shown".to_owned())
}

/// Merges spans of the same operator that are separated only by a short break.
fn merge_short_breaks(spans: &[DrivenSpan]) -> Vec<DrivenSpan> {
    let mut through: Vec<DrivenSpan> = Vec::new();
    for span in spans {
        match through.last_mut() {
            Some(last) if last.operator == span.operator && span.from - last.to < MAX_BREAK => {
                last.to = last.to.max(span.to);
            }
            _ => through.push(span.clone()),
        }
    }
    through
}

pub(super) fn draw(chart: &Chart, machines: &[DrivenMachine], options: &ChartOptions) -> String {
    let shown =
        |spans: &[DrivenSpan]| if is_long(chart) { merge_short_breaks(spans) } else { spans.to_vec() };
    let stretch = |span: &DrivenSpan| {
        let seconds = (span.to - span.from).whole_seconds();
        RunPeriod {
            from: LocalTime::from_seconds(span.local_from_s),
            // The bar has its true length, even if the clock changed meanwhile.
            to: LocalTime::from_seconds(span.local_from_s.saturating_add(seconds)),
            operator: span.operator.as_ref().map(|operator| operator.label.clone()),
        }
    };
    let rows = machines.iter().map(|machine| MachineRow {
        label: machine.label.clone(),
        runs: shown(&machine.spans).iter().map(stretch).collect(),
    });
    let zone = chart.result.time_zones.first();
    let period = (to_local_time(chart.result.from, zone), to_local_time(chart.result.to, zone));
    Gantt {
        rows: rows.collect(),
        period: Some(period),
        empty_reason: empty_reason(chart).or_else(|| Some("No machine ran.".to_owned())),
    }
    .svg(options)
}

/// Converts a period bound to the local time of a worksite.
fn to_local_time(cut: PeriodBound, zone: Option<&TimeZone>) -> LocalTime {
    LocalTime::from_seconds(match (cut, zone) {
        (PeriodBound::Day(day), _) => day.number().saturating_mul(86_400),
        (PeriodBound::Instant(at), Some(zone)) => {
            let local = zone.local(at);
            local.day * 86_400 + local.second_of_day
        }
        (PeriodBound::Instant(at), None) => at.seconds(),
    })
}
