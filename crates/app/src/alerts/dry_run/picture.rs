//! The values of an alert over time as a chart, with its threshold.

use charts::{ChartOptions, Line, LineKind, LocalTime, Point, Threshold, TimeLines, Tone, Value, ValueScale};
use domain::access::ManageAlerts;
use domain::insights::Interval;
use domain::{AlertLevel, AlertMetric, TimeZone, Timestamp};
use texts::{Language, Text};

use super::DryRun;
use super::buckets::buckets;
use crate::alerts::rules::NewAlert;
use crate::insights::chart_images::{ChartImageRequest, reader_options};
use crate::{App, Caller, Error};

const WIDTH: u32 = 960;
const HEIGHT: u32 = 400;

/// The worst values of an alert in each hour, day or week.
#[derive(Clone, Debug)]
pub(in crate::alerts) struct AlertSeries {
    pub metric: AlertMetric,
    pub threshold: AlertLevel,
    pub interval: Interval,
    pub points: Vec<SeriesPoint>,
    /// Why there is no value at all.
    pub no_data: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::alerts) struct SeriesPoint {
    at: LocalTime,
    /// In the unit of the metric.
    value: Option<f64>,
    is_partial: bool,
}

impl AlertSeries {
    /// Returns the points of a period by a clock.
    pub fn points(
        interval: Interval,
        period: (Timestamp, Timestamp),
        zone: &TimeZone,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Vec<SeriesPoint> {
        let local = |at: Timestamp| {
            let local = zone.local(at);
            LocalTime::from_seconds(local.day * 86_400 + local.second_of_day)
        };
        let parts = buckets(interval, period, zone).into_iter().zip(values);
        parts
            .map(|(bucket, value)| SeriesPoint {
                at: local(bucket.begins_at),
                value,
                is_partial: bucket.is_partial,
            })
            .collect()
    }
}

/// Draws values and their threshold as an SVG document.
pub(in crate::alerts) fn draw_series(
    series: &AlertSeries,
    language: Language,
    options: &ChartOptions,
) -> String {
    let is_ratio = series.metric == AlertMetric::AcknowledgementRate;
    let factor = if is_ratio { 100.0 } else { 1.0 };
    let reason = series.no_data.map(|word| reason(language, word).to_owned());
    let point = |point: &SeriesPoint| {
        let gap = || Value::Gap(reason.clone().unwrap_or_default());
        let value = point.value.map_or_else(gap, |value| Value::Number(value * factor));
        Point::new(point.at, value).partial(point.is_partial)
    };
    let line = Line {
        label: texts::charts::ALERT_WORST.get(language).to_owned(),
        kind: LineKind::Measured,
        tone: Tone::Plain,
        points: series.points.iter().map(point).collect(),
    };
    TimeLines {
        unit: unit(series.metric).get(language).to_owned(),
        interval: match series.interval {
            Interval::Hour => charts::Interval::Hour,
            Interval::Day => charts::Interval::Day,
            Interval::Week | Interval::Month => charts::Interval::Week,
        },
        scale: if is_ratio { ValueScale::Percent } else { ValueScale::FromZero },
        lines: vec![line],
        threshold: Some(Threshold {
            label: texts::alerts::THRESHOLD.get(language).to_owned(),
            value: series.threshold.as_f64() * factor,
        }),
        empty_reason: reason.clone(),
    }
    .svg(options)
}

/// Returns why there is no value. Reasons that only alerts have are not distinguished.
fn reason(language: Language, word: &str) -> &'static str {
    let word = if matches!(word, "no_incursions" | "no_runtime") { word } else { "no_data" };
    texts::values::reason(language, word)
}

