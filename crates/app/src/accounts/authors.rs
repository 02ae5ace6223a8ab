//! Users on whose behalf a job works, with the access that they have when it runs.

use domain::access::ReadNames;
use domain::{BrandId, Permission, UserId, UserState};
use store::{Projects, Scope};

use crate::insights::QueryScope;
use crate::{App, Caller, Error, Names};

/// A user on whose behalf a job works, with their current access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Author {
    pub user: UserId,
    pub scope: Scope,
    pub names: Names,
}

impl Author {
    /// Returns the caller as the author of what they request.
    pub(crate) fn of_caller<P: Permission>(caller: &Caller<P>) -> Self {
        Self { user: caller.identity.user, scope: caller.scope().clone(), names: caller.names() }
    }

    pub(crate) fn query_scope(&self) -> QueryScope<'_> {
        QueryScope { scope: &self.scope, names: self.names }
    }
}

/// Why someone may no longer do what they asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorLookup {
    Deactivated,
    PermissionMissing,
}

impl AuthorLookup {
    /// Returns the reason that is stored in rows and sent in API responses.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Deactivated => "user_deactivated",
            Self::PermissionMissing => "permission_missing",
        }
    }
}

impl App {
    /// Returns the current access of a user or service account that needs a permission.
    pub(crate) async fn load_author<P: Permission>(
        &self,
        brand: BrandId,
        user: UserId,
    ) -> Result<Result<Author, AuthorLookup>, Error> {
        let whole_brand = self.scope_of(brand);
        let mut tx = self.store.read().await?;
        let found = tx.users_of(&whole_brand).find_owner(user).await?;
        let Some(user) = found.filter(|user| user.state == UserState::Active) else {
            return Ok(Err(AuthorLookup::Deactivated));
        };
        if user.role < P::MIN_ROLE {
            return Ok(Err(AuthorLookup::PermissionMissing));
        }
        let viewers_see_names = tx.brand_settings(&whole_brand).await?.values.viewers_see_names;
        let names = match user.role >= ReadNames::MIN_ROLE || viewers_see_names {
            true => Names::Shown,
            false => Names::Hidden,
        };
        let projects = match user.restricted {
            true => Projects::Only(tx.users(&self.platform).projects(user.id).await?),
            false => Projects::All,
        };
        Ok(Ok(Author { user: user.id, scope: self.platform.scope(brand, projects), names }))
    }
}
