//! How an alert is written: what it judges, its window, its hours and its values.

use domain::{
    ActiveHours, AlertComparison, AlertLevel, AlertMetric, AlertTerms, AlertUnit, AlertWindow, CalendarUnit,
    Measurement, ScheduleRule,
};
use texts::console::alert_words as words;
use texts::console::alerts as t;
use texts::{alerts, values};

use crate::frame::Frame;

/// Writes what is judged, such as "Incursions: at least 10 in 60 minutes".
pub fn sentence(frame: &Frame, terms: &AlertTerms) -> String {
    let metric = words::metric(frame.language, terms.metric.as_str());
    let threshold = threshold(frame, terms.metric, terms.comparison, terms.threshold);
    match terms.window {
        Some(window) => format!("{metric}: {threshold} {}", self::window(frame, window)),
        None => format!("{metric}: {threshold}"),
    }
}

/// Writes a threshold with the side on which an alert fires.
pub fn threshold(
    frame: &Frame,
    metric: AlertMetric,
    comparison: AlertComparison,
    level: AlertLevel,
) -> String {
    let text = match comparison {
        AlertComparison::Above => alerts::AT_LEAST,
        AlertComparison::Below => alerts::AT_MOST,
    };
    frame.fill(text, &[("level", &value(frame, metric, level.as_f64()))])
}

pub fn window(frame: &Frame, window: AlertWindow) -> String {
    match window {
        AlertWindow::Rolling { minutes } => alerts::rolling_window(frame.language, minutes),
        AlertWindow::Calendar(CalendarUnit::Day) => frame.text(alerts::TODAY).to_owned(),
        AlertWindow::Calendar(CalendarUnit::Week) => frame.text(alerts::THIS_WEEK).to_owned(),
    }
}

/// Writes a value in the unit of its metric.
pub fn value(frame: &Frame, metric: AlertMetric, value: f64) -> String {
    alerts::value(frame.language, metric.unit().as_str(), value)
}

/// Writes a value with what it was computed from.
pub fn value_with_parts(frame: &Frame, metric: AlertMetric, measured: Measurement) -> String {
    let (formats, value) = (frame.formats(), value(frame, metric, measured.as_f64()));
    let count = formats.integer(measured.numerator);
    match metric.unit() {
        AlertUnit::Ratio => {
            let whole = formats.integer(measured.denominator);
            frame.fill(alerts::RATIO_OF, &[("value", &value), ("part", &count), ("whole", &whole)])
        }
        AlertUnit::PerHour => {
            let runtime = alerts::value(frame.language, "seconds", measured.denominator as f64 / 1_000.0);
            frame.fill(alerts::RATE_OF, &[("value", &value), ("count", &count), ("runtime", &runtime)])
        }
        AlertUnit::Count | AlertUnit::Seconds | AlertUnit::Days | AlertUnit::Percent | AlertUnit::Minutes => {
            value
        }
    }
}

/// Writes the hours in which people are notified.
pub fn hours(frame: &Frame, hours: &ActiveHours) -> String {
    let days = hours.days.iter().map(|day| values::weekday_short(frame.language, day - 1));
    let days = days.collect::<Vec<_>>().join(", ");
    let (from, to) =
        (ScheduleRule::format_time(hours.from_minute), ScheduleRule::format_time(hours.to_minute));
    let clock = match &hours.time_zone {
        Some(zone) => zone.to_string(),
        None => frame.text(t::CLOCK_OF_SITE).to_owned(),
    };
    match hours.from_minute == hours.to_minute {
        true => frame.fill(t::WHOLE_DAYS, &[("days", &days), ("clock", &clock)]),
        false => frame.fill(t::HOURS, &[("days", &days), ("from", &from), ("to", &to), ("clock", &clock)]),
    }
}
