//! Saved views: queries that users store under a name.
//!
//! A view belongs to its owner. Everyone in the brand can see and run a shared view, each within what they may see; for others, a
//! private view does not exist, whatever their role.

mod definition;
mod missing_references;

use domain::access::{ManageBrand, ReadInsights, ShareViews};
use domain::{
    Change, Invalid, Listing, Name, Permission, SavedView, SavedViewFilter, SavedViewId, Sorting,
    StoredResponse, Window,
};
use serde_json::{Value, json};
use store::NewSavedView;

use crate::platform::audit::AuditEntry;
use crate::platform::duplicates::map_duplicate;
use crate::{App, Caller, Error, ErrorKind, Idempotent, IfMatch};

pub use definition::{ViewDefinition, ViewQuery};
pub use missing_references::MissingReference;

const MAX_VIEWS_PER_USER: i64 = 200;

#[derive(Clone, Debug)]
pub struct NewView {
    pub name: Name,
    pub definition: ViewDefinition,
    /// Whether the whole brand can see it.
    pub shared: bool,
}

/// A change of a view. The kind of its definition cannot change.
#[derive(Clone, Debug)]
pub struct ViewChange {
    pub name: Change<Name>,
    pub definition: Change<ViewDefinition>,
    /// Whether the whole brand can see it.
    pub shared: Change<bool>,
}

#[macros::boxed]
impl App {
    /// Lists a page of the views that the caller can see, in any order and from either end, with the total if requested.
    pub async fn list_saved_views(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &SavedViewFilter,
        sorting: Sorting,
        window: &Window,
        include_total: bool,
    ) -> Result<Listing<SavedView>, Error> {
        let mut tx = self.store.read().await?;
        let mut views = tx.saved_views(caller.scope(), caller.identity.user);
        let slice = views.slice(filter, sorting, window).await?;
        let total = if include_total { Some(views.count(filter).await?) } else { None };
        Ok(Listing::new(slice, total, None))
    }

    /// Returns a view that the caller can see.
    pub async fn find_saved_view(
        &self,
        caller: &Caller<ReadInsights>,
        id: SavedViewId,
    ) -> Result<SavedView, Error> {
        let mut tx = self.store.read().await?;
        tx.saved_views(caller.scope(), caller.identity.user).find(id).await?.ok_or_else(view_not_found)
    }

    /// Returns a view that the caller owns, before the body of the change is parsed.
    pub async fn check_saved_view_owner(
        &self,
        caller: &Caller<ReadInsights>,
        id: SavedViewId,
    ) -> Result<SavedView, Error> {
        let view = self.find_saved_view(caller, id).await?;
        check_owner(caller, &view)?;
        Ok(view)
    }

    pub async fn create_saved_view(
        &self,
        caller: &Caller<ReadInsights>,
        new: NewView,
        idempotent: Idempotent<'_, SavedView>,
    ) -> Result<StoredResponse, Error> {
        let (scope, user, now) = (caller.scope(), caller.identity.user, self.clock.now());
        if new.shared {
            check_sharing(caller)?;
        }
        new.definition.check(now)?;
        let row = NewSavedView {
            name: new.name,
            kind: new.definition.kind(),
            definition: new.definition.json,
            shared: new.shared,
        };
        self.run_idempotent(idempotent, async |tx| {
            // One creation at a time: two concurrent ones would both find the last place free.
            tx.users(&self.platform).by_id_locked(user).await?;
            if tx.saved_views(scope, user).count_own().await? >= MAX_VIEWS_PER_USER {
                let detail = format!("You already have {MAX_VIEWS_PER_USER} saved views; delete some.");
                return Err(Error::new(ErrorKind::Conflict, "too_many_views", detail));
            }
            let view = map_duplicate_name(tx.saved_views(scope, user).add(&row, now).await)?;
            let act = AuditEntry::by_caller(caller).on("saved_view.created", "saved_view", view.id.0);
            self.record_audit(tx, act.with_details(json!({ "after": audit_fields(&view) }))).await?;
            Ok(view)
        })
        .await
    }

