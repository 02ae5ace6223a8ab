//! POST /api/v1/alerts/dry_run

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Timestamp;
use domain::access::ManageAlerts;
use serde_json::Value;
use web::{
    Accept, Body, Caller, ChartImageParams, ChartImageQuery, OutputFormat, Params, Result, enum_schemas,
    json_number, problem,
};

use super::fields::{AlertFields, NewAlert};

/// Result of a dry run: what the alert would have done over the last 30 days.
#[web::answer]
pub struct AlertDryRun {
    /// Start of the period, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-01-30T08:00:00Z")]
    from: Timestamp,
    /// End of the period, which is now, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    to: Timestamp,
    /// Time zones by which the alarms are judged, and in which messages give times.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Vec<String>,
    /// Last change of the brand's facts that is included.
    #[schema(example = 4711)]
    seq: i64,
    /// Whether the past is known only roughly: when base stations were silent follows from the times at which their facts were received.
    #[schema(example = false)]
    approximate: bool,
    /// Number of alarms, of all splits together.
    #[schema(example = 3)]
    firings: u64,
    /// Number of messages about them until now, each to all recipients, with active hours and digests taken into account.
    #[schema(example = 3)]
    messages: u64,
    /// Reason why there never was a value to judge; null if there was one. Nothing at all is a value of metrics that count.
    #[schema(value_type = Option<enum_schemas::AlertNoDataReason>, example = json!(null))]
    no_data: Option<&'static str>,
    /// Splits, those with the most alarms first; at most 200.
    splits: Vec<AlertDryRunSplit>,
    /// Number of further splits.
    #[schema(example = 0)]
    more: u64,
}

/// Result of a dry run for one machine, person or other split.
#[web::answer]
pub struct AlertDryRunSplit {
    /// Identifiers of the split: none, that of the record that the alert is split by, or those of a machine and a person.
    #[schema(example = json!([5]))]
    ids: Vec<i64>,
    /// Name of the split; of people as far as you may see names.
    #[schema(example = "Loader 3")]
    label: String,
    /// Last alarms, the earliest first; at most 1,000 of all splits together.
    firings: Vec<AlertDryRunFiring>,
    /// Number of earlier alarms.
    #[schema(example = 0)]
    more: u64,
    /// Value that was furthest on the side of the threshold, in the unit of the metric; null if there was none.
    #[schema(value_type = Option<f64>, example = 15)]
    peak: Value,
}

/// An alarm that an alert would have raised.
#[web::answer]
pub struct AlertDryRunFiring {
    /// Time at which the alert would have fired, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-02-11T09:31:07Z")]
    fired_at: Timestamp,
    /// Time at which the alarm would have cleared, RFC 3339 in UTC; null if it would still be open.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-02-11T10:12:00Z")]
    cleared_at: Option<Timestamp>,
    /// Value at that time, in the unit of the metric.
    #[schema(value_type = f64, example = 12)]
    value: Value,
    /// Numerator of the value: a count, or a sum in whole units.
    #[schema(example = 12)]
    numerator: i64,
    /// Denominator of the value; 1 if the metric has none. Runtime is in milliseconds.
    #[schema(example = 1)]
    denominator: i64,
}

fn shape(run: app::DryRun) -> AlertDryRun {
    let firing = |firing: app::DryRunFiring| AlertDryRunFiring {
        fired_at: firing.fired_at,
        cleared_at: firing.cleared_at,
        value: json_number(Some(firing.value)),
        numerator: firing.numerator,
        denominator: firing.denominator,
    };
    let split = |split: app::DryRunSplit| AlertDryRunSplit {
        ids: split.key.ids().to_vec(),
        label: split.label,
        firings: split.firings.into_iter().map(firing).collect(),
        more: split.more_firings,
        peak: json_number(split.peak),
    };
    AlertDryRun {
        from: run.from,
        to: run.to,
        time_zones: run.time_zones.iter().map(ToString::to_string).collect(),
        seq: run.seq,
        approximate: run.approximate,
        firings: run.firings,
        messages: run.messages,
        no_data: run.no_data,
        splits: run.splits.into_iter().map(split).collect(),
        more: run.more_splits,
    }
}

/// Dry-run an alert over the last 30 days
///
/// Returns when the alert would have fired over the last 30 days, for each split, and how many messages it would have sent. The body is that
/// of a new alert; nothing is stored or sent. Facts count from their own time on, as if none had come late; tags and base stations are those
/// that are in use now.
///
/// With `format=svg`, or if `Accept` prefers it, the answer is a picture: the worst value of each day, with the threshold.
///
/// Fails with 422 like creating the alert, and with `too_many_points` about `scope` if more facts would have to be counted than a query
/// may keep in memory.
#[web::operation(
    post, path = "/api/v1/alerts/dry_run", tag = "alerts", operation_id = "dry_run_alert",
    params(ChartImageQuery),
    request_body = NewAlert,
    responses(
        (status = 200, description = "The result of the dry run",
            content((AlertDryRun = "application/json"), (String = "image/svg+xml"))),
        problem::BadBody, problem::NotAcceptable, problem::Unavailable,
    ),
)]
pub async fn dry_run_alert(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    Params(image): Params<ChartImageParams>,
    accept: Accept,
    Body(AlertFields(new)): Body<AlertFields>,
) -> Result {
    let output_format = image.output_format(&accept)?;
    let run = app.dry_run_alert(&caller, &new).await?;
    Ok(web::vary_by_accept(match output_format {
        OutputFormat::Data => web::json_response(&shape(run)),
        OutputFormat::Image(request) => {
            web::svg_response(app.render_dry_run(&caller, &new, &run, request).await?)
        }
    }))
}
