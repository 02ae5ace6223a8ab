//! Worksites as they are now. Their earlier boundaries, time zones and projects are in `worksite_terms.rs`.

use domain::row::FromRow;
use domain::{
    Name, NewWorksite, Page, PageRequest, ProjectId, Slice, Sorting, StoredBoundary, Timestamp, Window,
    Worksite, WorksiteFilter, WorksiteId,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, OWN_COLUMNS, Sorted};
use crate::{Error, Scope, Tx};

const COLUMNS_WITH_BOUNDARY: &str =
    "select id, name, name_key, colour, kind, technical_contact, time_zone, boundary, area_m2, project_id,
    version, created_at, updated_at, archived_at from worksites";
const COLUMNS_WITHOUT_BOUNDARY: &str =
    "select id, name, name_key, colour, kind, technical_contact, time_zone, cast(null as text) as boundary,
    area_m2, project_id, version, created_at, updated_at, archived_at from worksites";

/// None if the worksite has no boundary.
impl FromRow<Row> for Option<StoredBoundary> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let boundary: Option<(String, i64)> = row.get_columns(["boundary", "area_m2"])?;
        Ok(boundary.map(|(text, area_m2)| StoredBoundary { text, area_m2 }))
    }
}

impl Keyed for Worksite {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

impl Sorted for Worksite {
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

/// The version of a worksite, with which a cached copy is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct WorksiteVersion {
    pub id: WorksiteId,
    /// Rises with every change, including changes of its terms.
    pub version: i64,
}

/// The worksites of a brand that are visible in the scope.
pub struct Worksites<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn worksites<'a>(&'a mut self, scope: &'a Scope) -> Worksites<'a> {
        Worksites(self, scope)
    }
}

