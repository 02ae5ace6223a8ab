//! One tester device: its fields and its token.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceId, TesterDevice};
use texts::console::tester_devices as t;
use web::{Caller, PathId, Result};

use super::{KINDS, PATH, SAVED, fields_of, read_change};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Choice, FormPart};
use crate::settings::token_panel::TokenPanel;
use crate::{response, settings};

#[derive(Template)]
#[template(path = "settings/tester_devices/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    device: &'a TesterDevice,
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
    let device = app.find_tester_device(&caller, DeviceId(id)).await?;
    render(&app, &frame, &caller, &device, &view_of(&device), None).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let device = app.find_tester_device(&caller, DeviceId(id)).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_tester_device(&caller, DeviceId(id), &form.if_match(), change).await,
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

/// The form as it is filled from the stored device.
pub fn view_of(device: &TesterDevice) -> FormView {
    FormView::new(vec![
        ("name", device.name.clone()),
        ("serial", device.serial.clone().unwrap_or_default()),
        ("worksite_id", device.worksite.as_ref().map(|(id, _)| id.to_string()).unwrap_or_default()),
    ])
}

/// Shows the page; `secret` is a token that was issued just now.
pub async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageDevices>,
    device: &TesterDevice,
    view: &FormView,
    secret: Option<String>,
) -> Result {
    let path = format!("{PATH}/{}", device.id);
    let (form, token) = match settings::is_unrestricted(frame) {
        true => {
            let mut worksites = settings::worksite_choices(app, frame).await?;
            add_current(&mut worksites, device);
            let form =
                FormPart::new(path.clone(), view, fields_of(frame, view, worksites), frame.text(t::SAVE))
                    .changing(device.version)
                    .cancelled_at(PATH);
            let token = TokenPanel::new(app, frame, caller, path, device.token.as_ref(), secret).await;
            (Some(form), Some(token))
        }
        false => (None, None),
    };
    response::page_with(view.status, frame, &EditPage { frame, device, form, token })
}

/// Offers the worksite where the device stands even if it has been archived since, so that saving the form does not move the device.
fn add_current(worksites: &mut Vec<Choice>, device: &TesterDevice) {
    let Some((id, name)) = &device.worksite else { return };
    let value = id.to_string();
    if worksites.iter().all(|choice| choice.value != value) {
        worksites.push(Choice::new(value, name.clone()));
    }
}
