//! GET /api/v2/advanced_insights/outliers

use std::sync::Arc;

use app::insights::{ExposureUnit, Outlier, OutlierBy, OutlierSelection, Outliers, OutliersRequest};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use statistics::{Assessment, FORMULA, MIN_PEERS};
use web::{
    AnswerScope, Caller, DimensionValue, FactFilters, FromParams, Params, Query, Result, enum_schemas,
    json_api_errors,
};

/// Outliers: machines, worksites and people whose number of incursions differs from that of their peers.
#[web::answer]
pub struct OutliersAnswer {
    /// Outliers, the most significant first; with `all`, every candidate.
    outliers: Vec<OutlierAnswer>,
    /// Number of entries left out because of `limit`.
    #[schema(example = 0)]
    more: u64,
    /// Number of candidates that were tested.
    #[schema(example = 58)]
    judged: u64,
    /// Number of candidates that were not tested, because they have too little exposure or too few peers.
    #[schema(example = 2)]
    not_judged: u64,
    /// Threshold of the adjusted p-value at or below which a candidate is an outlier.
    #[schema(example = 0.05)]
    threshold: f64,
    /// Minimum requirements for testing a candidate.
    minimum: OutlierMinimum,
    /// Description of the statistical method.
    formula: &'static str,
    #[serde(flatten)]
    of: AnswerScope,
}

/// Minimum requirements for testing a candidate.
#[web::answer]
pub struct OutlierMinimum {
    /// Minimum hours of runtime, where exposure is measured in hours.
    #[schema(example = 8.0)]
    runtime_hours: f64,
    /// Minimum number of days, where exposure is measured in days.
    #[schema(example = 3.0)]
    days: f64,
    /// Minimum number of peers.
    #[schema(example = 5)]
    peers: usize,
}

/// A candidate and the result of its test.
#[web::answer]
pub struct OutlierAnswer {
    /// Dimension of the candidate.
    #[schema(value_type = enum_schemas::OutlierDimension, example = "machine")]
    by: &'static str,
    /// The candidate.
    part: DimensionValue,
    /// Property that the candidate shares with its peers: the kind of machine, worksite or person; for operators, the kind of machine
    /// that they drove longest, and only incursions with that kind are counted.
    peer_group: DimensionValue,
    /// For pedestrians: worksite of the peers, where the candidate was on most days. Null if there are too few peers at that worksite;
    /// the peers are then those of all such worksites.
    peer_worksite: Option<DimensionValue>,
    /// Number of peers.
    #[schema(example = 11)]
    peers: usize,
    /// Whether the candidate is an outlier: its adjusted p-value is at most the threshold.
    #[schema(example = true)]
    stands_out: bool,
    /// Number of incursions observed.
    #[schema(example = 312)]
    observed: u64,
    /// Exposure of the candidate.
    exposure: OutlierExposure,
    /// Observed incursions per unit of exposure; null without exposure.
    #[schema(example = 2.4)]
    rate: Option<f64>,
    /// Number of incursions expected from the peers. This and the following values are null if the candidate was not tested.
    #[schema(example = 104.2)]
    expected: Option<f64>,
    /// Expected incursions per unit of exposure.
    #[schema(example = 0.8)]
    peer_rate: Option<f64>,
    /// Prediction interval: range of counts that contains 95 % of candidates like the peers.
    interval: Option<OutlierInterval>,
    /// Deviation from the expected count in standard deviations; negative for fewer incursions than expected.
    #[schema(example = 4.1)]
    score: Option<f64>,
    /// Two-sided p-value: probability that a candidate like its peers deviates at least this much.
    #[schema(example = 0.00004)]
    p: Option<f64>,
    /// P-value adjusted for the number of candidates tested in this response.
    #[schema(example = 0.0023)]
    adjusted_p: Option<f64>,
    /// Reason why the candidate was not tested; null if it was.
    #[schema(value_type = Option<enum_schemas::OutlierSkipReason>)]
    reason: Option<&'static str>,
    /// The result in one sentence.
    #[schema(
        example = "Loader 7 came close to people 312 times in 130 hours of runtime. Compared with 11 other machines of the \
        kind loader, about 104 would be expected and 52 to 186 would be usual, so this is 3 times as many. Chance alone is an \
        unlikely explanation (adjusted p 0.0023)."
    )]
    sentence: String,
}

