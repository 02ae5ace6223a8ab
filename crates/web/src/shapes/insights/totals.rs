//! All metrics of incursions, and how they are requested.

use app::Error;
use app::insights::{Compare, TotalFigures, Totals};
use domain::insights::IncursionFilter;

use crate::IntoParams;
use crate::request::params::{FromParams, Query};
use crate::response::enum_schemas;
use crate::shapes::figures::{AnswerScope, NamedMetrics};

/// The query parameters of totals besides the filters, for OpenAPI.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct TotalsQuery {
    /// `previous` adds the metrics of the period moved back by the fewest whole weeks that are not shorter than it.
    #[param(value_type = Option<enum_schemas::ComparedPeriod>, example = "previous")]
    compare: Option<String>,
}

/// All metrics of the incursions that match the filters.
#[macros::answer]
pub struct InsightTotals {
    /// Metrics, each with its numerator and denominator.
    metrics: NamedMetrics,
    /// With `compare=previous`: the metrics of the previous period.
    previous: Option<PreviousTotals>,
    #[serde(flatten)]
    of: AnswerScope,
}

/// All metrics of the previous period: the period, moved back by the fewest whole weeks that are not shorter than it. If it has not
/// ended, the previous one is cut at the same local time.
#[macros::answer]
pub struct PreviousTotals {
    /// Metrics, each with its numerator and denominator.
    metrics: NamedMetrics,
    #[serde(flatten)]
    of: AnswerScope,
}

pub fn shape_totals(totals: &Totals) -> InsightTotals {
    let metrics = |figures: &TotalFigures| NamedMetrics::new(figures.measures(), figures.as_slice());
    InsightTotals {
        metrics: metrics(&totals.figures),
        previous: totals.previous.as_ref().map(|(asked, figures)| PreviousTotals {
            metrics: metrics(figures),
            of: AnswerScope::from(asked),
        }),
        of: AnswerScope::from(&totals.result),
    }
}

/// The parsed query parameters of totals.
pub struct TotalsParams(pub Box<IncursionFilter>, pub Compare);

impl FromParams for TotalsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let compare = query.one("compare", Compare::parse)?;
        Ok(Self(Box::new(IncursionFilter::read(query)?), compare.unwrap_or_default()))
    }
}
