//! GET and POST /settings/webhooks/{id}

use std::sync::Arc;

use app::{App, WebhookChange};
use axum::extract::State;
use domain::access::ManageBrand;
use domain::{Change, WebhookId};
use web::{Caller, Params, PathId, Result};

use super::deliveries::DeliveryQuery;
use super::page::{Forms, render};
use super::{KINDS, PATH, SAVED, read, view_of};
use crate::form::Form;
use crate::frame::Frame;
use crate::{prove, response};

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    PathId(id): PathId,
    Params(query): Params<DeliveryQuery>,
) -> Result {
    let webhook = app.find_webhook(&caller, WebhookId(id)).await?;
    render(&app, &frame, &caller, &webhook, &Forms::fresh(&webhook), (query, None)).await
}

pub async fn save(
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
    let saved = match form.read(KINDS, read) {
        Ok((name, url, alerts)) => {
            let change = WebhookChange {
                name: Change::Set(name),
                url: Change::Set(url),
                alerts: Change::Set(alerts),
                enabled: Change::Keep,
            };
            app.change_webhook(&fresh, WebhookId(id), &form.if_match(), change).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(Some(&webhook)));
            let forms = Forms { status: view.status, change: view, ..Forms::fresh(&webhook) };
            render(&app, &frame, &caller, &webhook, &forms, (DeliveryQuery::first(), None)).await
        }
    }
}
