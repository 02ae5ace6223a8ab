//! What the facts come to: totals, trends, breakdowns, histograms, heat maps.
//!
//! Each use case turns what it is asked into a [`Question`](domain::insights::Question) and what it hears into an answer with
//! names; [`asking`] is the one place where a question is asked.

pub(crate) mod columns;
pub(crate) mod computing;
pub(crate) mod exports;
pub mod pictures;
pub(crate) mod saved_views;

mod asking;
mod breakdown;
mod charts;
mod durations;
mod heatmap;
mod labels;
mod nothing;
mod outliers;
mod pivot;
mod summary;
mod totals;
mod trends;

pub(crate) use asking::Asker;
pub use asking::{Asked, AskedOf};
pub use breakdown::{Breakdown, BreakdownRequest, BreakdownRow};
pub use charts::{
    Chart, ChartDetails, ChartPlace, ChartPoint, ChartSeries, DrivenMachine, DrivenSpan,
    MachineRuntimeRequest, Operators, SeriesKind, Shade, TrendLine, TrendsChartRequest, ZoneTimeRequest,
};
pub use durations::{Durations, DurationsStep};
pub use heatmap::{Heatmap, Hexagon};
pub use labels::{Labelled, LabelledId};
pub use outliers::{ExposureUnit, Outlier, OutlierBy, Outliers, OutliersRequest, PeerGroup, Told};
pub use pivot::{Pivot, PivotRequest, PivotRow, Sums};
pub use summary::{Summary, TopEntry};
pub use totals::{Compare, Totals};
pub use trends::{Point, Series, Trends, TrendsRequest};
