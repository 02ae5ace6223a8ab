//! Nobody gives more than they have: one place that decides whom a caller may invite, change, or speak for.

use domain::{Permission, ProjectId, Role};
use store::{Projects, User};

use crate::accounts::restriction::restricted;
use crate::{Caller, Error};

impl<P: Permission> Caller<P> {
    /// Refuses those who see only some projects what concerns the whole brand.
    pub(crate) fn require_unrestricted(&self, action: &str) -> Result<(), Error> {
        match self.scope().projects() {
            Projects::All => Ok(()),
            Projects::Only(_) => {
                Err(restricted(format!("You are restricted to some projects, and so cannot {action}.")))
            }
        }
    }

    /// Refuses to let someone do or see more than the caller does. `projects` are the only ones they would see; none for all.
    pub(crate) fn check_grant(&self, role: Role, projects: Option<&[ProjectId]>) -> Result<(), Error> {
        if role <= self.identity.role && self.covers(projects) {
            return Ok(());
        }
        Err(restricted(
            "Nobody grants more than they have: name projects out of those you are restricted to yourself.",
        ))
    }

    /// Refuses to touch someone who does or sees more than the caller does.
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
