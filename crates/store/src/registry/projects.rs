//! Projects, which hold worksites.

use domain::{Name, ProjectId, Timestamp};

use crate::engine::page::{self, Count, Keyed, Page, PageRequest};
use crate::engine::row::{FromRow, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, OWN_COLUMNS, Slice, Sorted, Sorting, Window};
use crate::{Error, Scope, Tx};

/// A project.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// What it is called.
    pub name: String,
    /// What the brand's own books call it.
    pub code: Option<String>,
    /// Moves with every change; the `ETag`.
    pub version: i64,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
    name_key: String,
}

/// What a project is made of.
#[derive(Clone, Debug)]
pub struct NewProject {
    /// What it is called.
    pub name: Name,
    /// What the brand's own books call it.
    pub code: Option<Name>,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

/// Which projects are asked for.
#[derive(Clone, Debug, Default)]
pub struct ProjectFilter {
    /// The archived ones instead of the active ones.
    pub archived: bool,
    /// Only those whose name contains this, whatever its case and accents.
    pub q: Option<String>,
}

const COLUMNS: &str =
    "select id, name, name_key, code, version, created_at, updated_at, archived_at from projects";

impl FromRow for Project {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            code: row.get("code")?,
            version: row.get("version")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            archived_at: row.get("archived_at")?,
            name_key: row.get("name_key")?,
        })
    }
}

impl Keyed for Project {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

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

/// The projects of a brand that the scope shows.
pub struct ProjectsOfBrand<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The projects of a brand that the scope shows.
    pub fn projects<'a>(&'a mut self, scope: &'a Scope) -> ProjectsOfBrand<'a> {
        ProjectsOfBrand(self, scope)
    }
}

impl ProjectsOfBrand<'_> {
    /// Adds one.
    pub async fn add(&mut self, new: &NewProject, now: Timestamp) -> Result<Project, Error> {
        self.0
            .one(sql!(
                "insert into projects (brand_id, name, name_key, code, version, created_at, updated_at, archived_at)
                 values ($1, $2, $3, $4, 1, $5, $5, $6)
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

    /// The one of that id.
    pub async fn find(&mut self, id: ProjectId) -> Result<Option<Project>, Error> {
        let statement = self.of_id(id);
        self.0.optional(statement).await
    }

    fn of_id(&self, id: ProjectId) -> Statement {
        sql!(COLUMNS)
            .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "id")
    }

    /// Changes one that was found in this transaction.
    pub async fn change(&mut self, id: ProjectId, to: &NewProject, now: Timestamp) -> Result<Project, Error> {
        self.0
            .one(sql!(
                "update projects set name = $3, name_key = $4, code = $5, archived_at = $6, updated_at = $7,
                     version = version + 1
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

    /// One page, by name.
    pub async fn page(&mut self, filter: &ProjectFilter, page: &PageRequest) -> Result<Page<Project>, Error> {
        let list = format!("projects {:?} {:?}", filter.archived, filter.q);
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows = self.0.all(page::order_by_name(statement, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// A part of the list, in any order and from either side.
    pub async fn slice(
        &mut self,
        filter: &ProjectFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Project>, Error> {
        let list = format!("projects {:?} {:?} {sorting:?}", filter.archived, filter.q);
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows = self.0.all(window::apply_window(statement, &OWN_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_slice(rows, sorting, &list, window))
    }

    /// Those of these ids, archived or not.
    pub async fn among(&mut self, ids: &[ProjectId]) -> Result<Vec<Project>, Error> {
        let statement = sql!(COLUMNS)
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "id")
            .and_in("id", ids.iter().copied())
            .push(" order by name_key, id");
        self.0.all(statement.uncached()).await
    }

    /// How many the filter finds.
    pub async fn count(&mut self, filter: &ProjectFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from projects"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &ProjectFilter) -> Statement {
        let statement = statement
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "id")
            .push(if filter.archived { " and archived_at is not null" } else { " and archived_at is null" });
        match &filter.q {
            Some(q) => {
                statement.push_with(" and name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}
