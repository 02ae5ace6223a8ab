//! GET and POST /sites/{id}/edit

use std::sync::Arc;

use app::{App, WorksiteChange};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Change, Colour, Name, ProjectId, TimeZone, Timestamp, Worksite, WorksiteId, WorksiteKind};
use geography::Boundary;
use texts::console::sites as t;
use web::{BodyField, Caller, Fields, PathId, Result};

use super::form_page::{KINDS, Purpose, render};
use super::{SAVED, zone_of};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::response;

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let site = app.find_worksite(&frame.caller::<ReadRegistry>()?, WorksiteId(id)).await?;
    let view = view_of(&site);
    render(&app, &frame, &view, purpose(&frame, &site, &view)).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let site = app.find_worksite(&frame.caller::<ReadRegistry>()?, WorksiteId(id)).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_worksite(&caller, site.id, &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("/sites/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(&site));
            render(&app, &frame, &view, purpose(&frame, &site, &view)).await
        }
    }
}

/// The form as it is filled from the stored worksite.
fn view_of(site: &Worksite) -> FormView {
    FormView::new(vec![
        ("name", site.name.clone()),
        ("kind", site.kind.as_str().to_owned()),
        ("project_id", site.project.map(|project| project.to_string()).unwrap_or_default()),
        ("time_zone", site.time_zone.clone()),
        ("technical_contact", site.technical_contact.clone().unwrap_or_default()),
        ("colour", site.colour.clone()),
        ("boundary", site.boundary.as_ref().map(|boundary| boundary.text.clone()).unwrap_or_default()),
    ])
}

fn purpose(frame: &Frame, site: &Worksite, view: &FormView) -> Purpose {
    Purpose {
        title: frame.fill(t::EDIT_OF, &[("name", &site.name)]),
        to: format!("/sites/{}/edit", site.id),
        cancel: format!("/sites/{}", site.id),
        site: site.id.to_string(),
        once: None,
        version: Some(view.version(site.version)),
        zone: zone_of(site),
    }
}

fn read_change(fields: &mut Fields) -> Option<WorksiteChange> {
    let name = fields.change("name", Name::from_json);
    let kind = fields.change("kind", WorksiteKind::from_json);
    let project = fields.change_optional("project_id", ProjectId::from_json);
    let time_zone = fields.change("time_zone", TimeZone::from_json);
    let technical_contact = fields.change_optional("technical_contact", Name::from_json);
    // A colour that is left out stays as it is.
    let colour = fields.optional("colour", Colour::from_json);
    let boundary = fields.change_optional("boundary", Boundary::from_json);
    let effective_from = fields.optional("effective_from", Timestamp::from_json);
    Some(WorksiteChange {
        name: name?,
        colour: colour?.map_or(Change::Keep, Change::Set),
        kind: kind?,
        technical_contact: technical_contact?,
        time_zone: time_zone?,
        boundary: boundary?,
        project: project?,
        archived: Change::Keep,
        effective_from: effective_from?,
    })
}
