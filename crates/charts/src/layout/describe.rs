//! Sentences that summarise the data for readers who cannot see the chart.

use crate::calendar::{Interval, LocalTime};
use crate::options::ChartOptions;
use crate::svg::number::format_number;
use crate::svg::text::clean;

/// Maximum number of series or rows that a description lists one by one.
pub(crate) const MAX_DESCRIBED: usize = 10;

/// Formats a time with the precision of an interval.
pub(crate) fn format_instant(picture: &ChartOptions, at: LocalTime, interval: Interval) -> String {
    match interval {
        Interval::Hour => picture.format_time(at),
        Interval::Day | Interval::Week => picture.format_date(at.date()),
        Interval::Month => {
            let (year, month, _) = at.date().parts();
            format!("{} {year}", clean(&picture.translations.months[usize::from(month - 1)]))
        }
    }
}

/// Describes a period.
pub(crate) fn period(
    picture: &ChartOptions,
    first: LocalTime,
    last: LocalTime,
    interval: Interval,
) -> String {
    let (first, last) = (format_instant(picture, first, interval), format_instant(picture, last, interval));
    if first == last { format!("for {first}") } else { format!("from {first} to {last}") }
}

/// Summarises the values of one series.
pub(crate) fn series(
    picture: &ChartOptions,
    label: &str,
    values: &[(LocalTime, f64)],
    interval: Interval,
    sum: Aggregate,
) -> String {
    let label = clean(label);
    let Some(highest) = values.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })
    else {
        return format!("{label}: no value.");
    };
    let lowest = values.iter().map(|value| value.1).fold(f64::INFINITY, f64::min);
    let total: f64 = values.iter().map(|value| value.1).sum();
    let high =
        format!("highest {} ({})", format_number(highest.1), format_instant(picture, highest.0, interval));
    match sum {
        Aggregate::Total => format!("{label}: {} in all, {high}.", format_number(total)),
        Aggregate::Mean => format!(
            "{label}: mean {}, lowest {}, {high}.",
            format_number(total / values.len() as f64),
            format_number(lowest)
        ),
    }
}

/// The way in which the values of a series are summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregate {
    Total,
    Mean,
}

/// Writes a count with its noun, in the singular for one.
pub(crate) fn count(number_of: usize, noun: &str) -> String {
    let plural = if number_of == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", format_number(number_of as f64))
}

/// Describes how many gaps there are, and why.
pub(crate) fn gaps(number_of: usize, reasons: &str) -> String {
    let stretches = match number_of {
        0 => return String::new(),
        1 => "1 stretch".to_owned(),
        n => format!("{} stretches", format_number(n as f64)),
    };
    let why = if reasons.is_empty() { String::new() } else { format!(" ({reasons})") };
    format!(" {stretches} without a value{why}.")
}

/// Returns the label of a gap.
pub(crate) fn no_value_label(picture: &ChartOptions, why: &str) -> String {
    let word = clean(&picture.translations.no_value);
    if why.is_empty() { word } else { format!("{word}: {why}") }
}