/// Returns what the values of a metric count.
fn unit(metric: AlertMetric) -> Text {
    match metric {
        AlertMetric::Incursions => texts::charts::UNIT_INCURSIONS,
        AlertMetric::UnacknowledgedIncursions => texts::charts::ALERT_UNACKNOWLEDGED,
        AlertMetric::AcknowledgementRate => texts::charts::UNIT_PERCENT_ACKNOWLEDGED,
        AlertMetric::IncursionsPerRuntimeHour => texts::charts::UNIT_PER_RUNTIME_HOUR,
        AlertMetric::LongIncursion => texts::charts::ALERT_LONGEST,
        AlertMetric::RepeatPair => texts::charts::ALERT_PAIR,
        AlertMetric::TagTestOverdue => texts::charts::ALERT_TEST_AGE,
        AlertMetric::TagBatteryLow => texts::charts::ALERT_BATTERY,
        AlertMetric::BaseStationSilent => texts::charts::ALERT_SILENCE,
        AlertMetric::VisitorOverstay => texts::charts::ALERT_OVERSTAY,
        AlertMetric::Drift => texts::charts::ALERT_DRIFT,
    }
}

#[macros::boxed]
impl App {
    /// Draws the worst value of each day of a dry run as an SVG document, according to the caller's preferences.
    pub async fn render_dry_run(
        &self,
        caller: &Caller<ManageAlerts>,
        new: &NewAlert,
        run: &DryRun,
        request: ChartImageRequest,
    ) -> Result<String, Error> {
        let preferences = self.preferences_of(caller).await?;
        let language = Language::of_tag(preferences.language.as_str());
        let options = ChartOptions {
            title: if request.without_title { String::new() } else { new.name.as_str().to_owned() },
            subtitle: (!request.without_title).then(|| subtitle(run, language)),
            note: run.approximate.then(|| texts::charts::DRY_RUN_APPROXIMATE.get(language).to_owned()),
            width: request.width.unwrap_or(WIDTH),
            height: request.height.unwrap_or(HEIGHT),
            theme: request.theme,
            ..reader_options(&preferences, language)
        };
        let has_no_value = run.series.iter().all(|(_, value)| value.is_none());
        let values = run.series.iter().map(|(_, value)| *value);
        let series = AlertSeries {
            metric: new.terms.metric,
            threshold: new.terms.threshold,
            interval: Interval::Day,
            points: AlertSeries::points(Interval::Day, (run.from, run.to), &run.clock, values),
            no_data: run.no_data.or_else(|| has_no_value.then_some("no_data")),
        };
        self.compute(move || draw_series(&series, language, &options)).await
    }
}

fn subtitle(run: &DryRun, language: Language) -> String {
    let counted = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let alarms = texts::charts::DRY_RUN_ALARMS.of(language, counted(run.firings), &[]);
    let messages = texts::charts::DRY_RUN_MESSAGES.of(language, counted(run.messages), &[]);
    let zone = run.clock.as_str();
    let values = [("alarms", &*alarms), ("messages", &*messages), ("zone", zone)];
    texts::charts::DRY_RUN.fill(language, &values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insights::chart_images::language_options;

    #[test]
    fn every_metric_is_drawn_in_every_language() {
        let from = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
        let period = (from, from + domain::Span::minutes(5 * 1_440));
        let values = [Some(0.2), None, Some(0.9), Some(0.5), Some(0.4)];
        for metric in AlertMetric::ALL {
            for language in Language::ALL {
                let series = AlertSeries {
                    metric,
                    threshold: AlertLevel::from_f64(0.5).unwrap(),
                    interval: Interval::Day,
                    points: AlertSeries::points(Interval::Day, period, &TimeZone::utc(), values),
                    no_data: None,
                };
                let svg = draw_series(&series, language, &language_options(language));
                assert!(svg.contains(texts::alerts::THRESHOLD.get(language)), "{metric:?}: {svg}");
                assert!(documents::draw_png(&svg, 1.0).is_ok(), "{metric:?} {language:?}");
                let empty = AlertSeries { points: Vec::new(), no_data: Some("no_runtime"), ..series };
                assert!(draw_series(&empty, language, &language_options(language)).contains("<svg"));
            }
        }
    }
}
