//! Charts: what the other insights answer, in one shape that programs plot and `pictures` draws.
//!
//! Each chart is a use case in a file of its own. It asks through the use cases of the insights, so that a chart and the numbers
//! it shows cannot differ.

mod acknowledged_incursions;
mod acknowledgement_score;
mod durations;
mod heatmap;
mod hours_of_week;
mod incursion_rate;
mod machine_runtime;
mod operators;
mod trends;
mod zone_time;

use charts::Outline;
use domain::PeriodBound;
use domain::insights::{
    ChartKind, Dimension, Figure, IncursionFilter, Interval, Measure, NoValueReason, Unit,
};
use domain::preferences::Preferences;

use super::heatmap::Heatmap;
use super::labels::{Labelled, LabelledId};
use super::query::QueryResult;
use super::trends::{Series, Trends};

pub use heatmap::Shade;
pub use machine_runtime::{MachineRuntimeRequest, Operators};
pub use operators::{DrivenMachine, DrivenSpan};
pub use trends::{TrendLine, TrendsChartRequest};
pub use zone_time::ZoneTimeRequest;

/// A chart: what it shows, and of what it is true.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Which.
    pub kind: ChartKind,
    /// What it is called.
    pub title: String,
    /// What its values are counted in.
    pub unit: Unit,
    /// In which steps, if it goes by time.
    pub interval: Option<Interval>,
    /// What is shown.
    pub series: Vec<ChartSeries>,
    /// How many parts were left off.
    pub more: u64,
    /// What only this chart has.
    pub details: ChartDetails,
    /// Which facts it is about.
    pub filter: IncursionFilter,
    /// What was asked.
    pub result: QueryResult,
}

/// What only some charts have.
#[derive(Clone, Debug)]
pub enum ChartDetails {
    /// Nothing.
    None,
    /// By what it is broken down.
    By(Dimension),
    /// Who drove which machine when.
    Operators(Vec<DrivenMachine>),
    /// The period before, if it was asked for, and the lines through the values.
    Trends {
        /// From when to when the period before is.
        previous: Option<(PeriodBound, PeriodBound)>,
        /// One for each measure that has enough values.
        lines: Vec<TrendLine>,
    },
    /// How many incursions have no end, and what is measured of all of them.
    Durations {
        /// How many have no end.
        without_end: i64,
        /// One for each of [`Durations::MEASURES`](super::Durations::MEASURES).
        total: Vec<Figure>,
    },
    /// The hexagons of a map.
    Map {
        /// The hexagons.
        heatmap: Heatmap,
        /// What their shades stand for.
        shade: Shade,
        /// The boundary of the one site that was asked for.
        outline: Option<Outline>,
    },
}

/// What kind of values a series has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesKind {
    /// Of the period that was asked for.
    Measured,
    /// Of the period before; the first value is held against the first of this period, and so on.
    Previous,
    /// A line through the measured ones.
    Trend,
}

impl SeriesKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Previous => "previous",
            Self::Trend => "trend",
        }
    }
}

/// Some values that belong together.
#[derive(Clone, Debug)]
pub struct ChartSeries {
    /// For programs.
    pub key: String,
    /// For people.
    pub label: String,
    /// What is measured.
    pub measure: Measure,
    /// What kind of values they are.
    pub kind: SeriesKind,
    /// In their order.
    pub points: Vec<ChartPoint>,
}

/// What a value is of.
#[derive(Clone, Debug)]
pub enum ChartPosition {
    /// A step of time: its key, and when it begins on each site's own clock.
    Bucket(i64, String),
    /// Anything else.
    Part(Labelled),
}

/// A value, or why there is none.
#[derive(Clone, Debug)]
pub struct ChartPoint {
    /// What it is of.
    pub position: ChartPosition,
    /// What it comes to, in the measure's unit.
    pub value: Result<f64, NoValueReason>,
    /// Above the line, as it is shown.
    pub numerator: Option<f64>,
    /// Below the line.
    pub denominator: Option<f64>,
    /// The range in which the true value lies with 95 % confidence, where that is told.
    pub range: Option<(f64, f64)>,
}

impl ChartPoint {
    pub(crate) fn new(place: ChartPosition, measure: Measure, figure: Figure) -> Self {
        Self {
            position: place,
            value: figure.value(measure),
            numerator: figure.display_numerator(measure),
            denominator: figure.display_denominator(measure),
            range: None,
        }
    }
}

impl Chart {
    /// A chart that has nothing but its series.
    fn without_details(
        kind: ChartKind,
        unit: Unit,
        series: Vec<ChartSeries>,
        filter: &IncursionFilter,
        asked: QueryResult,
    ) -> Self {
        Self {
            kind,
            title: kind.title().to_owned(),
            unit,
            interval: None,
            series,
            more: 0,
            details: ChartDetails::None,
            filter: filter.clone(),
            result: asked,
        }
    }

    /// A chart of measures over time.
    fn over_time(kind: ChartKind, unit: Unit, trends: Trends, filter: &IncursionFilter) -> Self {
        let Trends { interval, series, more, result: asked } = trends;
        let series = series.into_iter().map(measured_series).collect();
        Self { interval: Some(interval), more, ..Self::without_details(kind, unit, series, filter, asked) }
    }
}

/// A series of a trend: named by its part, or else by its measure.
fn measured_series(series: Series) -> ChartSeries {
    let measure = series.measure;
    let (key, label) = match series.part {
        Some(part) => (series_key(&part.id), part.label),
        None => (measure.as_str().to_owned(), measure.label().to_owned()),
    };
    let points = series.points.into_iter();
    let points = points
        .map(|point| ChartPoint::new(ChartPosition::Bucket(point.bucket, point.at), measure, point.figure));
    ChartSeries { key, label, measure, kind: SeriesKind::Measured, points: points.collect() }
}

/// The title of a chart that tells parts apart, by the name that whoever asks has for them.
fn title_by_part(title: &str, part: Dimension, preferences: &Preferences) -> String {
    match preferences.dimensions.label(part) {
        Some(label) => format!("{title} by {label}"),
        None => format!("{title} by {}", part.as_str().replace('_', " ")),
    }
}

/// What tells a part apart, as the text that keys are.
pub(crate) fn series_key(id: &LabelledId) -> String {
    match id {
        LabelledId::Number(number) => number.to_string(),
        LabelledId::Word(word) => word.clone(),
        LabelledId::None => "none".to_owned(),
    }
}
