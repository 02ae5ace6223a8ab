//! Projects, which group worksites.

use domain::{Name, NewProject, Project, ProjectFilter, ProjectId, Slice, Sorting, Timestamp, Window};

use crate::engine::page::{self, Count};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, OWN_COLUMNS, Sorted};
use crate::registry::listing;
use crate::{Error, Scope, Tx};

const COLUMNS: &str = "select id, name, name_key, code, version, created_at, updated_at, archived_at, registry_version from projects";

impl Sorted for Project {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &str {
        &self.name_key
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// The projects of a brand that are visible in the scope.
pub struct ProjectsOfBrand<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn projects<'a>(&'a mut self, scope: &'a Scope) -> ProjectsOfBrand<'a> {
        ProjectsOfBrand(self, scope)
    }
}

#[macros::boxed]
impl ProjectsOfBrand<'_> {
    pub async fn add(&mut self, new: &NewProject, now: Timestamp) -> Result<Project, Error> {
        self.0
            .one(sql!(
                "insert into projects (brand_id, name, name_key, code, version, created_at, updated_at, archived_at,
                     registry_version)
                 values ($1, $2, $3, $4, 1, $5, $5, $6,
                     (select registry_version from brand_counters where brand_id = $1))
                 returning id, name, name_key, code, version, created_at, updated_at, archived_at",
                self.1.brand(),
                new.name.as_str(),
                new.name.key(),
                new.code.as_ref().map(Name::as_str),
                now,
                new.archived_at
            ))
            .await
    }

    pub async fn find(&mut self, id: ProjectId) -> Result<Option<Project>, Error> {
        let statement = self.of_id(id);
        self.0.optional(statement).await
    }

    fn of_id(&self, id: ProjectId) -> Statement {
        sql!(COLUMNS)
            .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "id")
    }

    /// Changes a project that was found in this transaction.
    pub async fn change(&mut self, id: ProjectId, to: &NewProject, now: Timestamp) -> Result<Project, Error> {
        self.0
            .one(sql!(
                "update projects set name = $3, name_key = $4, code = $5, archived_at = $6, updated_at = $7,
                     version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2
                 returning id, name, name_key, code, version, created_at, updated_at, archived_at",
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.code.as_ref().map(Name::as_str),
                to.archived_at,
                now
            ))
            .await
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &ProjectFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Project>, Error> {
        let list = format!("projects {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows = self.0.all(window::apply_window(statement, &OWN_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Finds projects by id, archived or not, ordered by name.
    pub async fn among(&mut self, ids: &[ProjectId]) -> Result<Vec<Project>, Error> {
        let statement = sql!(COLUMNS)
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "id")
            .and_in_padded("id", ids.iter().copied())
            .push(" order by name_key, id");
        self.0.all(statement).await
    }

    /// Counts the projects that match the filter.
    pub async fn count(&mut self, filter: &ProjectFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from projects"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &ProjectFilter) -> Statement {
        let statement = statement
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "id")
            .push(match (filter.rows.changed, filter.archived) {
                (Some(_), _) => "",
                (None, true) => " and archived_at is not null",
                (None, false) => " and archived_at is null",
            });
        let statement = listing::and_rows(statement, &filter.rows, &OWN_COLUMNS);
        match &filter.q {
            Some(q) => {
                statement.push_with(" and name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}
