//! GET /api/v2/advanced_insights/outliers

use std::sync::Arc;

use app::insights::{ExposureUnit, Outlier, OutlierBy, OutlierSelection, Outliers, OutliersRequest};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use serde::Serialize;
use statistics::{Assessment, FORMULA, MIN_PEERS};
use utoipa::ToSchema;
use web::{
    AnswerScope, Caller, DimensionValue, FactFilters, FromParams, Params, Query, Result, json_api_errors,
};

/// Who stands out among their peers.
#[derive(Serialize, ToSchema)]
pub struct OutliersAnswer {
    /// Those who stand out, the most remarkable first; with `all`, everyone who was looked at.
    outliers: Vec<OutlierAnswer>,
    /// How many of them were left off.
    #[schema(example = 0)]
    more: u64,
    /// How many were judged.
    #[schema(example = 58)]
    judged: u64,
    /// How many were not, for lack of exposure or of peers.
    #[schema(example = 2)]
    not_judged: u64,
    /// From which adjusted p down someone stands out.
    #[schema(example = 0.05)]
    threshold: f64,
    /// What it takes to be judged.
    minimum: OutlierMinimum,
    /// How it is computed.
    formula: &'static str,
    #[serde(flatten)]
    of: AnswerScope,
}

/// What it takes to be judged.
#[derive(Serialize, ToSchema)]
pub struct OutlierMinimum {
    /// Hours of runtime, where these are the exposure.
    #[schema(example = 8.0)]
    runtime_hours: f64,
    /// Days seen, where these are.
    #[schema(example = 3.0)]
    days: f64,
    /// Peers.
    #[schema(example = 5)]
    peers: usize,
}

/// Someone who was looked at.
#[derive(Serialize, ToSchema)]
pub struct OutlierAnswer {
    /// As what: `machine`, `worksite`, `pedestrian` or `operator`.
    #[schema(example = "machine")]
    by: &'static str,
    /// Who.
    part: DimensionValue,
    /// What the peers have in common: the kind of machine, worksite or person; of operators, the kind of machine they drove the
    /// longest, and only that counts.
    peer_group: DimensionValue,
    /// Where the peers of someone on foot are: the site they were at on most days. Null if there are too few there: then the peers
    /// are those of all such sites.
    peer_worksite: Option<DimensionValue>,
    /// How many peers there are.
    #[schema(example = 11)]
    peers: usize,
    /// Whether chance is no good explanation: the adjusted p is at most the threshold.
    #[schema(example = true)]
    stands_out: bool,
    /// How many incursions there were.
    #[schema(example = 312)]
    observed: u64,
    /// For how long.
    exposure: OutlierExposure,
    /// Observed by unit of exposure; null without any exposure.
    #[schema(example = 2.4)]
    rate: Option<f64>,
    /// How many would be expected of one like its peers; null for one who was not judged, and so what follows.
    #[schema(example = 104.2)]
    expected: Option<f64>,
    /// The same by unit of exposure.
    #[schema(example = 0.8)]
    peer_rate: Option<f64>,
    /// Between which counts 95 of 100 like its peers would be.
    interval: Option<OutlierInterval>,
    /// How surprising it is, in standard deviations; negative for fewer than expected.
    #[schema(example = 4.1)]
    score: Option<f64>,
    /// The probability that one like its peers is at least as far out, to either side.
    #[schema(example = 0.00004)]
    p: Option<f64>,
    /// The same, adjusted for how many were judged in this answer.
    #[schema(example = 0.0023)]
    adjusted_p: Option<f64>,
    /// Why it was not judged: `too_little_exposure`, `unknown_exposure` or `too_few_peers`.
    #[schema(example = json!(null))]
    reason: Option<&'static str>,
    /// The same in a sentence.
    #[schema(
        example = "Loader 7 came close to people 312 times in 130 hours of running; by 11 other machines of the kind loader \
        about 104 would be expected, and 52 to 186 would surprise nobody, 3 times as many: chance alone is no good explanation \
        (adjusted p 0.0023)."
    )]
    sentence: String,
}

/// For how long someone was looked at.
#[derive(Serialize, ToSchema)]
pub struct OutlierExposure {
    /// How much.
    #[schema(example = 130.5)]
    value: f64,
    /// `runtime_hours`, or `days` on which someone was seen.
    #[schema(example = "runtime_hours")]
    unit: &'static str,
}

/// Between which counts there is no surprise, both included.
#[derive(Serialize, ToSchema)]
pub struct OutlierInterval {
    /// The fewest.
    #[schema(example = 52)]
    low: u64,
    /// The most.
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

/// What is asked.
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

/// Who stands out among their peers, with how it is known.
///
/// Counts are held against exposure: hours of runtime; of people on foot the days on which they were seen, with an incursion, or at a
/// test of their tag if they did not drive that day. Each is judged by the others of its kind, and nothing outside the caller's projects is counted. How many are
/// judged at once, by all of `by` together, is taken into account.
#[utoipa::path(
    get, path = "/api/v2/advanced_insights/outliers", tag = "advanced insights", operation_id = "get_outliers",
    security(("jwt" = [])),
    extensions(("x-permission" = json!("read_insights"))),
    params(
        FactFilters,
        ("by" = Option<Vec<String>>, Query, example = json!(["machine"]),
            description = "Who is compared: `machine`, `worksite`, `pedestrian`, `operator`; left out: all four"),
        ("all" = Option<bool>, Query, description = "Tell of everyone who was looked at; left out: of those who stand out"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 1000, description = "How many at most; left out: 100"),
    ),
    responses(
        (status = 200, description = "Who stands out", body = OutliersAnswer),
        json_api_errors::BadParams, json_api_errors::Unauthenticated, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
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
