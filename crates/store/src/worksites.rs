//! Worksites as they are now. What was true of them when stands in their terms.

use domain::{ProjectId, Timestamp, WorksiteId};

use crate::row::{FromRow, Row};
use crate::statement::sql;
use crate::{Error, Scope, Tx};

/// A worksite.
#[derive(Clone, Debug)]
pub struct Worksite {
    /// Its id.
    pub id: WorksiteId,
    /// What it is called.
    pub name: String,
    /// The project it belongs to.
    pub project: Option<ProjectId>,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

impl FromRow for Worksite {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            project: row.get("project_id")?,
            archived_at: row.get("archived_at")?,
        })
    }
}

/// The worksites of a brand that the scope shows.
pub struct Worksites<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The worksites of a brand that the scope shows.
    pub fn worksites<'a>(&'a mut self, scope: &'a Scope) -> Worksites<'a> {
        Worksites(self, scope)
    }
}

impl Worksites<'_> {
    /// The one of that id.
    pub async fn find(&mut self, id: WorksiteId) -> Result<Option<Worksite>, Error> {
        let statement = sql!("select id, name, project_id, archived_at from worksites")
            .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()])
            .within(self.1.projects(), "project_id");
        self.0.optional(statement).await
    }
}
