//! Who drove which machine when, as rows of bars.

use charts::{Gantt, LocalTime, MachineRow, Picture, Stretch};
use domain::{Cut, Span, TimeZone};

use super::nothing;
use crate::insights::{Chart, DrivenMachine, DrivenSpan};

/// Beyond so many days, bars would be hair-thin; then shorter breaks of the same driver are drawn through.
const MOST_DAYS: i64 = 7;
/// Breaks that are drawn through.
const BREAK: Span = Span::minutes(3 * 60);

fn is_long(chart: &Chart) -> bool {
    let length = chart.asked.to.midnight_or_instant() - chart.asked.from.midnight_or_instant();
    length > Span::minutes(MOST_DAYS * 24 * 60)
}

/// The width that suits the period.
pub(super) fn width(chart: &Chart) -> u32 {
    if is_long(chart) { 1_900 } else { 960 }
}

/// What there is to know about it.
pub(super) fn note(chart: &Chart) -> Option<String> {
    is_long(chart).then(|| "Breaks of less than 3 hours are drawn through".to_owned())
}

/// Spans of the same driver with no more than a break between them, as one.
fn through_breaks(spans: &[DrivenSpan]) -> Vec<DrivenSpan> {
    let mut through: Vec<DrivenSpan> = Vec::new();
    for span in spans {
        match through.last_mut() {
            Some(last) if last.operator == span.operator && span.from - last.to < BREAK => {
                last.to = last.to.max(span.to);
            }
            _ => through.push(span.clone()),
        }
    }
    through
}

pub(super) fn draw(chart: &Chart, machines: &[DrivenMachine], picture: &Picture) -> String {
    let shown = |spans: &[DrivenSpan]| if is_long(chart) { through_breaks(spans) } else { spans.to_vec() };
    let stretch = |span: &DrivenSpan| {
        let seconds = (span.to - span.from).whole_seconds();
        Stretch {
            from: LocalTime::from_seconds(span.local_from_s),
            // As long as it took, also where a clock was moved meanwhile.
            to: LocalTime::from_seconds(span.local_from_s.saturating_add(seconds)),
            operator: span.operator.as_ref().map(|operator| operator.label.clone()),
        }
    };
    let rows = machines.iter().map(|machine| MachineRow {
        label: machine.label.clone(),
        stretches: shown(&machine.spans).iter().map(stretch).collect(),
    });
    let zone = chart.asked.time_zones.first();
    let period = (on_clock(chart.asked.from, zone), on_clock(chart.asked.to, zone));
    Gantt {
        rows: rows.collect(),
        period: Some(period),
        empty_reason: nothing(chart).or_else(|| Some("No machine ran.".to_owned())),
    }
    .svg(picture)
}

/// When a period begins or ends on the clock of a site.
fn on_clock(cut: Cut, zone: Option<&TimeZone>) -> LocalTime {
    LocalTime::from_seconds(match (cut, zone) {
        (Cut::Day(day), _) => day.number().saturating_mul(86_400),
        (Cut::At(at), Some(zone)) => {
            let local = zone.local(at);
            local.day * 86_400 + local.second
        }
        (Cut::At(at), None) => at.seconds(),
    })
}
