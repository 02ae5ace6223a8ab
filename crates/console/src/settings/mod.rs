//! /settings: devices, registries, people with access, the brand, and what belongs to the reader alone.

mod account_access;
mod audit_log;
mod base_stations;
mod brand;
mod devices;
mod gateways;
mod imports;
mod index;
mod languages;
mod list_page;
mod list_params;
mod machines;
mod menu;
mod password;
mod people;
mod preferences;
mod projects;
mod record_page;
mod second_factor;
mod service_accounts;
mod sessions;
mod tags;
mod tester_devices;
mod token_panel;
mod users;
mod webhooks;

use std::sync::Arc;

use app::{App, Error};
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use domain::access::ReadRegistry;
use domain::{
    Direction, ListOrder, ListRequest, MachineFilter, PageRequest, ProjectFilter, SortKey, Sorting,
    WorksiteFilter, WorksiteId,
};
use texts::console::settings as t;
use web::{Caller, EdgeState, PathId};

use crate::done::Done;
use crate::form::Form;
use crate::frame::Frame;
use crate::parts::Choice;

pub use menu::menu;

/// The maximum number of records that a select offers.
const MAX_CHOICES: u16 = 500;

/// What is read of the request that a button on the page of a record sends.
type Press<P> = (State<Arc<App>>, Caller<P>, Frame, PathId, Form);

pub const DONE: &[Done] = &[
    tester_devices::ADDED,
    tester_devices::SAVED,
    tester_devices::REVOKED,
    token_panel::ISSUED_BEFORE,
    gateways::ADDED,
    gateways::SAVED,
    gateways::REVOKED,
    base_stations::ADDED,
    base_stations::SAVED,
    base_stations::INSTALLED,
    base_stations::REVOKED,
    tags::ADDED,
    tags::SAVED,
    tags::RETIRED,
    tags::REINSTATED,
    tags::HANDED_OUT,
    tags::TAKEN_BACK,
    webhooks::ADDED_BEFORE,
    webhooks::ROTATED_BEFORE,
    webhooks::SAVED,
    webhooks::DELETED,
    webhooks::ENABLED,
    webhooks::DISABLED,
    webhooks::TESTED,
    webhooks::REDELIVERED,
    projects::ADDED,
    projects::SAVED,
    projects::ARCHIVED,
    projects::RESTORED,
    machines::ADDED,
    machines::SAVED,
    machines::ARCHIVED,
    machines::RESTORED,
    people::ADDED,
    people::SAVED,
    people::ARCHIVED,
    people::RESTORED,
    people::ERASED,
    imports::MACHINES,
    imports::PEOPLE,
    imports::TAGS,
    imports::BASE_STATIONS,
    password::CHANGED,
    second_factor::REMOVED,
    second_factor::CONFIRMED_BEFORE,
    users::INVITED,
    users::SAVED,
    users::INVITED_AGAIN,
    users::SESSIONS_ENDED,
    users::FACTOR_RESET,
    users::DEACTIVATED,
    users::REACTIVATED,
    service_accounts::ADDED,
    service_accounts::SAVED,
    service_accounts::ARCHIVED,
    service_accounts::REVOKED,
    service_accounts::ISSUED_BEFORE,
    brand::SAVED,
    brand::LOGO_SAVED,
    brand::LOGO_REMOVED,
    preferences::SAVED,
    preferences::DIMENSIONS_SAVED,
    sessions::ENDED,
    sessions::OTHERS_ENDED,
];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/settings", get(index::show))
        .merge(tester_devices::routes())
        .merge(gateways::routes())
        .merge(base_stations::routes())
        .merge(tags::routes())
        .merge(webhooks::routes())
        .merge(projects::routes())
        .merge(machines::routes())
        .merge(people::routes())
        .merge(users::routes())
        .merge(service_accounts::routes())
        .merge(brand::routes())
        .merge(audit_log::routes())
        .merge(preferences::routes())
        .merge(sessions::routes())
        .route(password::PATH, get(password::show).post(password::save))
        .merge(second_factor::routes())
}

/// The worksites that the reader sees, by name, after a blank choice.
pub async fn worksite_choices(app: &App, frame: &Frame) -> Result<Vec<Choice>, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let found = app.list_worksites(&caller, WorksiteFilter::default(), None, &by_name()).await?;
    let rows = found.rows.into_iter().map(|site| Choice::new(site.id.to_string(), site.name));
    Ok(with_blank(frame, rows))
}

/// The same with the worksite where a record is, which may have been archived since: saving a form must not move the record.
pub async fn worksite_choices_with(
    app: &App,
    frame: &Frame,
    current: Option<&(WorksiteId, String)>,
) -> Result<Vec<Choice>, Error> {
    let mut choices = worksite_choices(app, frame).await?;
    if let Some((id, name)) = current
        && choices.iter().all(|choice| choice.value != id.to_string())
    {
        choices.push(Choice::new(id.to_string(), name.clone()));
    }
    Ok(choices)
}

/// The projects that the reader sees, by name, after a blank choice.
pub async fn project_choices(app: &App, frame: &Frame) -> Result<Vec<Choice>, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let found = app.list_projects(&caller, &ProjectFilter::default(), &by_name()).await?;
    let rows = found.rows.into_iter().map(|project| Choice::new(project.id.to_string(), project.name));
    Ok(with_blank(frame, rows))
}

/// The machines that the reader sees, by name, after a blank choice.
pub async fn machine_choices(app: &App, frame: &Frame) -> Result<Vec<Choice>, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let found = app.list_machines(&caller, &MachineFilter::default(), &by_name()).await?;
    let rows = found.rows.into_iter().map(|machine| Choice::new(machine.id.to_string(), machine.name));
    Ok(with_blank(frame, rows))
}

fn with_blank(frame: &Frame, rows: impl Iterator<Item = Choice>) -> Vec<Choice> {
    std::iter::once(Choice::blank(frame.text(t::NONE))).chain(rows).collect()
}

/// A request for the first records by name, as many as a select offers.
fn by_name() -> ListRequest {
    let order = ListOrder::Sorted(Sorting::by(SortKey::Name, Direction::Ascending));
    ListRequest::of_page(order, &PageRequest { limit: MAX_CHOICES, after: None }, false)
}

/// Whether the reader sees the whole brand. Who is restricted to projects may not manage what serves all of it.
fn is_unrestricted(frame: &Frame) -> bool {
    frame.identity().is_some_and(|identity| identity.project_ids().is_none())
}
