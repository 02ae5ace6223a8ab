//! /api/v1/insights: what the facts come to.

mod breakdown;
mod durations;
mod heatmap;
mod summary;
mod totals;
mod trends;

use app::insights::Asked;
use domain::Invalid;
use domain::insights::Dimension;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, shown_cut};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(summary::get_insights))
        .routes(routes!(totals::get_insight_totals))
        .routes(routes!(trends::get_insight_trends))
        .routes(routes!(breakdown::get_insight_breakdown))
        .routes(routes!(durations::get_insight_durations))
        .routes(routes!(heatmap::get_insight_heatmap))
}

/// Of what an answer is true.
#[derive(Serialize, ToSchema)]
pub struct AnswerOf {
    /// Where the period begins: an instant, or a day on each site's own clock.
    #[schema(example = "2026-02-01")]
    from: String,
    /// Where it ends, exclusive.
    #[schema(example = "2026-03-01T12:00:00Z")]
    to: String,
    /// By which clocks days and hours are told: those of the worksites it is about.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Vec<String>,
    /// The brand's last change that the answer knows of.
    #[schema(example = 1207)]
    seq: i64,
}

impl From<&Asked> for AnswerOf {
    fn from(asked: &Asked) -> Self {
        Self {
            from: shown_cut(asked.from),
            to: shown_cut(asked.to),
            time_zones: asked.time_zones.iter().map(ToString::to_string).collect(),
            seq: asked.seq,
        }
    }
}

/// By what breakdowns and trends may be split.
const PARTS: [Dimension; 9] = [
    Dimension::Project,
    Dimension::Worksite,
    Dimension::Machine,
    Dimension::MachineKind,
    Dimension::Pedestrian,
    Dimension::Operator,
    Dimension::Zone,
    Dimension::HourOfDay,
    Dimension::DayOfWeek,
];

fn part(text: &str) -> Result<Dimension, Invalid> {
    let found = PARTS.into_iter().find(|dimension| dimension.as_str() == text);
    found.ok_or_else(|| {
        let words = PARTS.map(Dimension::as_str).join(", ");
        Invalid::new("invalid_dimension", format!("must be one of {words}"))
    })
}
