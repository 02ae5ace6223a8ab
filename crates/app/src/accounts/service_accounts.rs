//! Service accounts, as admins manage them: programs that call V2 with a role and a token of their own.

use domain::access::ManageUsers;
use domain::{
    Change, Invalid, Name, NewServiceAccount, Page, PageRequest, ProjectId, Role,
    SERVICE_ACCOUNT_MAX_LIFETIME, ServiceAccount, ServiceAccountFilter, ServiceToken, StoredResponse,
    Timestamp, UserId,
};
use serde_json::{Value, json};
use store::{Scope, Tx};

use crate::platform::audit::AuditEntry;
use crate::platform::duplicates::map_duplicate;
use crate::{App, Caller, Error, ErrorKind, FreshCaller, Idempotent, IfMatch};

#[derive(Clone, Debug, Default)]
pub struct ServiceAccountChange {
    pub name: Change<Name>,
    pub role: Change<Role>,
    /// The only projects that the account sees, or `None` for all.
    pub projects: Change<Option<Vec<ProjectId>>>,
    pub expires_at: Change<Timestamp>,
}

/// A service account with the projects it is restricted to, or `None` if it sees all.
pub type ServiceAccountWithProjects = (ServiceAccount, Option<Vec<ProjectId>>);

#[macros::boxed]
impl App {
    /// Lists a page of the service accounts that see no more than the caller, and the total if requested.
    pub async fn list_service_accounts(
        &self,
        caller: &Caller<ManageUsers>,
        filter: &ServiceAccountFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<ServiceAccountWithProjects>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let found = tx.service_accounts(scope).page(filter, page).await?;
        let total = if include_total { Some(tx.service_accounts(scope).count(filter).await?) } else { None };
        let restricted = found.rows.iter().filter(|account| account.restricted).map(|account| account.id);
        let mut projects = tx.users(&self.platform).projects_of(&restricted.collect::<Vec<_>>()).await?;
        let with_projects = |account: ServiceAccount| {
            let own = account.restricted.then(|| projects.remove(&account.id).unwrap_or_default());
            (self.without_expired_tokens(account), own)
        };
        let rows = found.rows.into_iter().map(with_projects).collect();
        Ok((Page { rows, next: found.next }, total))
    }

    pub async fn find_service_account(
        &self,
        caller: &Caller<ManageUsers>,
        id: UserId,
    ) -> Result<ServiceAccountWithProjects, Error> {
        let mut tx = self.store.read().await?;
        self.find_service_account_in(&mut tx, caller.scope(), id).await
    }

    /// Adds a service account. It can do nothing until it has a token.
    pub async fn create_service_account(
        &self,
        caller: &FreshCaller<ManageUsers>,
        new: &NewServiceAccount,
        idempotent: Idempotent<'_, ServiceAccountWithProjects>,
    ) -> Result<StoredResponse, Error> {
        caller.check_grant(new.role, new.projects.as_deref())?;
        self.run_idempotent(idempotent, async |tx| {
            tx.lock_and_bump_registry(caller.scope()).await?;
            self.add_service_account(tx, caller.scope(), new, AuditEntry::by_caller(caller)).await
        })
        .await
    }

    /// Adds a service account in a transaction that has already locked the registry.
    pub(crate) async fn add_service_account(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        new: &NewServiceAccount,
        entry: AuditEntry<'_>,
    ) -> Result<ServiceAccountWithProjects, Error> {
        self.check_expiry(new.expires_at)?;
        // Blanks keep it from being an email address, and the random part from being that of another account.
        let email_key = format!("service account {}", self.generate_secret());
        let added = tx.service_accounts(scope).add(new, &email_key, self.clock.now()).await;
        let id = map_duplicate(added, name_taken)?;
        if let Some(projects) = &new.projects {
            self.restrict_new(tx, id, projects).await?;
        }
        let details = json!({ "after": audit_fields(new) });
        let entry = entry.on("service_account.created", "service_account", id.0);
        self.record_audit(tx, entry.with_details(details)).await?;
        self.find_service_account_in(tx, scope, id).await
    }

