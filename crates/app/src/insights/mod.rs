//! Insights: totals, trends, breakdowns, histograms, heat maps and more.
//!
//! Each use case turns its request into a [`Question`](domain::insights::Question) and labels the answer; `query` is the only place
//! that asks questions.

pub(crate) mod answered;
pub mod chart_images;
pub(crate) mod columns;
pub(crate) mod compute_pool;
pub(crate) mod exports;
pub(crate) mod saved_views;

mod breakdown;
pub(crate) mod charts;
mod durations;
pub(crate) mod empty_figures;
mod heatmap;
pub(crate) mod incursion_pages;
pub(crate) mod installation;
pub(crate) mod labels;
pub(crate) mod outliers;
pub(crate) mod pivot;
pub(crate) mod query;
mod summary;
pub(crate) mod totals;
mod trends;
pub(crate) mod warehouse;

pub use breakdown::{Breakdown, BreakdownRequest, BreakdownRow};
pub use charts::{
    Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, DrivenMachine, DrivenSpan, EarlierPeriod,
    MachineRuntimeRequest, Operators, SeriesKind, Shade, TrendLine, TrendsChartRequest, ZoneTimeRequest,
};
pub use durations::{Durations, HistogramBucket};
pub use heatmap::{Heatmap, Hexagon};
pub use labels::{Labelled, LabelledId};
pub use outliers::{
    Assessment, Comparison, ExposureUnit, MIN_PEERS, Outlier, OutlierBy, OutlierSelection, Outliers,
    OutliersRequest, PeerGroup, SkipReason,
};
pub use pivot::{Pivot, PivotRequest, PivotRow, Subtotals};
pub use query::{QueryResult, QuerySpec};
pub(crate) use query::{QueryScope, ResolvedPeriod};
pub use summary::{Summary, TopEntry};
pub use totals::{Compare, TotalFigures, Totals, TotalsRequest};
pub use trends::{BandPoint, Point, RestBand, Series, Trends, TrendsRequest};
