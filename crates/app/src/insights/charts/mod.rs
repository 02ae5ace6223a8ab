//! Charts: the results of other insights in one shape, which clients plot and `chart_images` draws.
//!
//! Each chart is a use case in a file of its own. It calls the use cases of the other insights, so that a chart and its numbers
//! cannot differ.

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
use super::trends::{RestBand, Series, Trends};

pub use heatmap::Shade;
pub use machine_runtime::{MachineRuntimeRequest, Operators};
pub use operators::{DrivenMachine, DrivenSpan};
pub use trends::{TrendLine, TrendsChartRequest};
pub use zone_time::ZoneTimeRequest;

/// A chart with its data and provenance.
#[derive(Clone, Debug)]
pub struct Chart {
    pub kind: ChartKind,
    pub title: String,
    /// The unit of all values.
    pub unit: Unit,
    /// The length of a bucket, for charts over time.
    pub interval: Option<Interval>,
    pub series: Vec<ChartSeries>,
    /// Number of groups beyond the limit.
    pub more: u64,
    /// Number of incursions without an end, which charts of durations cannot show; 0 for other charts.
    pub without_end: i64,
    /// Data that only this kind of chart has.
    pub details: ChartDetails,
    pub filter: IncursionFilter,
    pub result: QueryResult,
}

/// Data that only some charts have.
#[derive(Clone, Debug)]
pub enum ChartDetails {
    None,
    /// The dimension by which the values are grouped.
    By(Dimension),
    /// What the series of machines do not show.
    Runtime {
        /// The runtime of all machines, including those without a series.
        total: ChartSeries,
        /// The operators of each machine over time, if requested.
        operators: Option<Vec<DrivenMachine>>,
    },
    /// The groups without a series of their own, if there are any.
    Rest(RestBand),
    /// The previous period, if requested, and the trend lines.
    Trends {
        previous: Option<EarlierPeriod>,
        /// One for each measure with enough values.
        lines: Vec<TrendLine>,
    },
    /// Details of the histogram of durations.
    Durations {
        /// One figure for each of [`Durations::MEASURES`](super::Durations::MEASURES).
        total: Vec<Figure>,
    },
    Map {
        heatmap: Heatmap,
        shade: Shade,
        /// The boundary of the worksite, if the filter names exactly one.
        outline: Option<Outline>,
    },
}

/// The period that a chart compares its own with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierPeriod {
    pub from: PeriodBound,
    pub to: PeriodBound,
    /// By how many weeks it is earlier.
    pub weeks: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesKind {
    /// Values of the requested period.
    Measured,
    /// Values of the previous period, which is earlier by whole weeks.
    Previous,
    /// A trend line through the measured values.
    Trend,
}

impl SeriesKind {
    pub const ALL: [Self; 3] = [Self::Measured, Self::Previous, Self::Trend];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Previous => "previous",
            Self::Trend => "trend",
        }
    }
}

#[derive(Clone, Debug)]
pub struct ChartSeries {
    /// Stable identifier for clients.
    pub key: String,
    /// Name for people.
    pub label: String,
    pub measure: Measure,
    pub kind: SeriesKind,
    pub points: Vec<ChartPoint>,
}

/// The position of a value on the axis.
#[derive(Clone, Debug)]
pub enum ChartPosition {
    /// A bucket of time: its number, and its start in local time.
    Bucket(i64, String),
    /// A group of any other dimension.
    Part(Labelled),
}

/// A value, or the reason why there is none.
#[derive(Clone, Debug)]
pub struct ChartPoint {
    pub position: ChartPosition,
    /// In the unit of the measure.
    pub value: Result<f64, NoValueReason>,
    /// In the unit in which it is displayed.
    pub numerator: Option<f64>,
    /// In the unit in which it is displayed.
    pub denominator: Option<f64>,
    /// The 95 % confidence interval, for charts that have one.
    pub range: Option<(f64, f64)>,
    /// Whether the period cuts the bucket, or it has not ended.
    pub partial: bool,
}

impl ChartPoint {
    pub(crate) fn new(place: ChartPosition, measure: Measure, figure: Figure) -> Self {
        Self {
            position: place,
            value: figure.value(measure),
            numerator: figure.display_numerator(measure),
            denominator: figure.display_denominator(measure),
            range: None,
            partial: false,
        }
    }

    pub(crate) fn without_value(position: ChartPosition, reason: NoValueReason) -> Self {
        Self { position, value: Err(reason), numerator: None, denominator: None, range: None, partial: false }
    }
}

impl Chart {
    /// Creates a chart that has only its series.
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
            without_end: 0,
            details: ChartDetails::None,
            filter: filter.clone(),
            result: asked,
        }
    }

    /// Creates a chart of measures over time.
    fn over_time(kind: ChartKind, unit: Unit, trends: Trends, filter: &IncursionFilter) -> Self {
        let Trends { interval, series, more, result: asked } = trends;
        let series = series.into_iter().map(measured_series).collect();
        Self { interval: Some(interval), more, ..Self::without_details(kind, unit, series, filter, asked) }
    }
}

/// Converts a series of a trend; it is named after its group or, without one, after its measure.
fn measured_series(series: Series) -> ChartSeries {
    let measure = series.measure;
    let (key, label) = match series.part {
        Some(part) => (series_key(&part.id), part.label),
        None => (measure.as_str().to_owned(), measure.label().to_owned()),
    };
    let points = series.points.into_iter().map(|point| {
        let position = ChartPosition::Bucket(point.bucket, point.at);
        let drawn = match point.figure {
            Some(figure) => ChartPoint::new(position, measure, figure),
            None => ChartPoint::without_value(position, NoValueReason::NotYet),
        };
        ChartPoint { partial: point.partial, ..drawn }
    });
    ChartSeries { key, label, measure, kind: SeriesKind::Measured, points: points.collect() }
}

/// Returns the title of a chart that is split by a dimension, which is named as the caller prefers.
pub(crate) fn title_by_part(title: &str, part: Dimension, preferences: &Preferences) -> String {
    match preferences.dimensions.label(part) {
        Some(label) => format!("{title} by {label}"),
        None => format!("{title} by {}", part.as_str().replace('_', " ")),
    }
}

/// Returns the id of a group as text.
pub(crate) fn series_key(id: &LabelledId) -> String {
    match id {
        LabelledId::Number(number) => number.to_string(),
        LabelledId::Word(word) => word.clone(),
        LabelledId::None => "none".to_owned(),
    }
}