    /// Changes a service account. Its tokens have the new role and projects at once. A wider role or more projects end the tokens that
    /// others have issued: they were shown to people who may not have that access. An earlier expiry also applies to tokens that were
    /// issued before, a later one only to new tokens.
    pub async fn change_service_account(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
        if_match: &IfMatch,
        change: ServiceAccountChange,
    ) -> Result<ServiceAccountWithProjects, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let before = self.find_service_account_in(&mut tx, scope, id).await?;
        if_match.check(before.0.version)?;
        let stored = NewServiceAccount {
            name: Name::parse_stored(&before.0.name).map_err(Error::internal)?,
            role: before.0.role,
            projects: before.1.clone(),
            expires_at: before.0.expires_at,
        };
        let to = NewServiceAccount {
            name: change.name.or(stored.name.clone()),
            role: change.role.or(stored.role),
            projects: change.projects.or(stored.projects.clone()),
            expires_at: change.expires_at.or(stored.expires_at),
        };
        caller.check_grant(to.role, to.projects.as_deref())?;
        if to == stored {
            return Ok(before);
        }
        require_not_archived(&before.0)?;
        if to.expires_at != stored.expires_at {
            self.check_expiry(to.expires_at)?;
        }
        map_duplicate(tx.service_accounts(scope).change(id, &to, now).await, name_taken)?;
        if to.projects != stored.projects {
            self.restrict(&mut tx, id, to.projects.as_deref()).await?;
        }
        if to.expires_at < stored.expires_at {
            tx.service_tokens(&self.platform).limit_expiry(id, to.expires_at).await?;
        }
        let ended = match is_wider(&to, &stored) {
            true => {
                let issuer = caller.identity.user;
                tx.service_tokens(&self.platform).revoke_all_of_others(id, issuer, now).await?
            }
            false => 0,
        };
        let details =
            json!({ "before": audit_fields(&stored), "after": audit_fields(&to), "tokens_ended": ended });
        let entry = AuditEntry::by_caller(caller).on("service_account.changed", "service_account", id.0);
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        let after = self.find_service_account_in(&mut tx, scope, id).await?;
        self.commit_access_change(tx).await?;
        Ok(after)
    }

    /// Archives a service account for good: its tokens end at once, and what it has made stays. Archiving twice is fine.
    pub async fn archive_service_account(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
    ) -> Result<ServiceAccountWithProjects, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let before = self.find_service_account_in(&mut tx, scope, id).await?;
        if before.0.archived_at.is_some() {
            return Ok(before);
        }
        let ended = tx.service_tokens(&self.platform).revoke_all_of(id, now).await?;
        tx.service_accounts(scope).archive(id, now).await?;
        let entry = AuditEntry::by_caller(caller).on("service_account.archived", "service_account", id.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "tokens_ended": ended }))).await?;
        let after = self.find_service_account_in(&mut tx, scope, id).await?;
        self.commit_access_change(tx).await?;
        Ok(after)
    }

    pub(crate) async fn find_service_account_in(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        id: UserId,
    ) -> Result<ServiceAccountWithProjects, Error> {
        let found = tx.service_accounts(scope).find(id).await?;
        let account = found.ok_or_else(|| Error::not_found("service account"))?;
        let projects = if account.restricted {
            Some(tx.users(&self.platform).projects(account.id).await?)
        } else {
            None
        };
        Ok((self.without_expired_tokens(account), projects))
    }

    fn without_expired_tokens(&self, account: ServiceAccount) -> ServiceAccount {
        let now = self.clock.now();
        let is_valid = |token: &ServiceToken| token.expires_at > now;
        ServiceAccount {
            token: account.token.filter(is_valid),
            previous_token: account.previous_token.filter(is_valid),
            ..account
        }
    }

    fn check_expiry(&self, expires_at: Timestamp) -> Result<(), Error> {
        let now = self.clock.now();
        if expires_at > now && expires_at <= now + SERVICE_ACCOUNT_MAX_LIFETIME {
            return Ok(());
        }
        let invalid = Invalid::new("out_of_range", "must be in the future, and at most two years from now");
        Err(Error::invalid_field("expires_at", invalid))
    }
}

/// Refuses an account that has been archived.
pub(crate) fn require_not_archived(account: &ServiceAccount) -> Result<(), Error> {
    match account.archived_at {
        Some(_) => Err(Error::new(
            ErrorKind::Conflict,
            "service_account_archived",
            "The service account has been archived for good. Create another one.",
        )),
        None => Ok(()),
    }
}

/// Whether an account would have a higher role than before, or see more projects.
fn is_wider(to: &NewServiceAccount, than: &NewServiceAccount) -> bool {
    let sees_more = match (&to.projects, &than.projects) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(to), Some(than)) => to.iter().any(|project| !than.contains(project)),
    };
    to.role > than.role || sees_more
}

fn name_taken() -> Error {
    Error::invalid_field("name", Invalid::new("name_taken", "is the name of another service account"))
}

/// Returns what the audit log stores of a service account.
fn audit_fields(account: &NewServiceAccount) -> Value {
    json!({
        "name": account.name,
        "role": account.role,
        "project_ids": account.projects,
        "expires_at": account.expires_at,
    })
}
