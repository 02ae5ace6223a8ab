//! Adds related resources to the `included` member of a document, with one query for each type. Resources that the caller may not see are
//! left out.

use app::{App, Caller, Error};
use domain::access::ReadRegistry;
use domain::{BaseStationId, MachineId, PersonId, ProjectId, TagId, WorksiteId};

use crate::json_api::Included;
use crate::{base_stations, machines, people, projects, tags, worksites};

pub async fn include_projects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    ids: Vec<ProjectId>,
    included: &mut Included,
) -> Result<(), Error> {
    let Some(ids) = each_once(ids) else { return Ok(()) };
    let found = app.find_projects_by_id(caller, &ids).await?;
    found.into_iter().map(projects::object).for_each(|one| included.add(one));
    Ok(())
}

pub async fn include_worksites(
    app: &App,
    caller: &Caller<ReadRegistry>,
    ids: Vec<WorksiteId>,
    included: &mut Included,
) -> Result<(), Error> {
    let Some(ids) = each_once(ids) else { return Ok(()) };
    let found = app.find_worksites_by_id(caller, &ids).await?;
    found.into_iter().map(worksites::listed_object).for_each(|one| included.add(one));
    Ok(())
}

pub async fn include_machines(
    app: &App,
    caller: &Caller<ReadRegistry>,
    ids: Vec<MachineId>,
    included: &mut Included,
) -> Result<(), Error> {
    let Some(ids) = each_once(ids) else { return Ok(()) };
    let found = app.find_machines_by_id(caller, &ids).await?;
    found.into_iter().map(machines::object).for_each(|one| included.add(one));
    Ok(())
}

pub async fn include_base_stations(
    app: &App,
    caller: &Caller<ReadRegistry>,
    ids: Vec<BaseStationId>,
    included: &mut Included,
) -> Result<(), Error> {
    let Some(ids) = each_once(ids) else { return Ok(()) };
    let found = app.find_base_stations_by_id(caller, &ids).await?;
    found.into_iter().map(base_stations::object).for_each(|one| included.add(one));
    Ok(())
}

pub async fn include_people(
    app: &App,
    caller: &Caller<ReadRegistry>,
    ids: Vec<PersonId>,
    included: &mut Included,
) -> Result<(), Error> {
    let Some(ids) = each_once(ids) else { return Ok(()) };
    let found = app.find_people_by_id(&caller.reader(), &ids).await?;
    found.into_iter().map(people::object).for_each(|one| included.add(one));
    Ok(())
}

pub async fn include_tags(
    app: &App,
    caller: &Caller<ReadRegistry>,
    ids: Vec<TagId>,
    included: &mut Included,
) -> Result<(), Error> {
    let Some(ids) = each_once(ids) else { return Ok(()) };
    let found = app.find_tags_by_id(&caller.reader(), &ids).await?;
    found.into_iter().map(tags::object).for_each(|one| included.add(one));
    Ok(())
}

/// Returns the ids in order and each once, or none if there are none.
fn each_once<T: Ord>(mut ids: Vec<T>) -> Option<Vec<T>> {
    ids.sort_unstable();
    ids.dedup();
    (!ids.is_empty()).then_some(ids)
}
