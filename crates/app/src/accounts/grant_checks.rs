//! Checks that callers grant no more than they have: whom they may invite, change or act for is decided here.

use domain::{Permission, ProjectId, Role, User};
use store::Projects;

use crate::accounts::restricted_error::{require_unrestricted, restricted};
use crate::{Caller, Error};

impl<P: Permission> Caller<P> {
    /// Refuses a restricted caller an action that concerns the whole brand. Use cases check that themselves; pages do so before they read
    /// a form that they would not show again to this caller.
    pub fn require_unrestricted(&self, action: &str) -> Result<(), Error> {
        require_unrestricted(self.scope(), action)
    }

    /// Refuses to grant more than the caller has. `projects` are the only ones that the grantee would see, `None` means all.
    pub(crate) fn check_grant(&self, role: Role, projects: Option<&[ProjectId]>) -> Result<(), Error> {
        if role <= self.identity.role && self.covers(projects) {
            return Ok(());
        }
        Err(restricted(
            "You cannot grant more than you have: choose from the projects that you are restricted to.",
        ))
    }

    /// Refuses to manage a user who has more rights than the caller.
    pub(crate) fn check_manageable(&self, user: &User, projects: Option<&[ProjectId]>) -> Result<(), Error> {
        if user.role <= self.identity.role && self.covers(projects) {
            return Ok(());
        }
        Err(restricted("This user sees more than the projects you are restricted to."))
    }

    fn covers(&self, projects: Option<&[ProjectId]>) -> bool {
        match (self.scope().projects(), projects) {
            (Projects::All, _) => true,
            (Projects::Only(_), None) => false,
            (Projects::Only(mine), Some(theirs)) => theirs.iter().all(|project| mine.contains(project)),
        }
    }
}
