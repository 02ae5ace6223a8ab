//! Operators of machines over time, as rows of bars.

use charts::{ChartOptions, Gantt, LocalTime, MachineRow, RunPeriod};
use domain::{PeriodBound, Span, TimeZone, Timestamp};
use texts::Language;

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

pub(super) fn note(chart: &Chart, language: Language) -> Option<String> {
    is_long(chart).then(|| texts::charts::SHORT_BREAKS.get(language).to_owned())
}

/// Returns the spans as bars. Those of the same operator that are separated by breaks shorter than `max_break` are one bar, which keeps
/// the time in which the machine ran.
fn merge_short_breaks(spans: &[DrivenSpan], max_break: Option<Span>) -> Vec<RunPeriod> {
    let mut merged: Vec<(DrivenSpan, i64)> = Vec::new();
    for span in spans {
        let run_s = (span.to - span.from).whole_seconds();
        let is_short = |since: Timestamp| max_break.is_some_and(|max_break| span.from - since < max_break);
        match merged.last_mut() {
            Some((last, total_s)) if last.operator == span.operator && is_short(last.to) => {
                last.to = last.to.max(span.to);
                *total_s += run_s;
            }
            _ => merged.push((span.clone(), run_s)),
        }
    }
    let bar = |(span, run_s): (DrivenSpan, i64)| {
        let seconds = (span.to - span.from).whole_seconds();
        RunPeriod {
            from: LocalTime::from_seconds(span.local_from_s),
            // The bar has its true length, even if the clock changed meanwhile.
            to: LocalTime::from_seconds(span.local_from_s.saturating_add(seconds)),
            operator: span.operator.map(|operator| operator.label),
            run_s,
        }
    };
    merged.into_iter().map(bar).collect()
}

pub(super) fn draw(
    chart: &Chart,
    machines: &[DrivenMachine],
    language: Language,
    options: &ChartOptions,
) -> String {
    let max_break = is_long(chart).then_some(MAX_BREAK);
    let rows = machines.iter().map(|machine| MachineRow {
        label: machine.label.clone(),
        runs: merge_short_breaks(&machine.spans, max_break),
    });
    let zone = chart.result.time_zones.first();
    let period = (to_local_time(chart.result.from, zone), to_local_time(chart.result.to, zone));
    Gantt {
        rows: rows.collect(),
        period: Some(period),
        empty_reason: empty_reason(chart, language)
            .or_else(|| Some(texts::charts::NO_MACHINE_RAN.get(language).to_owned())),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insights::{Labelled, LabelledId};

    #[test]
    fn a_bar_over_breaks_keeps_the_hours_that_the_machine_ran() {
        let operator = |id: i64| Labelled { id: LabelledId::Number(id), label: format!("Operator {id}") };
        let span = |from_h: i64, to_h: i64, id: i64| DrivenSpan {
            from: Timestamp::from_seconds(from_h * 3_600),
            to: Timestamp::from_seconds(to_h * 3_600),
            local_from_s: from_h * 3_600,
            operator: Some(operator(id)),
        };
        let spans = [span(7, 9, 1), span(10, 12, 1), span(12, 13, 2), span(17, 18, 2)];
        let hours = |max_break: Option<Span>| -> Vec<(i64, i64)> {
            let bars = merge_short_breaks(&spans, max_break);
            let length = |bar: &RunPeriod| (bar.to.seconds() - bar.from.seconds()) / 3_600;
            bars.iter().map(|bar| (length(bar), bar.run_s / 3_600)).collect()
        };
        assert_eq!(hours(None), [(2, 2), (2, 2), (1, 1), (1, 1)]);
        assert_eq!(hours(Some(MAX_BREAK)), [(5, 4), (1, 1), (1, 1)]);
    }
}
