//! Builds the resource objects of worksites and their included resources.

use std::collections::HashMap;

use app::{App, Caller, Error};
use domain::access::ReadRegistry;

use super::{ListedWorksite, Worksite};
use crate::json_api::{
    Identifier, Include, Included, Linkage, MAX_INCLUDED, ResourceObject, too_many_included,
};
use crate::{machines, projects};

/// Builds the resource object of a single worksite, with its boundary.
pub fn object(mut site: domain::Worksite) -> ResourceObject {
    // The text was serialised here, as JSON.
    let boundary = site.boundary.take().and_then(|kept| serde_json::from_str(&kept.text).ok());
    let (id, project) = (site.id.0, site.project);
    with_project(
        ResourceObject::with_all_attributes(id, &Worksite { listed: listed(site), boundary }),
        project,
    )
}

/// Builds the resource object of a worksite that is listed or included, without its boundary.
pub fn listed_object(site: domain::Worksite) -> ResourceObject {
    let (id, project) = (site.id.0, site.project);
    with_project(ResourceObject::with_list_attributes::<Worksite>(id, &listed(site)), project)
}

/// Builds the resource objects of a list and adds what `include` asks for, with one query for each step of a path.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    sites: Vec<domain::Worksite>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    let (ids, owners): (Vec<_>, Vec<_>) = sites.iter().map(|site| (site.id, site.project)).unzip();
    let mut shown: Vec<_> = sites.into_iter().map(listed_object).collect();
    let along = IncludeSource { worksite_ids: &ids, project_ids: &owners };
    along.add_included(app, caller, &mut shown, include, included).await?;
    Ok(shown)
}

/// Builds the resource object of one worksite and adds what `include` asks for.
pub async fn object_with_included(
    app: &App,
    caller: &Caller<ReadRegistry>,
    site: domain::Worksite,
    include: &Include,
    included: &mut Included,
) -> Result<ResourceObject, Error> {
    let (id, owner) = (site.id, site.project);
    let mut shown = [object(site)];
    let along = IncludeSource { worksite_ids: &[id], project_ids: &[owner] };
    along.add_included(app, caller, &mut shown, include, included).await?;
    let [shown] = shown;
    Ok(shown)
}

/// The worksites of a document, in its order, and the projects they belong to.
struct IncludeSource<'a> {
    worksite_ids: &'a [domain::WorksiteId],
    project_ids: &'a [Option<domain::ProjectId>],
}

impl IncludeSource<'_> {
    async fn add_included(
        self,
        app: &App,
        caller: &Caller<ReadRegistry>,
        shown: &mut [ResourceObject],
        include: &Include,
        included: &mut Included,
    ) -> Result<(), Error> {
        if include.includes("project") {
            let mut wanted: Vec<_> = self.project_ids.iter().copied().flatten().collect();
            wanted.sort_unstable();
            wanted.dedup();
            if !wanted.is_empty() {
                for project in app.find_projects_by_id(caller, &wanted).await? {
                    included.add(projects::object(project));
                }
            }
        }
        if include.includes("machines") {
            let found = app.machines_at_worksites(caller, self.worksite_ids, MAX_INCLUDED as i64 + 1).await?;
            if found.len() > MAX_INCLUDED {
                return Err(too_many_included("machines"));
            }
            let mut linked: HashMap<_, Vec<_>> = HashMap::new();
            for machine in found {
                let at = machine.worksite.as_ref().map(|(id, _)| *id);
                let object = machines::object(machine);
                linked.entry(at).or_default().push(object.identifier());
                included.add(object);
            }
            for (object, id) in shown.iter_mut().zip(self.worksite_ids) {
                object.link("machines", Linkage::Many(linked.remove(&Some(*id)).unwrap_or_default()));
            }
        }
        Ok(())
    }
}

fn with_project(mut object: ResourceObject, project: Option<domain::ProjectId>) -> ResourceObject {
    let project = project.map(|id| Identifier::new(projects::DEFINITION.kind, id.0));
    object.link("project", Linkage::One(project));
    object
}

fn listed(site: domain::Worksite) -> ListedWorksite {
    ListedWorksite {
        name: site.name,
        colour: site.colour,
        kind: site.kind,
        time_zone: site.time_zone,
        area_m2: site.area_m2,
        technical_contact: site.technical_contact,
        archived: site.archived_at.is_some(),
        archived_at: site.archived_at,
        created_at: site.created_at,
        updated_at: site.updated_at,
    }
}
