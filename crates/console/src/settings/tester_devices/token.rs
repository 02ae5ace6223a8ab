//! The token of a tester device: it is issued, shown once, rotated and revoked.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceId, DeviceKind};
use web::{Caller, PathId, Result};

use super::{PATH, REVOKED, edit};
use crate::form::Form;
use crate::frame::Frame;
use crate::{prove, response};

/// Issues a token and shows it. A reload sends the form again, which the browser asks about.
pub async fn issue(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.find_tester_device(&caller, DeviceId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let issued = app.issue_device_token(&fresh, (DeviceKind::Tester, DeviceId(id))).await?;
    let device = app.find_tester_device(&caller, DeviceId(id)).await?;
    edit::render(&app, &frame, &caller, &device, &edit::view_of(&device), Some(issued.secret)).await
}

pub async fn revoke(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.find_tester_device(&caller, DeviceId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    app.revoke_device_token(&fresh, (DeviceKind::Tester, DeviceId(id))).await?;
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((&REVOKED, None))))
}