#[macros::boxed]
impl Worksites<'_> {
    /// Adds a worksite without its first term.
    pub async fn add(&mut self, new: &NewWorksite, now: Timestamp) -> Result<WorksiteId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into worksites (brand_id, name, name_key, colour, kind, technical_contact, time_zone, boundary,
                     area_m2, project_id, version, created_at, updated_at, archived_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11, $12) returning id",
                self.1.brand(),
                new.name.as_str(),
                new.name.key(),
                new.colour.as_str(),
                new.kind.as_str(),
                new.technical_contact.as_ref().map(Name::as_str),
                new.time_zone.as_str(),
                new.boundary.as_ref().map(|boundary| boundary.text.as_str()),
                new.boundary.as_ref().map(|boundary| boundary.area_m2),
                new.project,
                now,
                new.archived_at
            ))
            .await?;
        Ok(id)
    }

    pub async fn find(&mut self, id: WorksiteId) -> Result<Option<Worksite>, Error> {
        let statement = self.of_id(COLUMNS_WITH_BOUNDARY, id);
        self.0.optional(statement).await
    }

    pub async fn find_without_boundary(&mut self, id: WorksiteId) -> Result<Option<Worksite>, Error> {
        let statement = self.of_id(COLUMNS_WITHOUT_BOUNDARY, id);
        self.0.optional(statement).await
    }

    fn of_id(&self, columns: &'static str, id: WorksiteId) -> Statement {
        sql!(columns)
            .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "project_id")
    }

    /// Changes a worksite that was found in this transaction. The caller changes its terms.
    pub async fn change(
        &mut self,
        id: WorksiteId,
        to: &NewWorksite,
        now: Timestamp,
    ) -> Result<Worksite, Error> {
        self.0
            .one(sql!(
                "update worksites set name = $3, name_key = $4, colour = $5, kind = $6, technical_contact = $7,
                     time_zone = $8, boundary = $9, area_m2 = $10, project_id = $11, archived_at = $12, updated_at = $13,
                     version = version + 1
                 where brand_id = $1 and id = $2
                 returning id, name, name_key, colour, kind, technical_contact, time_zone, boundary, area_m2,
                     project_id, version, created_at, updated_at, archived_at",
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.colour.as_str(),
                to.kind.as_str(),
                to.technical_contact.as_ref().map(Name::as_str),
                to.time_zone.as_str(),
                to.boundary.as_ref().map(|boundary| boundary.text.as_str()),
                to.boundary.as_ref().map(|boundary| boundary.area_m2),
                to.project,
                to.archived_at,
                now
            ))
            .await
    }

    /// Returns whether anything was ever linked to the worksite.
    pub async fn has_history(&mut self, id: WorksiteId) -> Result<bool, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select (select count(*) from machine_assignments where brand_id = $1 and worksite_id = $2)
                      + (select count(*) from visitor_sessions where brand_id = $1 and worksite_id = $2)
                      + (select count(*) from tester_devices where brand_id = $1 and worksite_id = $2)
                      + (select count(*) from (select 1 from incursions i where i.brand_id = $1 and i.worksite_id = $2
                            and i.started_at >= (select min(t.from_at) from worksite_terms t where t.worksite_id = $2)
                            limit 1) as any_incursion) as count",
                self.1.brand(),
                id
            ))
            .await?;
        Ok(count > 0)
    }

    /// Deletes a worksite without history, and its terms.
    pub async fn remove(&mut self, id: WorksiteId) -> Result<(), Error> {
        let brand = self.1.brand();
        self.0
            .execute(sql!("delete from worksite_terms where brand_id = $1 and worksite_id = $2", brand, id))
            .await?;
        self.0.execute(sql!("delete from worksites where brand_id = $1 and id = $2", brand, id)).await?;
        Ok(())
    }

    /// Returns the versions of all worksites, including archived ones.
    pub async fn versions(&mut self) -> Result<Vec<WorksiteVersion>, Error> {
        let statement = sql!("select id, version from worksites where brand_id = $1")
            .bind(self.1.brand())
            .and_in_projects(self.1.projects(), "project_id");
        self.0.all(statement).await
    }

    /// Returns a page, by name, without boundaries.
    pub async fn page(
        &mut self,
        filter: &WorksiteFilter,
        page: &PageRequest,
    ) -> Result<Page<Worksite>, Error> {
        let list = cursor_list(filter);
        let statement = self.filtered(sql!(COLUMNS_WITHOUT_BOUNDARY), filter);
        let rows = self.0.all(page::order_by_name(statement, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Returns a window of the list, in any order and from either end, without boundaries.
    pub async fn slice(
        &mut self,
        filter: &WorksiteFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Worksite>, Error> {
        let list = format!("{} {sorting:?}", cursor_list(filter));
        let statement = self.filtered(sql!(COLUMNS_WITHOUT_BOUNDARY), filter);
        let rows = self.0.all(window::apply_window(statement, &OWN_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_slice(rows, sorting, &list, window))
    }

    /// Returns the active worksites of projects, by name, without boundaries.
    pub async fn of_projects(&mut self, ids: &[ProjectId], limit: i64) -> Result<Vec<Worksite>, Error> {
        let statement = self
            .filtered(sql!(COLUMNS_WITHOUT_BOUNDARY), &WorksiteFilter::default())
            .and_in("project_id", ids.iter().copied())
            .push_with(" order by name_key, id limit $?", [limit.into()]);
        self.0.all(statement.uncached()).await
    }

    /// Counts the worksites that match the filter.
    pub async fn count(&mut self, filter: &WorksiteFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from worksites"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &WorksiteFilter) -> Statement {
        let mut statement = statement
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "project_id")
            .push(if filter.archived { " and archived_at is not null" } else { " and archived_at is null" });
        if let Some(kind) = filter.kind {
            statement = statement.push_with(" and kind = $?", [kind.as_str().into()]);
        }
        if let Some(project) = filter.project {
            statement = statement.push_with(" and project_id = $?", [project.into()]);
        }
        if let Some((_, ids)) = &filter.around {
            statement = statement.and_in("id", ids.iter().copied());
        }
        match &filter.q {
            Some(q) => {
                statement.push_with(" and name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}

/// The list that cursors are bound to.
fn cursor_list(filter: &WorksiteFilter) -> String {
    let WorksiteFilter { archived, kind, project, q, around } = filter;
    let place = around.as_ref().map(|(place, _)| place);
    format!("worksites {archived} {kind:?} {project:?} {q:?} {place:?}")
}
