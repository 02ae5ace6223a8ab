//! Builds the resource objects of projects and their included resources.

use std::collections::HashMap;

use app::{App, Caller, Error};
use domain::access::ReadRegistry;

use super::Project;
use crate::json_api::{Include, Included, Linkage, MAX_INCLUDED, ResourceObject, too_many_included};
use crate::worksites as sites;

/// Builds the resource object of a project.
pub fn object(project: domain::Project) -> ResourceObject {
    let attributes = Project {
        name: project.name,
        code: project.code,
        archived: project.archived_at.is_some(),
        archived_at: project.archived_at,
        created_at: project.created_at,
        updated_at: project.updated_at,
    };
    ResourceObject::with_all_attributes(project.id.0, &attributes)
}

/// Builds the resource objects of a list and adds what `include` asks for, with one query for each step of a path.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    projects: Vec<domain::Project>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if !include.includes("worksites") {
        return Ok(projects.into_iter().map(object).collect());
    }
    let ids: Vec<_> = projects.iter().map(|project| project.id).collect();
    let sites = app.worksites_of_projects(caller, &ids, MAX_INCLUDED as i64 + 1).await?;
    if sites.len() > MAX_INCLUDED {
        return Err(too_many_included("worksites"));
    }
    let owners: Vec<_> = sites.iter().map(|site| site.project).collect();
    let shown = sites::objects(app, caller, sites, &include.nested("worksites"), included).await?;
    let mut linked: HashMap<_, Vec<_>> = HashMap::new();
    for (owner, site) in owners.into_iter().zip(shown) {
        linked.entry(owner).or_default().push(site.identifier());
        included.add(site);
    }
    let with_links = projects.into_iter().map(|project| {
        let sites = linked.remove(&Some(project.id)).unwrap_or_default();
        let mut object = object(project);
        object.link("worksites", Linkage::Many(sites));
        object
    });
    Ok(with_links.collect())
}