    /// Changes one of the caller's own views.
    pub async fn change_saved_view(
        &self,
        caller: &Caller<ReadInsights>,
        id: SavedViewId,
        if_match: &IfMatch,
        change: ViewChange,
    ) -> Result<SavedView, Error> {
        let (scope, user, now) = (caller.scope(), caller.identity.user, self.clock.now());
        let mut tx = self.store.begin().await?;
        let before = tx.saved_views(scope, user).find_locked(id).await?.ok_or_else(view_not_found)?;
        check_owner(caller, &before)?;
        if_match.check(before.version)?;
        let definition = match change.definition {
            Change::Keep => before.definition.clone(),
            // One that is sent back as it was read stays, even if it could not be run now.
            Change::Set(definition) if is_same_json(&definition.json, &before.definition) => {
                before.definition.clone()
            }
            Change::Set(definition) => {
                definition.check(now)?;
                definition.json
            }
        };
        let to = NewSavedView {
            name: change.name.or(Name::parse_stored(&before.name).map_err(Error::internal)?),
            kind: before.kind,
            definition,
            shared: change.shared.or(before.shared),
        };
        let is_same = (to.name.as_str(), &to.definition, to.shared)
            == (&*before.name, &before.definition, before.shared);
        if is_same {
            return Ok(before);
        }
        if to.shared {
            check_sharing(caller)?;
        }
        let after = map_duplicate_name(tx.saved_views(scope, user).change(id, &to, now).await)?;
        let act = AuditEntry::by_caller(caller).on("saved_view.changed", "saved_view", id.0);
        self.record_audit(
            &mut tx,
            act.with_details(json!({ "before": audit_fields(&before), "after": audit_fields(&after) })),
        )
        .await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Deletes one of the caller's own views, or a shared one if the caller manages the brand.
    pub async fn delete_saved_view(
        &self,
        caller: &Caller<ReadInsights>,
        id: SavedViewId,
        if_match: &IfMatch,
    ) -> Result<(), Error> {
        let (scope, user) = (caller.scope(), caller.identity.user);
        let mut tx = self.store.begin().await?;
        let view = tx.saved_views(scope, user).find_locked(id).await?.ok_or_else(view_not_found)?;
        if !caller.identity.has_permission::<ManageBrand>() {
            check_owner(caller, &view)?;
        }
        if view.owner != user {
            // In the whole brand: an owner whom the caller cannot see may see more than the caller.
            let owner = tx.users_of(&self.scope_of(scope.brand())).find_owner(view.owner).await?;
            if let Some(owner) = owner {
                let projects = match owner.restricted {
                    true => Some(tx.users(&self.platform).projects(owner.id).await?),
                    false => None,
                };
                caller.check_manageable(&owner, projects.as_deref())?;
            }
        }
        if_match.check(view.version)?;
        tx.saved_views(scope, user).delete(id, self.clock.now()).await?;
        let act = AuditEntry::by_caller(caller).on("saved_view.deleted", "saved_view", id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "before": audit_fields(&view) }))).await?;
        tx.commit().await?;
        Ok(())
    }
}

fn view_not_found() -> Error {
    Error::not_found("saved view")
}

/// Only the owner can change a view.
fn check_owner(caller: &Caller<ReadInsights>, view: &SavedView) -> Result<(), Error> {
    match view.owner == caller.identity.user {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::Forbidden,
            "not_yours",
            "The view belongs to someone else, and only its owner can change it. Save a view of your own.",
        )),
    }
}

/// Only users with the permission to share may change what the whole brand sees.
fn check_sharing(caller: &Caller<ReadInsights>) -> Result<(), Error> {
    if caller.identity.has_permission::<ShareViews>() {
        return Ok(());
    }
    let Error { code, detail, .. } = Error::forbidden(ShareViews::NAME);
    Err(Error::for_field(ErrorKind::Forbidden, "shared", Invalid { code, message: detail }))
}

/// Reports a duplicate name as an error of the field.
fn map_duplicate_name(outcome: Result<SavedView, store::Error>) -> Result<SavedView, Error> {
    map_duplicate(outcome, || {
        let taken = Invalid::new("name_taken", "is already the name of one of your views");
        Error::for_field(ErrorKind::Conflict, "name", taken)
    })
}

/// Returns whether two texts are the same JSON, whatever the order of its members.
fn is_same_json(one: &str, other: &str) -> bool {
    let parsed = |text| serde_json::from_str::<Value>(text).ok();
    one == other || parsed(one).is_some_and(|one| Some(one) == parsed(other))
}

/// Returns the fields for the audit log. Others read it, so that the name of a private view is left out.
fn audit_fields(view: &SavedView) -> Value {
    let name = view.shared.then_some(&view.name);
    json!({ "kind": view.kind.as_str(), "shared": view.shared, "name": name })
}
