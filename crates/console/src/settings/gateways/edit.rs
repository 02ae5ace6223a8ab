//! One gateway: its fields and its token.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceId, Gateway};
use texts::console::settings::{self as s, gateways as t};
use web::{Caller, PathId, Result};

use super::{KINDS, PATH, SAVED, fields_of, read_change};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::FormPart;
use crate::settings::token_panel::TokenPanel;
use crate::{response, settings};

#[derive(Template)]
#[template(path = "settings/gateways/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    device: &'a Gateway,
    /// None for a reader who may only look.
    form: Option<FormPart>,
    /// None for a reader who may only look.
    token: Option<TokenPanel>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let device = app.find_gateway(&caller, DeviceId(id)).await?;
    render(&app, &frame, &caller, &device, &view_of(&device), None).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let device = app.find_gateway(&caller, DeviceId(id)).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_gateway(&caller, DeviceId(id), &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(&device));
            render(&app, &frame, &caller, &device, &view, None).await
        }
    }
}

/// The form as it is filled from the stored gateway.
pub fn view_of(device: &Gateway) -> FormView {
    FormView::new(vec![("name", device.name.clone())])
}

/// Shows the page; `secret` is a token that was issued just now.
pub async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageDevices>,
    device: &Gateway,
    view: &FormView,
    secret: Option<String>,
) -> Result {
    let path = format!("{PATH}/{}", device.id);
    let (form, token) = match settings::is_unrestricted(frame) {
        true => {
            let form = FormPart::new(path.clone(), view, fields_of(frame, view), frame.text(s::SAVE))
                .changing(device.version)
                .cancelled_at(PATH);
            let token = TokenPanel::new(app, frame, caller, path, device.token.as_ref(), secret).await;
            (Some(form), Some(token))
        }
        false => (None, None),
    };
    response::page_with(view.status, frame, &EditPage { frame, device, form, token })
}
