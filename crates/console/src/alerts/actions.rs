//! POST /alerts/{id}/enable, /disable, /delete and /test
//!
//! A form that was brought back after signing in is not acted upon: its page shows the button again.

use std::sync::Arc;

use app::{AlertChange, App, Error};
use axum::extract::State;
use domain::AlertRuleId;
use domain::access::{ManageAlerts, ReadInsights};
use web::{Caller, PathId, Result};

use super::{DELETED, DISABLED, ENABLED, TESTED};
use crate::done::Done;
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn enable(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    switch(&app, &frame, &caller, id, &form, true).await?;
    Ok(back(id, &form, (&ENABLED, None)))
}

pub async fn disable(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    switch(&app, &frame, &caller, id, &form, false).await?;
    Ok(back(id, &form, (&DISABLED, Some(id))))
}

async fn switch(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageAlerts>,
    id: i64,
    form: &Form,
    enabled: bool,
) -> Result<(), Error> {
    let stored = app.find_alert(&frame.caller::<ReadInsights>()?, AlertRuleId(id)).await?;
    if form.has("_resumed") {
        return Ok(());
    }
    let mut to = stored.to_new()?;
    to.enabled = enabled;
    let change = AlertChange { to, changes_terms: false };
    app.change_alert(caller, stored.rule.id, &form.if_match(), change).await?;
    Ok(())
}

/// Leads back to the alert, which says what was done.
fn back(id: i64, form: &Form, done: (&'static Done, Option<i64>)) -> axum::response::Response {
    let done = (!form.has("_resumed")).then_some(done);
    response::redirect(&format!("/alerts/{id}"), done)
}

pub async fn delete(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_alert(&frame.caller::<ReadInsights>()?, AlertRuleId(id)).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("/alerts/{id}"), None));
    }
    app.delete_alert(&caller, stored.rule.id, &form.if_match()).await?;
    Ok(response::redirect("/alerts", Some((&DELETED, None))))
}

/// Sends a message that is marked as a test.
pub async fn test(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_alert(&frame.caller::<ReadInsights>()?, AlertRuleId(id)).await?;
    if !form.has("_resumed") {
        app.test_alert(&caller, stored.rule.id).await?;
    }
    Ok(back(id, &form, (&TESTED, None)))
}