/// Exposure of a candidate.
#[web::answer]
pub struct OutlierExposure {
    /// Amount of exposure, in the given unit.
    #[schema(example = 130.5)]
    value: f64,
    /// Unit of exposure: `runtime_hours`, or `days` on which a person was seen.
    #[schema(value_type = enum_schemas::ExposureUnit, example = "runtime_hours")]
    unit: &'static str,
}

/// An interval of counts, including both bounds.
#[web::answer]
pub struct OutlierInterval {
    /// Lower bound.
    #[schema(example = 52)]
    low: u64,
    /// Upper bound.
    #[schema(example = 186)]
    high: u64,
}

fn shape_outlier(one: Outlier) -> OutlierAnswer {
    let judgement = one.outcome.outlier_test().copied();
    OutlierAnswer {
        by: one.by.as_str(),
        peers: one.outcome.peers,
        stands_out: one.stands_out(),
        observed: one.outcome.observed,
        exposure: OutlierExposure { value: one.outcome.exposure, unit: one.unit.as_str() },
        rate: one.outcome.rate,
        expected: judgement.map(|judgement| judgement.expected),
        peer_rate: judgement.map(|judgement| judgement.peer_rate),
        interval: judgement
            .map(|judgement| OutlierInterval { low: judgement.interval_low, high: judgement.interval_high }),
        score: judgement.map(|judgement| judgement.score),
        p: judgement.map(|judgement| judgement.p),
        adjusted_p: judgement.map(|judgement| judgement.adjusted_p),
        reason: match one.outcome.assessment {
            Assessment::Tested(_) => None,
            Assessment::Skipped(reason) => Some(reason.as_str()),
        },
        part: one.part.into(),
        peer_group: one.peer_group.into(),
        peer_worksite: one.peer_worksite.map(DimensionValue::from),
        sentence: one.sentence,
    }
}

fn shape(outliers: Outliers) -> OutliersAnswer {
    OutliersAnswer {
        outliers: outliers.members.into_iter().map(shape_outlier).collect(),
        more: outliers.more,
        judged: outliers.judged,
        not_judged: outliers.not_judged,
        threshold: Outliers::THRESHOLD,
        minimum: OutlierMinimum {
            runtime_hours: ExposureUnit::RuntimeHours.minimum(),
            days: ExposureUnit::Days.minimum(),
            peers: MIN_PEERS,
        },
        formula: FORMULA,
        of: AnswerScope::from(&outliers.result),
    }
}

/// The parsed query parameters.
pub struct OutliersParams(Box<IncursionFilter>, OutliersRequest);

impl FromParams for OutliersParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let mut by = query.many("by", OutlierBy::ALL.len(), OutlierBy::parse)?;
        if by.is_empty() {
            by = OutlierBy::ALL.to_vec();
        }
        let selection =
            if query.flag("all")? { OutlierSelection::Everyone } else { OutlierSelection::Outliers };
        let limit = query.integer("limit", 1..=1_000)?.unwrap_or(100);
        let request = OutliersRequest { by, selection, limit: usize::try_from(limit).unwrap_or(100) };
        Ok(Self(Box::new(IncursionFilter::read(query)?), request))
    }
}

/// Find outliers among machines, worksites and people
///
/// Relates the number of incursions to exposure: hours of runtime, and for pedestrians the days on which they were seen, either in an
/// incursion or at a test of their tag if they did not drive that day. Each candidate is compared with the others of its kind. Data
/// outside your projects is not counted. P-values are adjusted for all candidates tested, over all dimensions of `by` together.
#[web::operation(
    get, path = "/api/v2/advanced_insights/outliers", tag = "advanced insights", operation_id = "get_outliers",
    params(
        FactFilters,
        ("by" = Option<Vec<enum_schemas::OutlierDimension>>, Query, example = json!(["machine"]),
            description = "Dimensions to compare. Default: all four."),
        ("all" = Option<bool>, Query, description = "Whether to return every candidate. Default: only outliers."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 1000, description = "Maximum number of entries. Default: 100."),
    ),
    responses(
        (status = 200, description = "The outliers.", body = OutliersAnswer),
        json_api_errors::BadParams, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_outliers(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(OutliersParams(filter, request)): Params<OutliersParams>,
) -> Result {
    let outliers = app.insight_outliers(&caller, &filter, &request).await?;
    Ok(web::json_response(&shape(outliers)))
}
