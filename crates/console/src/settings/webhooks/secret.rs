//! POST /settings/webhooks/{id}/rotate: the secret is replaced and shown once. For a while the one before stays valid.

use std::sync::Arc;

use app::{App, ShownOnce, WebhookView};
use axum::extract::State;
use domain::access::ManageBrand;
use domain::{Span, WebhookId};
use web::{Caller, Fields, PathId, Result};

use super::deliveries::DeliveryQuery;
use super::page::{Forms, MAX_OVERLAP_HOURS, render};
use super::{PATH, ROTATED_BEFORE};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::{prove, response};

const KINDS: &[(&str, Kind)] = &[("overlap_hours", Kind::Number)];

fn read(fields: &mut Fields) -> Option<i64> {
    fields.required("overlap_hours", web::integer_within(0..=MAX_OVERLAP_HOURS))
}

/// Replaces the secret and shows the new one. Whoever sends the form twice, by a double click or a reload, replaces it once: a second
/// replacement would end the original secret. A second click shows the same new one; later it is not shown again.
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
        Ok(hours) => {
            let place = move |_: &WebhookView| format!("{PATH}/{id}");
            let once = response::made(form.once(&frame), place);
            app.rotate_webhook_secret_once(&fresh, WebhookId(id), Span::minutes(hours * 60), once).await
        }
        Err(error) => Err(error),
    };
    match rotated {
        Ok(ShownOnce { answer, secret: None }) => {
            Ok(response::redirect(&response::stored_location(answer), Some((&ROTATED_BEFORE, None))))
        }
        Ok(ShownOnce { secret, .. }) => {
            let webhook = app.find_webhook(&caller, WebhookId(id)).await?;
            let forms = Forms::fresh(&webhook);
            render(&app, &frame, &caller, &webhook, &forms, (DeliveryQuery::first(), secret)).await
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            let forms = Forms { status: view.status, rotation: view, ..Forms::fresh(&webhook) };
            render(&app, &frame, &caller, &webhook, &forms, (DeliveryQuery::first(), None)).await
        }
    }
}
