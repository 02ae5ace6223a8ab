//! GET and POST /sites/new

use std::sync::Arc;

use app::{App, WorksiteCreation};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Colour, Name, ProjectId, TimeZone, Timestamp, Worksite, WorksiteKind};
use geography::Boundary;
use texts::console::sites as t;
use web::{BodyField, Caller, Fields, Result};

use super::ADDED;
use super::form_page::{KINDS, Purpose, render};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::response;

pub async fn show(State(app): State<Arc<App>>, Caller(_): Caller<WriteRegistry>, frame: Frame) -> Result {
    let view = FormView::new(vec![
        ("time_zone", frame.preferences.time_zone.as_str().to_owned()),
        ("kind", WorksiteKind::Infrastructure.as_str().to_owned()),
    ]);
    render(&app, &frame, &view, purpose(&frame)).await
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    form: Form,
) -> Result {
    let made = match form.read(KINDS, read_new) {
        Ok(new) => {
            let once = response::made(form.once(&frame), |site: &Worksite| format!("/sites/{}", site.id));
            app.create_worksite(&caller, new, once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            render(&app, &frame, &view, purpose(&frame)).await
        }
    }
}

fn purpose(frame: &Frame) -> Purpose {
    Purpose {
        title: frame.text(t::NEW).to_owned(),
        to: "/sites/new".to_owned(),
        cancel: "/sites".to_owned(),
        site: String::new(),
        once: Some(frame.once()),
        version: None,
        zone: frame.preferences.time_zone.clone(),
    }
}

fn read_new(fields: &mut Fields) -> Option<WorksiteCreation> {
    let name = fields.required("name", Name::from_json);
    let kind = fields.required("kind", WorksiteKind::from_json);
    let project = fields.optional("project_id", ProjectId::from_json);
    let time_zone = fields.required("time_zone", TimeZone::from_json);
    let technical_contact = fields.optional("technical_contact", Name::from_json);
    let colour = fields.optional("colour", Colour::from_json);
    let boundary = fields.optional("boundary", Boundary::from_json);
    let effective_from = fields.optional("effective_from", Timestamp::from_json);
    Some(WorksiteCreation {
        name: name?,
        colour: colour?,
        kind: kind?,
        technical_contact: technical_contact?,
        time_zone: time_zone?,
        boundary: boundary?,
        project: project?,
        effective_from: effective_from?,
    })
}
