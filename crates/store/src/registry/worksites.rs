//! Worksites as they are now. What was true of them when stands in their terms.

use domain::{Colour, Name, ProjectId, TimeZone, Timestamp, WorksiteId, WorksiteKind};

use crate::engine::page::{self, Count, Keyed, Page, PageRequest};
use crate::engine::row::{FromRow, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, OWN_COLUMNS, Slice, Sorted, Sorting, Window};
use crate::{Error, Scope, Tx};

/// A worksite.
#[derive(Clone, Debug)]
pub struct Worksite {
    /// Its id.
    pub id: WorksiteId,
    /// What it is called.
    pub name: String,
    /// The colour it is drawn in.
    pub colour: String,
    /// What is done there.
    pub kind: WorksiteKind,
    /// Whom to ask about the technology there.
    pub technical_contact: Option<String>,
    /// Whose days are its days.
    pub time_zone: String,
    /// Where it is; never there in a list, since it may be long.
    pub boundary: Option<StoredBoundary>,
    /// How large it is, in square metres; none without a boundary.
    pub area_m2: Option<i64>,
    /// The project it belongs to.
    pub project: Option<ProjectId>,
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

/// A boundary as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBoundary {
    /// Its canonical text: equal ones are equal.
    pub text: String,
    /// How large it is, in square metres.
    pub area_m2: i64,
}

/// What a worksite is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorksite {
    /// What it is called.
    pub name: Name,
    /// The colour it is drawn in.
    pub colour: Colour,
    /// What is done there.
    pub kind: WorksiteKind,
    /// Whom to ask about the technology there.
    pub technical_contact: Option<Name>,
    /// Whose days are its days.
    pub time_zone: TimeZone,
    /// Where it is.
    pub boundary: Option<StoredBoundary>,
    /// The project it belongs to.
    pub project: Option<ProjectId>,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

/// Which worksites are asked for.
#[derive(Clone, Debug, Default)]
pub struct WorksiteFilter {
    /// The archived ones instead of the active ones.
    pub archived: bool,
    /// Only of this kind.
    pub kind: Option<WorksiteKind>,
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only those whose name contains this, whatever its case and accents.
    pub q: Option<String>,
    /// Only these, which were found around a place; its name is what a cursor is bound to.
    pub around: Option<(String, Vec<WorksiteId>)>,
}

const COLUMNS_WITH_BOUNDARY: &str =
    "select id, name, name_key, colour, kind, technical_contact, time_zone, boundary, area_m2, project_id,
    version, created_at, updated_at, archived_at from worksites";
const COLUMNS_WITHOUT_BOUNDARY: &str =
    "select id, name, name_key, colour, kind, technical_contact, time_zone, cast(null as text) as boundary,
    area_m2, project_id, version, created_at, updated_at, archived_at from worksites";

impl FromRow for Worksite {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let (text, area_m2): (Option<String>, Option<i64>) = (row.get("boundary")?, row.get("area_m2")?);
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            colour: row.get("colour")?,
            kind: row.parse("kind", WorksiteKind::parse)?,
            technical_contact: row.get("technical_contact")?,
            time_zone: row.get("time_zone")?,
            boundary: text.zip(area_m2).map(|(text, area_m2)| StoredBoundary { text, area_m2 }),
            area_m2,
            project: row.get("project_id")?,
            version: row.get("version")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            archived_at: row.get("archived_at")?,
            name_key: row.get("name_key")?,
        })
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

/// A worksite and its version: what a copy in memory is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorksiteVersion {
    /// Its id.
    pub id: WorksiteId,
    /// Moves with every change, of its terms too.
    pub version: i64,
}

impl FromRow for WorksiteVersion {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { id: row.get("id")?, version: row.get("version")? })
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
    /// Adds one, without its first term.
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

    /// The one of that id.
    pub async fn find(&mut self, id: WorksiteId) -> Result<Option<Worksite>, Error> {
        let statement = self.of_id(COLUMNS_WITH_BOUNDARY, id);
        self.0.optional(statement).await
    }

    /// The one of that id, without its boundary.
    pub async fn find_without_boundary(&mut self, id: WorksiteId) -> Result<Option<Worksite>, Error> {
        let statement = self.of_id(COLUMNS_WITHOUT_BOUNDARY, id);
        self.0.optional(statement).await
    }

    fn of_id(&self, columns: &'static str, id: WorksiteId) -> Statement {
        sql!(columns)
            .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "project_id")
    }

    /// Changes one that was found in this transaction; its terms are changed apart.
    pub async fn change(
        &mut self,
        id: WorksiteId,
        to: &NewWorksite,
        now: Timestamp,
    ) -> Result<Worksite, Error> {
        self.0
            .execute(sql!(
                "update worksites set name = $3, name_key = $4, colour = $5, kind = $6, technical_contact = $7,
                     time_zone = $8, boundary = $9, area_m2 = $10, project_id = $11, archived_at = $12, updated_at = $13,
                     version = version + 1
                 where brand_id = $1 and id = $2",
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
            .await?;
        let brand = self.1.brand();
        self.0
            .one(
                sql!(COLUMNS_WITH_BOUNDARY)
                    .push_with(" where brand_id = $? and id = $?", [brand.into(), id.into()]),
            )
            .await
    }

    /// Whether anything was ever linked to one.
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

    /// Takes one away that has no history, with its terms.
    pub async fn remove(&mut self, id: WorksiteId) -> Result<(), Error> {
        let brand = self.1.brand();
        self.0
            .execute(sql!("delete from worksite_terms where brand_id = $1 and worksite_id = $2", brand, id))
            .await?;
        self.0.execute(sql!("delete from worksites where brand_id = $1 and id = $2", brand, id)).await?;
        Ok(())
    }

    /// The active ones, with their versions.
    pub async fn versions(&mut self) -> Result<Vec<WorksiteVersion>, Error> {
        let statement = sql!("select id, version from worksites where brand_id = $1")
            .bind(self.1.brand())
            .and_in_projects(self.1.projects(), "project_id");
        self.0.all(statement).await
    }

    /// One page, by name, without boundaries.
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

    /// A part of the list, in any order and from either side, without boundaries.
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

    /// The active ones of these projects, by name, without boundaries; so many at most.
    pub async fn of_projects(&mut self, ids: &[ProjectId], limit: i64) -> Result<Vec<Worksite>, Error> {
        let statement = self
            .filtered(sql!(COLUMNS_WITHOUT_BOUNDARY), &WorksiteFilter::default())
            .and_in("project_id", ids.iter().copied())
            .push_with(" order by name_key, id limit $?", [limit.into()]);
        self.0.all(statement.uncached()).await
    }

    /// How many the filter finds.
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

/// What the cursors of a list are bound to.
fn cursor_list(filter: &WorksiteFilter) -> String {
    let WorksiteFilter { archived, kind, project, q, around } = filter;
    let place = around.as_ref().map(|(place, _)| place);
    format!("worksites {archived} {kind:?} {project:?} {q:?} {place:?}")
}
