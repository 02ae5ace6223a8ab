//! The leading indicators, each with what it is of, its change and its course.

use app::insights::{TotalFigures, Totals, Trends};
use domain::insights::Measure;
use texts::Text;
use texts::console::overview as t;

use crate::formats::Shown;
use crate::frame::Frame;
use crate::parts::{Spark, Tile};

/// The measures that have tiles, each with its label, the key under which it is kept current, and whether its link leads to
/// acknowledged incursions only.
const TILES: [(Measure, Text, &str, bool); 5] = [
    (Measure::IncursionsPerRuntimeHour, t::RATE, "tile-rate", false),
    (Measure::AcknowledgementRate, t::ACKNOWLEDGED, "tile-acknowledged", true),
    (Measure::Incursions, t::INCURSIONS, "tile-incursions", false),
    (Measure::Exposure, t::EXPOSURE, "tile-exposure", false),
    (Measure::AverageAckTime, t::ACK_TIME, "tile-ack-time", true),
];

/// Measures in the small print of tiles, and the runtime, without which and without incursions there is nothing to show.
const OTHER_MEASURES: [Measure; 5] = [
    Measure::RuntimeHours,
    Measure::Machines,
    Measure::Pedestrians,
    Measure::MedianDuration,
    Measure::P95Duration,
];

/// Returns the measures that have tiles.
pub fn compared_measures() -> Vec<Measure> {
    TILES.iter().map(|(measure, ..)| *measure).collect()
}

/// Returns all measures that the page needs of the period.
pub fn measures() -> Vec<Measure> {
    compared_measures().into_iter().chain(OTHER_MEASURES).collect()
}

pub fn tiles(frame: &Frame, totals: &Totals, trends: &Trends) -> Vec<Tile> {
    let tile = |(measure, label, live, is_acknowledged): (Measure, Text, &'static str, bool)| {
        let figure = totals.figures.of(measure);
        let shown = frame.formats().figure(measure, figure);
        let of = match figure.value(measure) {
            Ok(_) => part_of(frame, &totals.figures, measure),
            Err(_) => None,
        };
        let pairs: &[(&str, &str)] = if is_acknowledged { &[("acknowledged", "true")] } else { &[] };
        Tile {
            label: frame.text(label).to_owned(),
            value: Shown { of, ..shown },
            change: frame.formats().change_since(totals, measure),
            spark: spark(trends, measure),
            href: frame.incursions(pairs),
            live,
        }
    };
    TILES.into_iter().map(tile).collect()
}

/// Writes what a figure was computed from.
fn part_of(frame: &Frame, figures: &TotalFigures, measure: Measure) -> Option<String> {
    let formats = frame.formats();
    let figure = figures.of(measure);
    let count = |measure: Measure| figures.of(measure).numerator.unwrap_or(0);
    match measure {
        Measure::IncursionsPerRuntimeHour => {
            let hours = formats.decimal(figure.display_denominator(measure)?, 0);
            let number = formats.integer(figure.numerator.unwrap_or(0));
            Some(frame.fill(t::IN_HOURS, &[("number", &number), ("hours", &hours)]))
        }
        Measure::AcknowledgementRate => {
            let part = formats.integer(figure.numerator.unwrap_or(0));
            let whole = formats.integer(figure.denominator.unwrap_or(0));
            Some(frame.fill(t::PART_OF, &[("part", &part), ("whole", &whole)]))
        }
        Measure::Incursions => {
            let machines = frame.count(t::MACHINES_MET, count(Measure::Machines));
            let people = frame.count(t::PEOPLE_MET, count(Measure::Pedestrians));
            Some(frame.fill(t::MET, &[("machines", &machines), ("people", &people)]))
        }
        Measure::Exposure => {
            let median = figures.of(Measure::MedianDuration).value(Measure::MedianDuration).ok()?;
            let most = figures.of(Measure::P95Duration).value(Measure::P95Duration).ok()?;
            let (median, most) = (formats.seconds(median), formats.seconds(most));
            Some(frame.fill(t::LENGTHS, &[("median", &median), ("most", &most)]))
        }
        Measure::AverageAckTime => {
            Some(frame.fill(t::MEAN_OF, &[("number", &formats.integer(figure.denominator.unwrap_or(0)))]))
        }
        _ => None,
    }
}

/// Returns the course of a measure. Buckets that are cut or have not ended would look like a fall.
fn spark(trends: &Trends, measure: Measure) -> Option<Spark> {
    let series = trends.series.iter().find(|series| series.measure == measure)?;
    let value = |point: &app::insights::Point| point.value(measure).ok().filter(|_| !point.partial);
    let values: Vec<Option<f64>> = series.points.iter().map(value).collect();
    Spark::of(&values)
}
