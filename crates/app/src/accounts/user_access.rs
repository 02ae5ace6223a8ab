//! Changes that admins make to the users of their brand.

use domain::access::{ManageAlerts, ManageUsers};
use domain::{Change, Name, PauseReason, Permission, ProjectId, Role, User, UserId, UserState};
use serde_json::{Value, json};
use store::Tx;

use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, ErrorKind, FreshCaller, IfMatch, UserWithProjects};

#[derive(Clone, Debug, Default)]
pub struct UserChange {
    pub name: Change<Name>,
    pub role: Change<Role>,
    /// The only projects that the user sees, or `None` for all.
    pub projects: Change<Option<Vec<ProjectId>>>,
}

#[macros::boxed]
impl App {
    pub async fn find_user_of_brand(
        &self,
        caller: &Caller<ManageUsers>,
        id: UserId,
    ) -> Result<UserWithProjects, Error> {
        let mut tx = self.store.read().await?;
        self.find_user_with_projects(&mut tx, caller, id).await
    }

    pub async fn change_user(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
        if_match: &IfMatch,
        change: UserChange,
    ) -> Result<UserWithProjects, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // The brand's lock comes first: it keeps two admins from removing each other concurrently.
        tx.lock_and_bump_registry(caller.scope()).await?;
        let (before, projects) = self.find_manageable_user(&mut tx, caller, id).await?;
        if_match.check(before.version)?;
        let wanted_projects = change.projects.clone().or(projects.clone());
        caller.check_grant(change.role.or(before.role), wanted_projects.as_deref())?;
        let mut is_changed = false;
        if let Change::Set(name) = &change.name
            && name.as_str() != before.name
        {
            tx.users_of(caller.scope()).rename(id, name, now).await?;
            is_changed = true;
        }
        if let Change::Set(role) = change.role
            && role != before.role
        {
            self.require_another_admin(&mut tx, caller, &before).await?;
            tx.users(&self.platform).set_access(id, role, before.state, now).await?;
            if role < ManageAlerts::MIN_ROLE {
                self.orphan_alerts_of(&mut tx, before.brand, id).await?;
            }
            is_changed = true;
        }
        if let Change::Set(wanted) = &change.projects
            && *wanted != projects
        {
            if wanted.is_some() && !before.restricted {
                self.require_another_admin(&mut tx, caller, &before).await?;
            }
            self.restrict(&mut tx, id, wanted.as_deref()).await?;
            is_changed = true;
        }
        if !is_changed {
            return Ok((before, projects));
        }
        let after = self.find_user_with_projects(&mut tx, caller, id).await?;
        let entry = AuditEntry::by_caller(caller).on("user.changed", "user", id.0).with_details(json!({
            "before": audit_fields(&before, projects.as_deref()),
            "after": audit_fields(&after.0, after.1.as_deref()),
        }));
        let names = json!({ "before": { "name": before.name }, "after": { "name": after.0.name } });
        self.record_audit(&mut tx, entry.with_personal(&names)).await?;
        self.commit_access_change(tx).await?;
        Ok(after)
    }

    /// Locks a user out immediately: their sessions and links end, their schedules pause, and their alerts go on as the admins'.
    /// Deactivating twice is fine.
    pub async fn deactivate_user(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
    ) -> Result<UserWithProjects, Error> {
        self.set_user_state(caller, id, "user.deactivated", |_| UserState::Deactivated).await
    }

    /// Reactivates a user. One who never chose a password is invited again. Reactivating twice is fine.
    pub async fn reactivate_user(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
    ) -> Result<UserWithProjects, Error> {
        let reactivated_state =
            |has_password| if has_password { UserState::Active } else { UserState::Invited };
        self.set_user_state(caller, id, "user.reactivated", reactivated_state).await
    }

    /// Ends all sessions of a user, who may sign in again. Returns how many were open.
    pub async fn end_user_sessions(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
    ) -> Result<u64, Error> {
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        self.find_manageable_user(&mut tx, caller, id).await?;
        let ended = tx.sessions(&self.platform).end_all_of(id, self.clock.now()).await?;
        let entry = AuditEntry::by_caller(caller).on("user.sessions_ended", "user", id.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "sessions_ended": ended }))).await?;
        self.commit_access_change(tx).await?;
        Ok(ended)
    }

    async fn set_user_state(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
        action: &'static str,
        to: impl FnOnce(bool) -> UserState,
    ) -> Result<UserWithProjects, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        let (before, projects) = self.find_manageable_user(&mut tx, caller, id).await?;
        let secret = tx.users(&self.platform).by_id_locked(id).await?;
        let to = to(secret.is_some_and(|found| found.password_hash.is_some()));
        let is_reactivation = to != UserState::Deactivated;
        if before.state == to || (is_reactivation && before.state != UserState::Deactivated) {
            return Ok((before, projects));
        }
        if !is_reactivation {
            self.require_another_admin(&mut tx, caller, &before).await?;
            tx.sessions(&self.platform).end_all_of(id, now).await?;
            tx.account_links(&self.platform).end_by_user(id, now).await?;
            let reason = PauseReason::AuthorDeactivated;
            tx.report_schedules(caller.scope()).pause_of_author(id, reason, now).await?;
            self.orphan_alerts_of(&mut tx, before.brand, id).await?;
        }
        tx.users(&self.platform).set_access(id, before.role, to, now).await?;
        let entry = AuditEntry::by_caller(caller).on(action, "user", id.0);
        let details = json!({ "before": { "state": before.state }, "after": { "state": to } });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        let after = self.find_user_with_projects(&mut tx, caller, id).await?;
        self.commit_access_change(tx).await?;
        Ok(after)
    }

    /// Refuses to remove the last admin of a brand who can sign in, because nobody could undo it.
    async fn require_another_admin(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageUsers>,
        user: &User,
    ) -> Result<(), Error> {
        let is_admin = user.role == Role::Admin && user.state == UserState::Active;
        let mut users = tx.users_of(caller.scope());
        // An admin who sees only some projects cannot manage the whole brand.
        let is_last = is_admin
            && (users.count_active_admins().await? <= 1
                || (!user.restricted && users.count_unrestricted_admins().await? <= 1));
        if is_last {
            return Err(Error::new(
                ErrorKind::Conflict,
                "last_admin",
                "This is the last admin of the brand who can sign in, or the last who sees all of it. Appoint another one first.",
            ));
        }
        Ok(())
    }

    /// Restricts a user to projects of their brand, or lifts the restriction.
    pub(crate) async fn restrict(
        &self,
        tx: &mut Tx,
        id: UserId,
        projects: Option<&[ProjectId]>,
    ) -> Result<(), Error> {
        refuse_foreign(tx.users(&self.platform).restrict(id, projects, self.clock.now()).await?)
    }

    /// Restricts a user who was added in this transaction. Their record stays at its first version.
    pub(crate) async fn restrict_new(
        &self,
        tx: &mut Tx,
        id: UserId,
        projects: &[ProjectId],
    ) -> Result<(), Error> {
        refuse_foreign(tx.users(&self.platform).restrict_new(id, projects).await?)
    }

    /// Finds a user whom the caller may change: nobody changes users with more rights than their own.
    pub(crate) async fn find_manageable_user(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageUsers>,
        id: UserId,
    ) -> Result<UserWithProjects, Error> {
        let (user, projects) = self.find_user_with_projects(tx, caller, id).await?;
        caller.check_manageable(&user, projects.as_deref())?;
        Ok((user, projects))
    }

    pub(crate) async fn find_user_with_projects(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageUsers>,
        id: UserId,
    ) -> Result<UserWithProjects, Error> {
        let found = tx.users_of(caller.scope()).find(id).await?;
        let user = found.ok_or_else(|| Error::not_found("user"))?;
        let projects =
            if user.restricted { Some(tx.users(&self.platform).projects(user.id).await?) } else { None };
        Ok((user, projects))
    }
}

/// Returns what the audit log stores of a user beside their name.
fn audit_fields(user: &User, projects: Option<&[ProjectId]>) -> Value {
    json!({ "role": user.role, "state": user.state, "project_ids": projects })
}

/// Refuses a project that is not of the user's brand.
fn refuse_foreign(project: Option<ProjectId>) -> Result<(), Error> {
    match project {
        Some(foreign) => {
            let text = format!("{foreign} is not a project of the user's brand");
            Err(Error::missing_relation("project_ids", "unknown_project", text))
        }
        None => Ok(()),
    }
}
