//! POST /settings/webhooks/{id}/enable, /disable, /delete, /test and /deliveries/{delivery_id}/redeliver
//!
//! A form that was brought back after signing in is not acted upon: its page shows the button again.

use std::sync::Arc;

use app::{App, Error, FreshCaller, WebhookChange};
use axum::extract::State;
use domain::access::ManageBrand;
use domain::{AlertDeliveryId, Change, WebhookId};
use web::{Caller, PathId, PathIds, Result};

use super::{DELETED, DISABLED, ENABLED, PATH, REDELIVERED, TESTED};
use crate::form::Form;
use crate::frame::Frame;
use crate::{prove, response};

pub async fn enable(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.find_webhook(&caller, WebhookId(id)).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("{PATH}/{id}"), None));
    }
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    switch(&app, &fresh, WebhookId(id), &form, true).await?;
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((&ENABLED, None))))
}

pub async fn disable(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.find_webhook(&caller, WebhookId(id)).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("{PATH}/{id}"), None));
    }
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    switch(&app, &fresh, WebhookId(id), &form, false).await?;
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((&DISABLED, None))))
}

async fn switch(
    app: &App,
    caller: &FreshCaller<ManageBrand>,
    id: WebhookId,
    form: &Form,
    enabled: bool,
) -> Result<(), Error> {
    let change = WebhookChange {
        name: Change::Keep,
        url: Change::Keep,
        alerts: Change::Keep,
        enabled: Change::Set(enabled),
    };
    app.change_webhook(caller, id, &form.if_match(), change).await?;
    Ok(())
}

pub async fn delete(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.find_webhook(&caller, WebhookId(id)).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("{PATH}/{id}"), None));
    }
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    app.delete_webhook(&fresh, WebhookId(id), &form.if_match()).await?;
    Ok(response::redirect(PATH, Some((&DELETED, None))))
}

pub async fn test(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("{PATH}/{id}"), None));
    }
    app.test_webhook(&caller, WebhookId(id)).await?;
    Ok(response::redirect(&format!("{PATH}/{id}#deliveries"), Some((&TESTED, None))))
}

pub async fn redeliver(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathIds(id, delivery): PathIds,
    form: Form,
) -> Result {
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("{PATH}/{id}"), None));
    }
    app.redeliver(&caller, WebhookId(id), AlertDeliveryId(delivery)).await?;
    Ok(response::redirect(&format!("{PATH}/{id}#deliveries"), Some((&REDELIVERED, None))))
}
