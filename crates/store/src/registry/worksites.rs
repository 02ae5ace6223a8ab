//! Worksites as they are now. Their earlier boundaries, time zones and projects are in `worksite_terms.rs`.

use domain::insights::IncursionFilter;
use domain::row::FromRow;
use domain::{
    Name, NewWorksite, ProjectId, RegistryRows, Slice, Sorting, StoredBoundary, Timestamp, Window, Worksite,
    WorksiteFilter, WorksiteId,
};

use crate::engine::page::{self, Count};
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, OWN_COLUMNS, Sorted};
use crate::registry::brands::Counters;
use crate::registry::listing::{self, DepartureRequest, Departures};
use crate::{Error, Scope, Tx};

const COLUMNS_WITH_BOUNDARY: &str =
    "select id, name, name_key, colour, kind, technical_contact, time_zone, boundary, area_m2, project_id,
    version, created_at, updated_at, archived_at from worksites";
const COLUMNS_WITHOUT_BOUNDARY: &str =
    "id, name, name_key, colour, kind, technical_contact, time_zone, cast(null as text) as boundary,
    area_m2, project_id, version, created_at, updated_at, archived_at, registry_version";

/// Marks the machines at a worksite as changed.
const MARK_MACHINES: &str = "update machines set
        registry_version = (select registry_version from brand_counters where brand_id = $1)
    where brand_id = $1 and id in (select machine_id from machine_assignments
        where brand_id = $1 and worksite_id = $2 and to_at is null)";

/// Marks the tester devices at a worksite as changed.
const MARK_TESTER_DEVICES: &str = "update tester_devices set
        registry_version = (select registry_version from brand_counters where brand_id = $1)
    where brand_id = $1 and worksite_id = $2";

