//! GET /api/v1/alerts

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{AlertMetric, AlertRuleFilter, AlertSeverity, AlertStatus};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{Alert, shape};

pub struct AlertParams {
    filter: AlertRuleFilter,
    list: ListParams,
}

impl FromParams for AlertParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let word = |text: &str| AlertStatus::parse(text).map(AlertStatus::as_str);
        let statuses = query.many("status", AlertStatus::ALL.len(), word)?;
        let filter = AlertRuleFilter {
            metrics: query.many("metric", AlertMetric::ALL.len(), AlertMetric::parse)?,
            severities: query.many("severity", AlertSeverity::ALL.len(), AlertSeverity::parse)?,
            statuses: AlertStatus::ALL
                .into_iter()
                .filter(|status| statuses.contains(&status.as_str()))
                .collect(),
            enabled: query.optional_flag("enabled")?,
            q: query.search("q")?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type AlertList = List<Alert>;

/// List alerts
///
/// Lists the alerts that you see, sorted by name. If your access is restricted to projects, these are your own, and those that count
/// nothing beyond your projects.
#[web::operation(
    get, path = "/api/v1/alerts", tag = "alerts", operation_id = "list_alerts",
    params(
        ("metric" = Option<Vec<enum_schemas::AlertMetric>>, Query,
            description = "Only alerts with these metrics; repeat the parameter"),
        ("severity" = Option<Vec<enum_schemas::AlertSeverity>>, Query,
            description = "Only alerts of these severities; repeat the parameter"),
        ("status" = Option<Vec<enum_schemas::AlertStatus>>, Query,
            description = "Only alerts with these statuses; repeat the parameter"),
        ("enabled" = Option<bool>, Query, description = "Only alerts that are enabled, or only those that are not"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of alerts", body = AlertList),
        problem::BadParams,
    ),
)]
pub async fn list_alerts(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(AlertParams { filter, list }): Params<AlertParams>,
) -> Result {
    let found = app.list_alerts(&caller, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
