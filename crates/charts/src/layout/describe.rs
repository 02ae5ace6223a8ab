//! Sentences that summarise the data for readers who cannot see the chart.

use crate::calendar::{Interval, LocalTime};
use crate::descriptions::{Counted, fill};
use crate::options::ChartOptions;
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
    let say = &picture.translations.descriptions;
    let (first, last) = (format_instant(picture, first, interval), format_instant(picture, last, interval));
    if first == last {
        fill(say.at, &[("at", &first)])
    } else {
        fill(say.period, &[("from", &first), ("to", &last)])
    }
}

/// Summarises the values of one series.
pub(crate) fn series(
    picture: &ChartOptions,
    label: &str,
    values: &[(LocalTime, f64)],
    interval: Interval,
    sum: Aggregate,
) -> String {
    let (say, numbers) = (&picture.translations.descriptions, picture.translations.numbers);
    let label = clean(label);
    let Some(highest) = values.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })
    else {
        return fill(say.no_value, &[("label", &label)]);
    };
    let lowest = values.iter().map(|value| value.1).fold(f64::INFINITY, f64::min);
    let total: f64 = values.iter().map(|value| value.1).sum();
    let template = match sum {
        Aggregate::Total => say.total,
        Aggregate::Mean => say.mean,
    };
    fill(
        template,
        &[
            ("label", &label),
            ("total", &numbers.number(total)),
            ("mean", &numbers.number(total / values.len() as f64)),
            ("lowest", &numbers.number(lowest)),
            ("highest", &numbers.number(highest.1)),
            ("at", &format_instant(picture, highest.0, interval)),
        ],
    )
}

/// The way in which the values of a series are summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregate {
    Total,
    Mean,
}

/// Puts a number and other values into the template for the number.
pub(crate) fn count(
    picture: &ChartOptions,
    (one, other): Counted,
    number_of: usize,
    values: &[(&str, &str)],
) -> String {
    let written = picture.translations.numbers.count(number_of);
    let mut all = vec![("n", written.as_str())];
    all.extend_from_slice(values);
    fill(if number_of == 1 { one } else { other }, &all)
}

/// Says how many rows or series are not listed, with a blank before it; empty if all are.
pub(crate) fn more(picture: &ChartOptions, unlisted: usize) -> String {
    if unlisted == 0 {
        return String::new();
    }
    let translations = &picture.translations;
    format!(" {}", fill(translations.descriptions.more, &[("n", &translations.numbers.count(unlisted))]))
}

/// Describes how many gaps there are, and why, with a blank before it; empty if there are none.
pub(crate) fn gaps(picture: &ChartOptions, number_of: usize, reasons: &str) -> String {
    if number_of == 0 {
        return String::new();
    }
    let template = picture.translations.descriptions.gaps;
    format!(" {}", count(picture, template, number_of, &[("why", &in_parentheses(reasons))]))
}

/// Returns a reason in parentheses, with a blank before them; empty if there is none.
pub(crate) fn in_parentheses(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}

/// Returns the label of a gap.
pub(crate) fn no_value_label(picture: &ChartOptions, why: &str) -> String {
    let word = clean(&picture.translations.no_value);
    if why.is_empty() { word } else { format!("{word}: {why}") }
}
