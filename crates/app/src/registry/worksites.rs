//! Worksites of the registry.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{
    Change, Colour, Invalid, ListRequest, Listing, Name, NewWorksite, Permission, ProjectId, Slice, Sorting,
    StoredBoundary, StoredResponse, TimeZone, Timestamp, Window, Worksite, WorksiteFilter, WorksiteId,
    WorksiteKind, encode_hex,
};
use geography::{Boundary, Position};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{Projects, TermChange, Tx};

use crate::people::worksite_presence::{MachineAtWorksite, list_machines_at_worksite};
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::LinkChange;
use crate::registry::effective_dates::check_effective_from;
use crate::registry::listing::DepartingListQuery;
use crate::registry::worksite_terms::ProjectsOverTime;
use crate::{App, Caller, Editor, Error, Idempotent, IfMatch};

/// Maximum number of worksites around a position that a list considers, the smallest first.
const MAX_CONTAINING_SITES: usize = 1_000;

#[derive(Clone, Debug)]
pub struct WorksiteCreation {
    pub name: Name,
    /// The colour in which it is drawn; `None` means one of a palette, by the name.
    pub colour: Option<Colour>,
    pub kind: WorksiteKind,
    /// Name of the contact for technical questions.
    pub technical_contact: Option<Name>,
    /// The time zone that determines its local days.
    pub time_zone: TimeZone,
    pub boundary: Option<Boundary>,
    pub project: Option<ProjectId>,
    /// Time from which time zone, boundary and project apply; `None` means now.
    pub effective_from: Option<Timestamp>,
}