/// None if the worksite has no boundary.
impl FromRow<Row> for Option<StoredBoundary> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let boundary: Option<(String, i64)> = row.get_columns(["boundary", "area_m2"])?;
        Ok(boundary.map(|(text, area_m2)| StoredBoundary { text, area_m2 }))
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
                     area_m2, project_id, version, created_at, updated_at, archived_at, registry_version)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11, $12,
                     (select registry_version from brand_counters where brand_id = $1))
                 returning id",
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
        let statement = self.of_id(sql!(COLUMNS_WITH_BOUNDARY), id);
        self.0.optional(statement).await
    }

    pub async fn find_without_boundary(&mut self, id: WorksiteId) -> Result<Option<Worksite>, Error> {
        let statement = self.of_id(self.without_boundaries(), id);
        self.0.optional(statement).await
    }

    fn without_boundaries(&self) -> Statement {
        self.0.select(&[COLUMNS_WITHOUT_BOUNDARY]).push(" from worksites")
    }

    fn of_id(&self, statement: Statement, id: WorksiteId) -> Statement {
        statement
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
                     version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
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

    /// Records that a worksite is about to leave its project, and with it the machines that are there and their base stations. These are
    /// marked as changed, so that those who see them from now on get them, and so are the tester devices there, which show the worksite
    /// to those who see it. Visits belong to the project of their check-in, see `VisitorSessions::record_project_change`.
    pub async fn record_project_change(&mut self, id: WorksiteId) -> Result<(), Error> {
        let brand = self.1.brand();
        let departures = "insert into registry_departures (brand_id, kind, row_id, project_id, deleted, registry_version)
             select w.brand_id, 'worksites', w.id, w.project_id, false, c.registry_version
             from worksites w join brand_counters c on c.brand_id = w.brand_id
             where w.brand_id = $1 and w.id = $2 and w.project_id is not null
             union all
             select w.brand_id, 'machines', a.machine_id, w.project_id, false, c.registry_version
             from worksites w join brand_counters c on c.brand_id = w.brand_id
             join machine_assignments a on a.brand_id = w.brand_id and a.worksite_id = w.id and a.to_at is null
             where w.brand_id = $1 and w.id = $2 and w.project_id is not null
             union all
             select w.brand_id, 'base_stations', i.base_station_id, w.project_id, false, c.registry_version
             from worksites w join brand_counters c on c.brand_id = w.brand_id
             join machine_assignments a on a.brand_id = w.brand_id and a.worksite_id = w.id and a.to_at is null
             join installations i on i.machine_id = a.machine_id and i.to_at is null
             where w.brand_id = $1 and w.id = $2 and w.project_id is not null";
        let stations = "update base_stations set
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and id in (select i.base_station_id from machine_assignments a
                 join installations i on i.machine_id = a.machine_id and i.to_at is null
                 where a.brand_id = $1 and a.worksite_id = $2 and a.to_at is null)";
        self.0.execute(sql!(departures, brand, id).push(listing::LATEST_DEPARTURE)).await?;
        for text in [MARK_MACHINES, stations, MARK_TESTER_DEVICES] {
            self.0.execute(sql!(text, brand, id)).await?;
        }
        Ok(())
    }

    /// Marks the records that show the name of a worksite as changed: the machines and tester devices there, and all visits to it.
    pub async fn mark_references(&mut self, id: WorksiteId) -> Result<(), Error> {
        let brand = self.1.brand();
        let visits = "update visitor_sessions set
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and worksite_id = $2";
        for text in [MARK_MACHINES, MARK_TESTER_DEVICES, visits] {
            self.0.execute(sql!(text, brand, id)).await?;
        }
        Ok(())
    }

    /// Deletes a worksite without history, and its terms.
    pub async fn remove(&mut self, id: WorksiteId) -> Result<(), Error> {
        let brand = self.1.brand();
        let departure = sql!(
            "insert into registry_departures (brand_id, kind, row_id, project_id, deleted, registry_version)
             select w.brand_id, 'worksites', w.id, coalesce(w.project_id, 0), true, c.registry_version
             from worksites w join brand_counters c on c.brand_id = w.brand_id
             where w.brand_id = $1 and w.id = $2",
            brand,
            id
        );
        self.0.execute(departure.push(listing::LATEST_DEPARTURE)).await?;
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

    /// Returns the time zones that the worksites of a filter of facts have now, each once and sorted by name: of those that it names,
    /// or else of those in its projects and of its kinds that are not archived.
    pub async fn time_zones_of(&mut self, filter: &IncursionFilter) -> Result<Vec<String>, Error> {
        #[derive(macros::FromRow)]
        struct Zone(#[row(column = "time_zone")] String);
        let statement = sql!("select distinct time_zone from worksites");
        let statement = self.filtered(statement, &worksites_of_facts(filter));
        let found: Vec<Zone> = self.0.all(statement).await?;
        let mut zones: Vec<String> = found.into_iter().map(|Zone(zone)| zone).collect();
        zones.sort_unstable();
        Ok(zones)
    }

    /// Returns the same time zones, or the brand's if there are none, and the brand's counters, with one statement.
    pub async fn time_zones_and_counters(
        &mut self,
        filter: &IncursionFilter,
    ) -> Result<(Vec<String>, Counters), Error> {
        #[derive(macros::FromRow)]
        struct ZoneAndCounters {
            time_zone: String,
            #[row(flatten)]
            counters: Counters,
        }
        let statement = sql!(
            "select coalesce(w.time_zone, b.time_zone) as time_zone, c.last_seq, c.registry_version
             from brand_counters c join brands b on b.id = c.brand_id
             left join (select distinct time_zone from worksites"
        );
        let statement = self
            .filtered(statement, &worksites_of_facts(filter))
            .push_with(") w on true where c.brand_id = $?", [self.1.brand().into()]);
        let found: Vec<ZoneAndCounters> = self.0.all(statement).await?;
        let counters = found.first().map(|row| row.counters);
        let counters = counters.ok_or(Error::Engine(sqlx::Error::RowNotFound))?;
        let mut zones: Vec<String> = found.into_iter().map(|row| row.time_zone).collect();
        zones.sort_unstable();
        Ok((zones, counters))
    }

    /// Returns a window of the list, in any order and from either end, without boundaries.
    pub async fn slice(
        &mut self,
        filter: &WorksiteFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Worksite>, Error> {
        let list = format!("{} {sorting:?}", cursor_list(filter));
        let statement = self.filtered(self.without_boundaries(), filter);
        let rows = self.0.all(window::apply_window(statement, &OWN_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Finds worksites by id, archived or not, without boundaries, sorted by id.
    pub async fn among(&mut self, ids: &[WorksiteId]) -> Result<Vec<Worksite>, Error> {
        let statement = self
            .without_boundaries()
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "project_id")
            .and_in_padded("id", ids.iter().copied())
            .push(" order by id");
        self.0.all(statement).await
    }

    /// Returns the active worksites of projects, by name, without boundaries.
    pub async fn of_projects(&mut self, ids: &[ProjectId], limit: i64) -> Result<Vec<Worksite>, Error> {
        let statement = self
            .filtered(self.without_boundaries(), &WorksiteFilter::default())
            .and_in("project_id", ids.iter().copied())
            .push_with(" order by name_key, id limit $?", [limit.into()]);
        self.0.all(statement.uncached()).await
    }

    /// Returns a page of the worksites that were deleted or left the scope.
    pub async fn departures(&mut self, request: &DepartureRequest) -> Result<Departures, Error> {
        let departures = listing::departed(self.0, self.1, "worksites", request).await?;
        if departures.ids.is_empty() {
            return Ok(departures);
        }
        let rows = listing::rows_of_ids(&departures.ids);
        let filter = WorksiteFilter { rows, ..WorksiteFilter::default() };
        let statement = self.filtered(sql!("select id from worksites"), &filter);
        let visible: Vec<Id<i64>> = self.0.all(statement).await?;
        Ok(departures.without(&visible))
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
            .push(match (filter.rows.changed, filter.archived) {
                (Some(_), _) => "",
                (None, true) => " and archived_at is not null",
                (None, false) => " and archived_at is null",
            });
        statement = listing::and_rows(statement, &filter.rows, &OWN_COLUMNS);
        if !filter.kinds.is_empty() {
            statement = statement.and_in("kind", filter.kinds.iter().map(|kind| kind.as_str()));
        }
        if !filter.projects.is_empty() {
            statement = statement.and_in("project_id", filter.projects.iter().copied());
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

/// The worksites of a filter of facts: those that it names, or else those in its projects and of its kinds that are not archived.
fn worksites_of_facts(filter: &IncursionFilter) -> WorksiteFilter {
    let ids: Vec<i64> = filter.worksites.iter().map(|id| id.0).collect();
    WorksiteFilter {
        kinds: filter.worksite_kinds.clone(),
        projects: filter.projects.clone(),
        rows: if ids.is_empty() { RegistryRows::default() } else { listing::rows_of_ids(&ids) },
        ..WorksiteFilter::default()
    }
}

/// The list that cursors are bound to.
fn cursor_list(filter: &WorksiteFilter) -> String {
    let WorksiteFilter { archived, kinds, projects, q, around, rows } = filter;
    let place = around.as_ref().map(|(place, _)| place);
    format!("worksites {archived} {kinds:?} {projects:?} {q:?} {place:?} {rows:?}")
}
