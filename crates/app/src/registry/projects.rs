//! Projects of the registry.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{
    Change, ListRequest, Listing, Name, NewProject, Project, ProjectFilter, ProjectId, StoredResponse,
    Timestamp,
};
use serde_json::{Value, json};
use store::Tx;

use crate::platform::audit::AuditEntry;
use crate::registry::listing::ListQuery;
use crate::{App, Caller, Editor, Error, Idempotent, IfMatch, unrestricted};

#[derive(Clone, Debug, Default)]
pub struct ProjectChange {
    pub name: Change<Name>,
    /// The project's code in the brand's own records.
    pub code: Change<Option<Name>>,
    pub archived: Change<bool>,
}

#[macros::boxed]
impl App {
    /// Lists a page of the projects that the caller sees, in an order or as they changed, with the total if requested.
    pub async fn list_projects(
        &self,
        caller: &Caller<ReadRegistry>,
        filter: &ProjectFilter,
        request: &ListRequest,
    ) -> Result<Listing<Project>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let query = ListQuery::new(&mut tx, scope, request).await?;
        let filter = ProjectFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let slice = tx.projects(scope).slice(&filter, query.sorting, &request.window).await?;
        let total = match request.include_total {
            true => Some(tx.projects(scope).count(&filter).await?),
            false => None,
        };
        let changes = query.changes(&slice);
        Ok(Listing::new(slice, total, changes))
    }

    /// Finds those of these projects that the caller sees.
    pub async fn find_projects_by_id(
        &self,
        caller: &Caller<ReadRegistry>,
        ids: &[ProjectId],
    ) -> Result<Vec<Project>, Error> {
        Ok(self.store.read().await?.projects(caller.scope()).among(ids).await?)
    }

    /// Finds a project that the caller sees.
    pub async fn find_project(&self, caller: &Caller<ReadRegistry>, id: ProjectId) -> Result<Project, Error> {
        let found = self.store.read().await?.projects(caller.scope()).find(id).await?;
        found.ok_or_else(|| Error::not_found("project"))
    }

    /// Refuses a project that the caller does not see, before the request body is read. Returns when it was created, which the body may
    /// repeat.
    pub async fn check_project(
        &self,
        caller: &Caller<WriteRegistry>,
        id: ProjectId,
    ) -> Result<Timestamp, Error> {
        let found = self.store.read().await?.projects(caller.scope()).find(id).await?;
        found.map(|project| project.created_at).ok_or_else(|| Error::not_found("project"))
    }

    /// Adds a project. Restricted callers may not, because they would not see it.
    pub async fn create_project(
        &self,
        caller: &Caller<WriteRegistry>,
        new: &NewProject,
        idempotent: Idempotent<'_, Project>,
    ) -> Result<StoredResponse, Error> {
        caller.editor().require_unrestricted(unrestricted::ADD_PROJECT)?;
        self.run_idempotent(idempotent, async |tx| {
            tx.lock_and_bump_registry(caller.scope()).await?;
            self.add_project(tx, &caller.editor(), new).await
        })
        .await
    }

    /// Adds a project in a transaction that has already locked the registry.
    pub(crate) async fn add_project(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        new: &NewProject,
    ) -> Result<Project, Error> {
        let project = tx.projects(editor.scope).add(new, self.clock.now()).await?;
        let entry = editor.audit_entry().on("project.created", "project", project.id.0);
        self.record_audit(tx, entry.with_details(json!({ "after": audit_fields(&project) }))).await?;
        Ok(project)
    }

    /// Changes a project. Archiving and restoring are changes too.
    pub async fn change_project(
        &self,
        caller: &Caller<WriteRegistry>,
        id: ProjectId,
        if_match: &IfMatch,
        change: ProjectChange,
    ) -> Result<Project, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // The brand's lock comes first: adding a worksite takes it before it locks the project.
        tx.lock_and_bump_registry(caller.scope()).await?;
        let found = tx.projects(caller.scope()).find(id).await?;
        let before = found.ok_or_else(|| Error::not_found("project"))?;
        if_match.check(before.version)?;
        let stored = |text: &str| Name::parse_stored(text).map_err(Error::internal);
        let code = before.code.as_deref().map(stored).transpose()?;
        let to = NewProject {
            name: change.name.or(stored(&before.name)?),
            code: change.code.or(code),
            archived_at: match change.archived {
                Change::Keep => before.archived_at,
                Change::Set(false) => None,
                Change::Set(true) => Some(before.archived_at.unwrap_or(now)),
            },
        };
        let is_same = (to.name.as_str(), to.code.as_ref().map(Name::as_str), to.archived_at)
            == (&*before.name, before.code.as_deref(), before.archived_at);
        if is_same {
            return Ok(before);
        }
        let after = tx.projects(caller.scope()).change(id, &to, now).await?;
        let entry = AuditEntry::by_caller(caller).on("project.changed", "project", id.0);
        self.record_audit(
            &mut tx,
            entry.with_details(json!({ "before": audit_fields(&before), "after": audit_fields(&after) })),
        )
        .await?;
        tx.commit().await?;
        Ok(after)
    }
}

/// Returns what the audit log stores of a project.
fn audit_fields(project: &Project) -> Value {
    json!({ "name": project.name, "code": project.code, "archived_at": project.archived_at })
}
