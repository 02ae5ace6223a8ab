//! Incursions by the values of a dimension, and how they are requested.

use app::Error;
use app::insights::{Breakdown, BreakdownRequest};
use domain::Invalid;
use domain::insights::{IncursionFilter, Measure};

use crate::IntoParams;
use crate::request::params::{FromParams, Query};
use crate::response::enum_schemas;
use crate::shapes::figures::{AnswerScope, DimensionValue, NamedMetrics, Sorting};
use crate::shapes::insights::parse_split_dimension;

/// The query parameters of a breakdown besides the filters, for OpenAPI.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct BreakdownQuery {
    /// Dimension of the breakdown.
    #[param(value_type = enum_schemas::BreakdownDimension, example = "machine")]
    by: String,
    /// Metrics to return; the default is `incursions`, `acknowledgement_rate`, `average_duration`, `exposure` and
    /// `incursions_per_runtime_hour`.
    #[param(value_type = Option<Vec<enum_schemas::Measure>>)]
    metric: Option<Vec<String>>,
    /// Metric to sort by. A leading `-` sorts in descending order. The default is the first metric in descending order. Groups without a
    /// value come last.
    #[param(value_type = Option<enum_schemas::MeasureSort>, example = "-incursions")]
    sort: Option<String>,
    /// Maximum number of groups; the default is 50.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<i64>,
}

/// The incursions that match the filters, broken down by a dimension.
#[macros::answer]
pub struct InsightBreakdown {
    /// Groups of the breakdown, in the requested order.
    rows: Vec<InsightBreakdownRow>,
    /// Number of groups that were left out because of `limit`.
    #[schema(example = 0)]
    more: u64,
    /// Metrics of all groups together, including those that were left out.
    totals: NamedMetrics,
    #[serde(flatten)]
    of: AnswerScope,
}

/// One group of a breakdown.
#[macros::answer]
pub struct InsightBreakdownRow {
    /// Value of the dimension that defines the group.
    part: DimensionValue,
    /// Metrics of the group.
    metrics: NamedMetrics,
}

pub fn shape_breakdown(breakdown: Breakdown) -> InsightBreakdown {
    let metrics = |figures: &[_]| NamedMetrics::new(&breakdown.measures, figures);
    let rows = breakdown
        .rows
        .into_iter()
        .map(|row| InsightBreakdownRow { metrics: metrics(&row.figures), part: row.part.into() });
    InsightBreakdown {
        rows: rows.collect(),
        more: breakdown.more,
        totals: metrics(&breakdown.total),
        of: AnswerScope::from(&breakdown.result),
    }
}

/// The metrics of a breakdown if `metric` is not given.
const DEFAULT_MEASURES: [Measure; 5] = [
    Measure::Incursions,
    Measure::AcknowledgementRate,
    Measure::AverageDuration,
    Measure::Exposure,
    Measure::IncursionsPerRuntimeHour,
];

/// The parsed query parameters of a breakdown.
pub struct BreakdownParams(pub Box<IncursionFilter>, pub BreakdownRequest);

impl FromParams for BreakdownParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let by = query.one("by", parse_split_dimension)?.ok_or_else(|| {
            Error::bad_parameter("by", Invalid::new("required", "must name the dimension of the breakdown"))
        })?;
        let mut measures = query.many("metric", Measure::ALL.len(), Measure::parse)?;
        if measures.is_empty() {
            measures = DEFAULT_MEASURES.to_vec();
        }
        let sort = query.one("sort", Sorting::parse)?.unwrap_or(Sorting::descending(measures[0]));
        let place = measures.iter().position(|one| *one == sort.measure).unwrap_or_else(|| {
            measures.push(sort.measure);
            measures.len() - 1
        });
        let limit = query.integer("limit", 1..=500)?.unwrap_or(50);
        let limit = usize::try_from(limit).unwrap_or(50);
        let request = BreakdownRequest { by, measures, order: sort.order_at(place), limit };
        Ok(Self(Box::new(IncursionFilter::read(query)?), request))
    }
}