impl From<WorksiteCreation> for NewWorksite {
    fn from(creation: WorksiteCreation) -> Self {
        Self {
            colour: creation.colour.unwrap_or_else(|| Colour::from_palette(creation.name.as_str())),
            name: creation.name,
            kind: creation.kind,
            technical_contact: creation.technical_contact,
            time_zone: creation.time_zone,
            boundary: creation.boundary.as_ref().map(stored_boundary),
            project: creation.project,
            archived_at: None,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct WorksiteChange {
    pub name: Change<Name>,
    /// The colour in which it is drawn.
    pub colour: Change<Colour>,
    pub kind: Change<WorksiteKind>,
    /// Name of the contact for technical questions.
    pub technical_contact: Change<Option<Name>>,
    /// The time zone that determines its local days.
    pub time_zone: Change<TimeZone>,
    pub boundary: Change<Option<Boundary>>,
    pub project: Change<Option<ProjectId>>,
    pub archived: Change<bool>,
    /// Time from which time zone, boundary and project apply; `None` means now.
    pub effective_from: Option<Timestamp>,
}

/// The result of deleting a worksite.
#[derive(Clone, Debug)]
pub enum Deletion {
    /// It had no history and was deleted.
    Deleted(Worksite),
    /// It has history and was archived.
    Archived(Worksite),
}

#[macros::boxed]
impl App {
    /// Lists a page of the worksites that the caller sees, in an order or as they changed, with the total if requested.
    pub async fn list_worksites(
        &self,
        caller: &Caller<ReadRegistry>,
        mut filter: WorksiteFilter,
        contains: Option<Position>,
        request: &ListRequest,
    ) -> Result<Listing<Worksite>, Error> {
        self.filter_by_position(caller, &mut filter, contains).await?;
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let query = DepartingListQuery::new(&mut tx, scope, request, "worksites").await?;
        let filter = WorksiteFilter { rows: query.rows(&filter.rows), ..filter };
        let slice = match query.window() {
            Some(window) => tx.worksites(scope).slice(&filter, query.sorting(), window).await?,
            None => Slice::empty(),
        };
        let total = match request.include_total {
            true => Some(tx.worksites(scope).count(&filter).await?),
            false => None,
        };
        let departures = match query.departures(&slice) {
            Some(request) => Some(tx.worksites(scope).departures(&request).await?),
            None => None,
        };
        Ok(query.listing(slice, total, departures))
    }

    /// Lists a slice of the worksites that the caller sees, in any order and from either end.
    pub async fn slice_worksites<P: Permission>(
        &self,
        caller: &Caller<P>,
        mut filter: WorksiteFilter,
        contains: Option<Position>,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Worksite>, Error> {
        self.filter_by_position(caller, &mut filter, contains).await?;
        Ok(self.store.read().await?.worksites(caller.scope()).slice(&filter, sorting, window).await?)
    }

    /// Lists the active worksites of these projects that the caller sees, by name, up to `max`.
    pub async fn worksites_of_projects<P: Permission>(
        &self,
        caller: &Caller<P>,
        projects: &[ProjectId],
        max: i64,
    ) -> Result<Vec<Worksite>, Error> {
        Ok(self.store.read().await?.worksites(caller.scope()).of_projects(projects, max).await?)
    }

    /// Finds those of these worksites that the caller sees, archived or not, without boundaries.
    pub async fn find_worksites_by_id(
        &self,
        caller: &Caller<ReadRegistry>,
        ids: &[WorksiteId],
    ) -> Result<Vec<Worksite>, Error> {
        Ok(self.store.read().await?.worksites(caller.scope()).among(ids).await?)
    }

    /// Narrows a filter to the worksites whose boundary contains a position.
    async fn filter_by_position<P: Permission>(
        &self,
        caller: &Caller<P>,
        filter: &mut WorksiteFilter,
        contains: Option<Position>,
    ) -> Result<(), Error> {
        if let Some(position) = contains {
            let mut containing = self.site_index(caller.identity.brand()).await?.sites_containing(position);
            containing.truncate(MAX_CONTAINING_SITES);
            filter.around = Some((format!("{position:?}"), containing));
        }
        Ok(())
    }

    /// Finds a worksite that the caller sees.
    pub async fn find_worksite(
        &self,
        caller: &Caller<ReadRegistry>,
        id: WorksiteId,
    ) -> Result<Worksite, Error> {
        let found = self.store.read().await?.worksites(caller.scope()).find(id).await?;
        found.ok_or_else(|| Error::not_found("worksite"))
    }

    /// Finds a worksite with its boundary, now or at a time. Without a time, the machines there are included.
    pub async fn find_worksite_geo(
        &self,
        caller: &Caller<ReadRegistry>,
        id: WorksiteId,
        at: Option<Timestamp>,
    ) -> Result<(Worksite, Option<Boundary>, Vec<MachineAtWorksite>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.worksites(caller.scope()).find(id).await?;
        let site = found.ok_or_else(|| Error::not_found("worksite"))?;
        let stored = match at {
            None => site.boundary.clone(),
            Some(at) => tx.worksite_terms(caller.scope()).boundary_at(id, at).await?,
        };
        let boundary = stored.map(|kept| {
            Boundary::from_stored(&kept.text, kept.area_m2)
                .ok_or_else(|| Error::internal(format!("cannot read the boundary of worksite {id}")))
        });
        let boundary = boundary.transpose()?;
        let machines = match at {
            None => list_machines_at_worksite(&mut tx, caller.scope(), id, boundary.as_ref()).await?,
            Some(_) => Vec::new(),
        };
        Ok((site, boundary, machines))
    }

    /// Refuses a worksite that the caller does not see, before the request body is read: 404 comes before faults of the body, and an
    /// invalid body must not take the brand's lock. [`App::change_worksite`] reads the worksite again under the lock, because it may
    /// change while the body arrives, and returns the row as it has been written. Returns when the worksite was created, which the body
    /// may repeat.
    pub async fn check_worksite(
        &self,
        caller: &Caller<WriteRegistry>,
        id: WorksiteId,
    ) -> Result<Timestamp, Error> {
        let found = self.store.read().await?.worksites(caller.scope()).find_without_boundary(id).await?;
        found.map(|site| site.created_at).ok_or_else(|| Error::not_found("worksite"))
    }

    /// Adds a worksite. Restricted callers must give one of their projects.
    pub async fn create_worksite(
        &self,
        caller: &Caller<WriteRegistry>,
        creation: WorksiteCreation,
        idempotent: Idempotent<'_, Worksite>,
    ) -> Result<StoredResponse, Error> {
        let effective_from = creation.effective_from;
        let new = NewWorksite::from(creation);
        self.run_idempotent(idempotent, async |tx| {
            let scope = caller.scope();
            let now = self.clock.now();
            let from = effective_from.map_or(Ok(now), |given| check_effective_from(given, now))?;
            tx.lock_and_bump_registry(scope).await?;
            self.check_project_of_site(tx, caller, new.project).await?;
            let id = self.add_worksite(tx, &caller.editor(), &new, from).await?;
            let made = tx.worksites(scope).find(id).await?;
            made.ok_or_else(|| Error::not_found("worksite"))
        })
        .await
    }

    /// Adds a worksite whose project has been checked, in a transaction that has already locked the registry.
    pub(crate) async fn add_worksite(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        new: &NewWorksite,
        from: Timestamp,
    ) -> Result<WorksiteId, Error> {
        let now = self.clock.now();
        let id = tx.worksites(editor.scope).add(new, now).await?;
        let (zone, boundary) = (&new.time_zone, new.boundary.as_ref());
        tx.worksite_terms(editor.scope).add(id, from, zone, boundary, new.project, now).await?;
        self.guard_site(tx, editor.scope, id, from, boundary.is_some()).await?;
        self.enqueue_reattribution(tx, editor.scope, LinkChange::Sites, from).await?;
        let entry = editor.audit_entry().on("worksite.created", "worksite", id.0);
        let entry = entry.with_details(json!({ "after": audit_fields(new), "effective_from": from }));
        self.record_audit(tx, with_contact(entry, None, Some(new))).await?;
        Ok(id)
    }

    /// Changes a worksite. Archiving and restoring are changes too.
    pub async fn change_worksite(
        &self,
        caller: &Caller<WriteRegistry>,
        id: WorksiteId,
        if_match: &IfMatch,
        change: WorksiteChange,
    ) -> Result<Worksite, Error> {
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        let (after, changed) = self.change_worksite_in(&mut tx, caller, id, if_match, change).await?;
        if changed {
            tx.commit().await?;
        }
        Ok(after)
    }

    /// Changes a worksite in a transaction that has already locked the registry. Returns whether anything changed.
    pub(crate) async fn change_worksite_in(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        id: WorksiteId,
        if_match: &IfMatch,
        change: WorksiteChange,
    ) -> Result<(Worksite, bool), Error> {
        let scope = caller.scope();
        let now = self.clock.now();
        let found = tx.worksites(scope).find(id).await?;
        let before = found.ok_or_else(|| Error::not_found("worksite"))?;
        if_match.check(before.version)?;
        let was = stored_values(&before)?;
        let terms = terms_of(&change);
        if let Some(project) = terms.project
            && (project != was.project || project.is_none())
        {
            self.check_project_of_site(tx, caller, project).await?;
        }
        let to = NewWorksite {
            name: change.name.or(was.name.clone()),
            colour: change.colour.or(was.colour.clone()),
            kind: change.kind.or(was.kind),
            technical_contact: change.technical_contact.or(was.technical_contact.clone()),
            time_zone: terms.time_zone.clone().unwrap_or_else(|| was.time_zone.clone()),
            boundary: terms.boundary.clone().unwrap_or_else(|| was.boundary.clone()),
            project: terms.project.unwrap_or(was.project),
            archived_at: match change.archived {
                Change::Keep => was.archived_at,
                Change::Set(false) => None,
                Change::Set(true) => Some(was.archived_at.unwrap_or(now)),
            },
        };
        let projects = ProjectsOverTime::read(tx, scope, id, was.project).await?;
        let amended = self.amend_terms(tx, caller, id, &terms, change.effective_from).await?;
        if to == was && amended.is_none() {
            return Ok((before, false));
        }
        if amended.is_some() || to.project != was.project {
            // A change in the past moves visits to another project even if the current project stays.
            let amended_projects = ProjectsOverTime::read(tx, scope, id, to.project).await?;
            for (period, left) in projects.changed_periods(&amended_projects) {
                tx.visitor_sessions(scope).record_project_change(id, period, left).await?;
            }
        }
        if to.project != was.project {
            tx.worksites(scope).record_project_change(id).await?;
        }
        if to.name != was.name {
            tx.worksites(scope).mark_references(id).await?;
        }
        let after = tx.worksites(scope).change(id, &to, now).await?;
        let mut details = json!({ "before": audit_fields(&was), "after": audit_fields(&to) });
        if let Some(amended) = amended {
            details["terms"] = amended;
        }
        let entry = AuditEntry::by_caller(caller).on("worksite.changed", "worksite", id.0);
        self.record_audit(tx, with_contact(entry.with_details(details), Some(&was), Some(&to))).await?;
        if to.archived_at.is_some() && was.archived_at.is_none() {
            self.unassign_machines(tx, caller, id).await?;
        }
        if to.archived_at != was.archived_at {
            // Once it is restored, facts from the time while it was archived belong to it again.
            let since = was.archived_at.unwrap_or(now);
            self.guard_site(tx, scope, id, since, true).await?;
            self.enqueue_reattribution(tx, scope, LinkChange::Sites, since).await?;
        }
        Ok((after, true))
    }

    /// Deletes a worksite without history, or archives one with history.
    pub async fn delete_worksite(
        &self,
        caller: &Caller<WriteRegistry>,
        id: WorksiteId,
        if_match: &IfMatch,
    ) -> Result<Deletion, Error> {
        let scope = caller.scope();
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let found = tx.worksites(scope).find(id).await?;
        let before = found.ok_or_else(|| Error::not_found("worksite"))?;
        if_match.check(before.version)?;
        let was = stored_values(&before)?;
        if !tx.worksites(scope).has_history(id).await? {
            tx.worksites(scope).remove(id).await?;
            let entry = AuditEntry::by_caller(caller).on("worksite.deleted", "worksite", id.0);
            let entry = entry.with_details(json!({ "before": audit_fields(&was) }));
            self.record_audit(&mut tx, with_contact(entry, Some(&was), None)).await?;
            tx.commit().await?;
            return Ok(Deletion::Deleted(before));
        }
        if before.archived_at.is_some() {
            return Ok(Deletion::Archived(before));
        }
        let to = NewWorksite { archived_at: Some(now), ..was.clone() };
        let after = tx.worksites(scope).change(id, &to, now).await?;
        let entry = AuditEntry::by_caller(caller).on("worksite.changed", "worksite", id.0);
        self.record_audit(
            &mut tx,
            entry.with_details(json!({ "before": audit_fields(&was), "after": audit_fields(&to) })),
        )
        .await?;
        self.unassign_machines(&mut tx, caller, id).await?;
        self.guard_site(&mut tx, scope, id, now, true).await?;
        self.enqueue_reattribution(&mut tx, scope, LinkChange::Sites, now).await?;
        tx.commit().await?;
        Ok(Deletion::Archived(after))
    }

    /// Ends the assignments of all machines at a worksite that is being archived.
    async fn unassign_machines(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        id: WorksiteId,
    ) -> Result<(), Error> {
        for open in tx.machine_assignments(caller.scope()).open_at(id).await? {
            self.move_machine(tx, caller, open.machine, None, None).await?;
            tx.machines(caller.scope()).touch(open.machine, self.clock.now()).await?;
        }
        Ok(())
    }

    /// Refuses a project that the caller does not see or that is archived. Restricted callers must give one, because they would not see
    /// a worksite without a project.
    async fn check_project_of_site(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        project: Option<ProjectId>,
    ) -> Result<(), Error> {
        let refused = |code, text| Error::invalid_field("project_id", Invalid::new(code, text));
        let Some(project) = project else {
            if *caller.scope().projects() == Projects::All {
                return Ok(());
            }
            return Err(refused("required", "is required: you see only worksites of your projects"));
        };
        let unknown =
            || Error::missing_relation("project_id", "unknown_project", "is not a project that you see");
        let found = tx.projects(caller.scope()).find(project).await?.ok_or_else(unknown)?;
        if found.archived_at.is_some() {
            return Err(refused("project_archived", "has been archived"));
        }
        Ok(())
    }
}

/// Returns the part of a change that concerns the terms.
fn terms_of(change: &WorksiteChange) -> TermChange {
    let set = |boundary: &Option<Boundary>| boundary.as_ref().map(stored_boundary);
    TermChange {
        time_zone: match &change.time_zone {
            Change::Keep => None,
            Change::Set(zone) => Some(zone.clone()),
        },
        boundary: match &change.boundary {
            Change::Keep => None,
            Change::Set(boundary) => Some(set(boundary)),
        },
        project: match change.project {
            Change::Keep => None,
            Change::Set(project) => Some(project),
        },
    }
}

/// Returns a boundary in the form in which it is stored.
pub fn stored_boundary(boundary: &Boundary) -> StoredBoundary {
    StoredBoundary { text: boundary.to_stored(), area_m2: boundary.area_m2() }
}

/// Returns the stored values of a worksite, to be changed and written back.
fn stored_values(site: &Worksite) -> Result<NewWorksite, Error> {
    let name = |text: &str| Name::parse_stored(text).map_err(Error::internal);
    Ok(NewWorksite {
        name: name(&site.name)?,
        colour: Colour::parse(&site.colour).map_err(Error::internal)?,
        kind: site.kind,
        technical_contact: site.technical_contact.as_deref().map(name).transpose()?,
        time_zone: TimeZone::parse(&site.time_zone).map_err(Error::internal)?,
        boundary: site.boundary.clone(),
        project: site.project,
        archived_at: site.archived_at,
    })
}

/// Adds the technical contact to the personal part of the entry, which can be erased. Does nothing if the contact stays the same.
fn with_contact<'a>(
    entry: AuditEntry<'a>,
    before: Option<&NewWorksite>,
    after: Option<&NewWorksite>,
) -> AuditEntry<'a> {
    let contact = |site: Option<&NewWorksite>| site.and_then(|site| site.technical_contact.clone());
    let (before, after) = (contact(before), contact(after));
    if before == after {
        return entry;
    }
    entry.with_personal(&json!({ "technical_contact": { "before": before, "after": after } }))
}

/// Returns what the audit log stores of a worksite. A boundary may be long, so only its area and hash are included.
fn audit_fields(site: &NewWorksite) -> Value {
    let boundary = site.boundary.as_ref().map(|stored| {
        let hash = Sha256::digest(&stored.text);
        json!({ "area_m2": stored.area_m2, "sha256": encode_hex(&hash) })
    });
    json!({
        "name": site.name,
        "colour": site.colour,
        "kind": site.kind,
        "time_zone": site.time_zone,
        "boundary": boundary,
        "project_id": site.project,
        "archived_at": site.archived_at,
    })
}
