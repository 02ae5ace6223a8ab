//! POST /api/v1/alerts

use std::sync::Arc;

use app::{AlertView, App, Idempotent};
use axum::extract::State;
use domain::access::ManageAlerts;
use web::{Caller, IdempotentBody, NoParams, Result, problem};

use super::fields::{AlertFields, NewAlert};
use super::{Alert, shape};

/// Create an alert
///
/// The alert is evaluated within seconds after facts have arrived, and every minute for what time alone changes. When a value crosses the
/// threshold, it fires once for each split, and notifies its recipients and webhooks. It counts what you see; if you leave, it keeps that,
/// and belongs to the admins.
///
/// Fails with 409 `too_many_alerts` if you already have 200, or the brand 2,000. What cannot be judged is refused with 422 about its field:
/// a threshold or window outside the range of the metric, records that you do not see, or a scope in which nothing is left for you.
#[web::operation(
    post, path = "/api/v1/alerts", tag = "alerts", operation_id = "create_alert",
    request_body = NewAlert,
    responses(
        (status = 201, description = "The new alert", body = Alert),
        problem::BadBody, problem::Conflict,
    ),
)]
pub async fn create_alert(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    _: NoParams,
    IdempotentBody { value: AlertFields(new), key }: IdempotentBody<AlertFields>,
) -> Result {
    let once = Idempotent::new(key, |view: &AlertView| {
        let location = format!("/api/v1/alerts/{}", view.rule.id);
        web::created_to_store(location, &shape(view.clone())).with_version(view.rule.version)
    });
    Ok(web::render_stored(app.create_alert(&caller, new, once).await?))
}
