//! POST /settings/webhooks/{id}/rotate: the secret is replaced and shown once. For a while the one before stays valid.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageBrand;
use domain::{Span, WebhookId};
use web::{Caller, Fields, PathId, Result};

use super::deliveries::DeliveryQuery;
use super::page::{Forms, MAX_OVERLAP_HOURS, render};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::prove;

const KINDS: &[(&str, Kind)] = &[("overlap_hours", Kind::Number)];

fn read(fields: &mut Fields) -> Option<i64> {
    fields.required("overlap_hours", web::integer_within(0..=MAX_OVERLAP_HOURS))
}

/// Replaces the secret and shows the new one. A reload sends the form again, which the browser asks about.
pub async fn rotate(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let webhook = app.find_webhook(&caller, WebhookId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let rotated = match form.read(KINDS, read) {
        Ok(hours) => app.rotate_webhook_secret(&fresh, WebhookId(id), Span::minutes(hours * 60)).await,
        Err(error) => Err(error),
    };
    match rotated {
        Ok((webhook, secret)) => {
            let forms = Forms::fresh(&webhook);
            render(&app, &frame, &caller, &webhook, &forms, (DeliveryQuery::first(), Some(secret))).await
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            let forms = Forms { status: view.status, rotation: view, ..Forms::fresh(&webhook) };
            render(&app, &frame, &caller, &webhook, &forms, (DeliveryQuery::first(), None)).await
        }
    }
}
