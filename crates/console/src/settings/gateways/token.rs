//! The token of a gateway: it is issued, shown once, rotated and revoked.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceId, DeviceKind};
use web::{Caller, PathId, Result};

use super::{PATH, REVOKED, edit};
use crate::form::Form;
use crate::frame::Frame;
use crate::settings::token_panel;
use crate::{prove, response};

/// Issues a token and shows it. Whoever sends the form twice, by a double click or a reload, issues one: a second one would end the first.
/// It is not shown again, because only a hash of it is stored.
pub async fn issue(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.find_gateway(&caller, DeviceId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let once = response::made(form.once(&frame), |device: &DeviceId| format!("{PATH}/{device}"));
    let (stored, issued) =
        app.issue_device_token_once(&fresh, (DeviceKind::Gateway, DeviceId(id)), once).await?;
    let Some(issued) = issued else { return Ok(token_panel::issued_before(stored)) };
    let device = app.find_gateway(&caller, DeviceId(id)).await?;
    edit::render(&app, &frame, &caller, &device, &edit::view_of(&device), Some(issued.secret)).await
}

pub async fn revoke(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.find_gateway(&caller, DeviceId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    app.revoke_device_token(&fresh, (DeviceKind::Gateway, DeviceId(id))).await?;
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((&REVOKED, None))))
}
