//! GET /visitors/{id}: one visit, its correction and its incursions.

use std::sync::Arc;

use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{TimeZone, Visit, VisitId};
use texts::console::visitors as t;
use texts::values;
use web::{Caller, Params, PathId, Result};

use super::PATH;
use super::incursions::IncursionsOfVisit;
use super::visits::{state_badge, stay, write_stay};
use crate::entities::parts::actor_name;
use crate::form::FormView;
use crate::frame::Frame;
use crate::machines::{PickerParams, local_input, zone_of_site};
use crate::parts::{Action, Badge, Cell, Choice, Details, Field, FormPart, Input};
use crate::{response, settings};

#[derive(Template)]
#[template(path = "visitors/show.html")]
struct VisitPage<'a> {
    frame: &'a Frame,
    title: String,
    state: Badge,
    details: Details,
    check_out: Option<Action>,
    /// Where the same visitor is checked in again.
    again: Option<String>,
    form: Option<FormPart>,
    incursions: IncursionsOfVisit,
    back: String,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
    Params(PickerParams(_)): Params<PickerParams>,
) -> Result {
    let visit = app.find_visitor_session(&caller.reader(), VisitId(id)).await?;
    render(&app, &frame, &visit, None).await
}

/// Returns the time zone in which the times of a visit are written and entered.
pub async fn zone_of_visit(app: &App, frame: &Frame, visit: &Visit) -> Result<TimeZone, Error> {
    zone_of_site(app, frame, visit.worksite.as_ref().map(|site| site.id)).await
}

/// Shows the page, with the correction as it was sent if it was refused.
pub async fn render(app: &App, frame: &Frame, visit: &Visit, refused: Option<FormView>) -> Result {
    let zone = zone_of_visit(app, frame, visit).await?;
    let may_write = frame.may::<WriteRegistry>();
    let is_open = visit.checked_out_at.is_none();
    let status = refused.as_ref().map_or(http::StatusCode::OK, |view| view.status);
    let form = match may_write {
        true => Some(form(app, frame, visit, &zone, refused).await?),
        false => None,
    };
    let check_out = (may_write && is_open).then(|| Action {
        to: frame.link(&format!("{PATH}/{}/check-out", visit.id)),
        text: frame.text(t::CHECK_OUT).to_owned(),
        is_danger: false,
        hidden: Vec::new(),
    });
    let person = visit.person.id.to_string();
    let page = VisitPage {
        title: frame.fill(t::VISIT_OF, &[("name", &visit.person.name)]),
        state: state_badge(frame, visit),
        details: describe(frame, visit, &zone),
        check_out,
        again: (may_write && !is_open)
            .then(|| frame.link_with("/visitors/check-in", &[("person_id", &person)])),
        form,
        incursions: IncursionsOfVisit::load(app, frame, visit, &zone).await?,
        back: frame.link(PATH),
        frame,
    };
    response::page_with(status, frame, &page)
}

fn describe(frame: &Frame, visit: &Visit, zone: &TimeZone) -> Details {
    let formats = frame.formats();
    let row = |text: texts::Text, cell: Cell| (frame.text(text).to_owned(), cell);
    let person = frame.link(&format!("/people/{}", visit.person.id));
    let site = match &visit.worksite {
        Some(site) => Cell::link(site.name.as_str(), frame.link(&format!("/sites/{}", site.id))),
        None => Cell::text(frame.text(t::NO_SITE)),
    };
    let tag = frame.link(&format!("/settings/tags/{}", visit.tag));
    let mut rows = vec![
        row(t::VISITOR, Cell::link(visit.person.name.as_str(), person)),
        row(values::WORKSITE, site),
        row(values::TAG, Cell::link(visit.tag_serial.as_str(), tag)),
        row(t::SINCE, Cell::text(formats.instant(visit.checked_in_at, zone))),
        row(t::BY_WHOM, Cell::text(actor_name(frame, &visit.checked_in_by))),
    ];
    if let Some(until) = visit.expected_until {
        rows.push(row(t::EXPECTED_UNTIL, Cell::text(formats.instant(until, zone))));
    }
    if let Some(at) = visit.checked_out_at {
        rows.push(row(t::UNTIL, Cell::text(formats.instant(at, zone))));
    }
    if let Some(by) = &visit.checked_out_by {
        rows.push(row(t::OUT_BY_WHOM, Cell::text(actor_name(frame, by))));
    }
    rows.push(row(t::STAY, Cell::text(write_stay(frame, stay(frame, visit)))));
    for (text, value) in [(t::COMPANY, &visit.company), (t::NOTES, &visit.notes)] {
        if let Some(value) = value {
            rows.push(row(text, Cell::text(value.as_str())));
        }
    }
    Details { rows }
}

async fn form(
    app: &App,
    frame: &Frame,
    visit: &Visit,
    zone: &TimeZone,
    refused: Option<FormView>,
) -> Result<FormPart, Error> {
    let local = |at| local_input(at, zone);
    let stored = FormView::new(vec![
        ("worksite_id", visit.worksite.as_ref().map(|site| site.id.to_string()).unwrap_or_default()),
        ("company", visit.company.clone().unwrap_or_default()),
        ("notes", visit.notes.clone().unwrap_or_default()),
        ("expected_until", visit.expected_until.map(local).unwrap_or_default()),
        ("checked_in_at", local(visit.checked_in_at)),
        ("checked_out_at", visit.checked_out_at.map(local).unwrap_or_default()),
    ]);
    let view = &stored.or_refused(frame, refused);
    let mut sites = settings::worksite_choices(app, frame).await?;
    // A site that was archived is not offered to others, but stays that of this visit.
    if let Some(site) = &visit.worksite
        && !sites.iter().any(|choice| choice.value == site.id.to_string())
    {
        sites.push(Choice::new(site.id.to_string(), site.name.as_str()));
    }
    let clock = frame.fill(t::CLOCK_HINT, &[("zone", zone.as_str())]);
    let out_hint = format!("{clock} {}", frame.text(t::STILL_HERE_HINT));
    let mut fields = vec![
        Field::new(frame, view, "checked_in_at", t::CHECKED_IN_AT, Input::DateTime).required().hint(&*clock),
        Field::new(frame, view, "checked_out_at", t::CHECKED_OUT_AT, Input::DateTime).hint(out_hint),
        Field::new(frame, view, "expected_until", t::EXPECTED_UNTIL, Input::DateTime).hint(clock),
        Field::new(frame, view, "worksite_id", t::WORKSITE, Input::Select(sites)),
    ];
    // Who does not see them would remove them.
    if frame.sees_names() {
        fields.push(Field::new(frame, view, "company", t::COMPANY, Input::Text));
        fields.push(Field::new(frame, view, "notes", t::NOTES, Input::Area { rows: 3 }));
    }
    let to = frame.link(&format!("{PATH}/{}", visit.id));
    Ok(FormPart::new(to, view, fields, frame.text(t::SAVE)).changing(visit.version))
}
