//! Visits, from check-in to check-out.

use domain::{
    Actor, DeviceId, Direction, LocalBound, PersonId, ProjectId, RegistryRows, Slice, SortKey, Sorting,
    TagAssignmentId, Timestamp, VersionRange, Visit, VisitFilter, VisitId, VisitPeriod, VisitState, Window,
    WorksiteId, WorksiteName,
};

use crate::engine::page::Count;
use crate::engine::row::{FromColumns, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::registry::actor::with_names_of_devices;
use crate::registry::listing::{self, DepartureRequest, Departures};
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewVisit {
    pub person: PersonId,
    /// The assignment of the tag that the visitor gets.
    pub assignment: TagAssignmentId,
    pub worksite: Option<WorksiteId>,
    /// The company that the visitor represents.
    pub company: Option<String>,
    /// Notes made at the reception desk.
    pub notes: Option<String>,
    /// Time until which the visitor means to stay.
    pub expected_until: Option<Timestamp>,
}

/// The corrected values of a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitValues {
    pub worksite: Option<WorksiteId>,
    /// The company that the visitor represents.
    pub company: Option<String>,
    /// Notes made at the reception desk.
    pub notes: Option<String>,
    /// Time until which the visitor meant to stay.
    pub expected_until: Option<Timestamp>,
    pub checked_in_at: Timestamp,
    /// The time and the actor of the check-out, or none while the visit is open.
    pub checked_out: Option<(Timestamp, Actor)>,
}

/// The project of a visit: the one that its worksite belonged to at the check-in.
pub(crate) const PROJECT_AT_CHECK_IN: &str = "(select s.project_id from (
    select m.project_id, m.from_at from worksite_terms m
    where m.worksite_id = v.worksite_id and m.from_at <= v.checked_in_at
    union all select o.project_id, -1 from worksites o where o.id = v.worksite_id) s
    order by s.from_at desc limit 1)";

/// In parts, for [`with_names_of_devices`].
const COLUMNS: [&str; 3] = [
    "select v.id, v.person_id, p.name, p.kind, v.worksite_id, w.name as worksite_name, v.tag_assignment_id, a.tag_id,
    t.serial, v.company, v.notes, v.expected_until, v.checked_in_at, v.checked_in_by_kind, v.checked_in_by_id,
    v.checked_out_at, v.checked_out_by_kind, v.checked_out_by_id, v.version, v.created_at, v.updated_at, v.registry_version,
    case
        when v.checked_in_by_kind in ('user', 'service_account') then (select y.name from users y where y.id = v.checked_in_by_id)
        when v.checked_in_by_kind = 'tester_device' then (select y.name from tester_devices y where y.id = v.checked_in_by_id",
    ") end as checked_in_by_name, case
        when v.checked_out_by_kind in ('user', 'service_account') then (select y.name from users y where y.id = v.checked_out_by_id)
        when v.checked_out_by_kind = 'tester_device' then (select y.name from tester_devices y where y.id = v.checked_out_by_id",
    ") end as checked_out_by_name
    from visitor_sessions v join people p on p.id = v.person_id
    join tag_assignments a on a.id = v.tag_assignment_id join tags t on t.id = a.tag_id
    left join worksites w on w.id = v.worksite_id",
];

/// None if the visit has no worksite.
impl FromColumns<2> for Option<WorksiteName> {
    fn from_columns(row: &Row, columns: [&'static str; 2]) -> Result<Self, Error> {
        let worksite: Option<(WorksiteId, String)> = row.get_columns(columns)?;
        Ok(worksite.map(|(id, name)| WorksiteName { id, name }))
    }
}

const SORT_COLUMNS: SortColumns = SortColumns {
    id: "v.id",
    name_key: "v.id",
    created_at: "v.created_at",
    updated_at: "v.updated_at",
    started_at: "v.checked_in_at",
    registry_version: "v.registry_version",
};

/// Visits have no name.
impl Sorted for Visit {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &'static str {
        ""
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    fn started_at(&self) -> Timestamp {
        self.checked_in_at
    }
}

/// The visits of a brand that are visible in the scope.
pub struct VisitorSessions<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn visitor_sessions<'a>(&'a mut self, scope: &'a Scope) -> VisitorSessions<'a> {
        VisitorSessions(self, scope)
    }
}

#[macros::boxed]
impl VisitorSessions<'_> {
    /// Begins a visit; [`Error::Duplicate`] if the person has an open one.
    pub async fn add(&mut self, new: &NewVisit, by: &Actor, now: Timestamp) -> Result<Visit, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into visitor_sessions (brand_id, person_id, tag_assignment_id, company, notes,
                     expected_until, checked_in_at, checked_in_by_kind, checked_in_by_id, worksite_id, created_at,
                     updated_at, registry_version)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $7, $7,
                     (select registry_version from brand_counters where brand_id = $1))
                 returning id",
                self.1.brand(),
                new.person,
                new.assignment,
                new.company.as_deref(),
                new.notes.as_deref(),
                new.expected_until,
                now,
                by.kind.as_str(),
                by.id,
                new.worksite
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    pub async fn find(&mut self, id: VisitId) -> Result<Option<Visit>, Error> {
        let statement = self
            .columns()
            .push_with(" where v.brand_id = $? and v.id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN);
        self.0.optional(statement).await
    }

    /// Finds the visit of a tag assignment, whether it is visible in the scope or not.
    pub async fn of_assignment(&mut self, assignment: TagAssignmentId) -> Result<Option<Visit>, Error> {
        let statement = self.columns().push_with(
            " where v.brand_id = $? and v.tag_assignment_id = $?",
            [self.1.brand().into(), assignment.into()],
        );
        self.0.optional(statement).await
    }

    /// Finds the open visit of a person, whether it is visible in the scope or not.
    pub async fn active_of(&mut self, person: PersonId) -> Result<Option<Visit>, Error> {
        let statement = self.columns().push_with(
            " where v.brand_id = $? and v.person_id = $? and v.checked_out_at is null",
            [self.1.brand().into(), person.into()],
        );
        self.0.optional(statement).await
    }

    /// Ends an open visit, never before its check-in, whatever this host's clock says. Returns whether it was open.
    pub async fn end(
        &mut self,
        id: VisitId,
        by: &Actor,
        (at, now): (Timestamp, Timestamp),
    ) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update visitor_sessions set
                     checked_out_at = case when $3 > checked_in_at then $3 else checked_in_at end,
                     checked_out_by_kind = $4, checked_out_by_id = $5, updated_at = $6, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2 and checked_out_at is null",
                self.1.brand(),
                id,
                at,
                by.kind.as_str(),
                by.id,
                now
            ))
            .await?;
        Ok(ended > 0)
    }

    /// Corrects a visit that was found in this transaction; [`Error::Duplicate`] if the person has another open one.
    pub async fn correct(&mut self, id: VisitId, to: &VisitValues, now: Timestamp) -> Result<(), Error> {
        self.record_departure(id).await?;
        let by = to.checked_out.as_ref().map(|(_, by)| by);
        self.0
            .execute(sql!(
                "update visitor_sessions set worksite_id = $3, company = $4, notes = $5, expected_until = $6,
                     checked_in_at = $7, checked_out_at = $8, checked_out_by_kind = $9, checked_out_by_id = $10,
                     updated_at = $11, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.worksite,
                to.company.as_deref(),
                to.notes.as_deref(),
                to.expected_until,
                to.checked_in_at,
                to.checked_out.as_ref().map(|(at, _)| *at),
                by.map(|by| by.kind.as_str()),
                by.and_then(|by| by.id),
                now
            ))
            .await?;
        Ok(())
    }

    /// Records that a visit may leave its project with a correction.
    async fn record_departure(&mut self, id: VisitId) -> Result<(), Error> {
        let statement = sql!(
            "insert into registry_departures (brand_id, kind, row_id, project_id, deleted, registry_version)
             select c.brand_id, 'visitor_sessions', l.id, l.project_id, false, c.registry_version
             from brand_counters c join (select v.id, ",
            self.1.brand(),
            id
        );
        let statement = statement
            .push(PROJECT_AT_CHECK_IN)
            .push(
                " as project_id from visitor_sessions v where v.brand_id = $1 and v.id = $2) l
                 on l.project_id is not null where c.brand_id = $1",
            )
            .push(listing::LATEST_DEPARTURE);
        self.0.execute(statement).await?;
        Ok(())
    }

    /// Records that the visits to a worksite that began in a period left a project, because the project of the worksite in that period
    /// was changed. They are marked as changed, so that those who see them from now on get them.
    pub async fn record_project_change(
        &mut self,
        worksite: WorksiteId,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        left: Option<ProjectId>,
    ) -> Result<(), Error> {
        let brand = self.1.brand();
        let from = from.map_or(i64::MIN, Timestamp::micros);
        let to = to.map_or(i64::MAX, Timestamp::micros);
        if let Some(project) = left {
            let departures = sql!(
                "insert into registry_departures (brand_id, kind, row_id, project_id, deleted, registry_version)
                 select v.brand_id, 'visitor_sessions', v.id, $5, false, c.registry_version
                 from visitor_sessions v join brand_counters c on c.brand_id = v.brand_id
                 where v.brand_id = $1 and v.worksite_id = $2 and v.checked_in_at >= $3 and v.checked_in_at < $4",
                brand,
                worksite,
                from,
                to,
                project
            );
            self.0.execute(departures.push(listing::LATEST_DEPARTURE)).await?;
        }
        self.0
            .execute(sql!(
                "update visitor_sessions set
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and worksite_id = $2 and checked_in_at >= $3 and checked_in_at < $4",
                brand,
                worksite,
                from,
                to
            ))
            .await?;
        Ok(())
    }

    /// Deletes the company and the notes from all visits of a person.
    pub async fn erase_person(&mut self, person: PersonId, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update visitor_sessions set company = null, notes = null, updated_at = $3, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and person_id = $2 and (company is not null or notes is not null)",
                self.1.brand(),
                person,
                now
            ))
            .await
    }

    /// Returns the worksite of a tester device.
    pub async fn worksite_of_device(&mut self, device: DeviceId) -> Result<Option<WorksiteId>, Error> {
        let found: Option<Id<WorksiteId>> = self
            .0
            .optional(sql!(
                "select w.id from tester_devices d join worksites w on w.id = d.worksite_id
                 where d.brand_id = $1 and d.id = $2",
                self.1.brand(),
                device
            ))
            .await?;
        Ok(found.map(|Id(id)| id))
    }

    /// Whether the worksite is visible in the scope and not archived.
    pub async fn has_worksite(&mut self, id: WorksiteId) -> Result<bool, Error> {
        let found: Option<Id<WorksiteId>> = self
            .0
            .optional(
                sql!("select id from worksites where brand_id = $1 and id = $2 and archived_at is null")
                    .bind(self.1.brand())
                    .bind(id)
                    .and_in_projects(self.1.projects(), "project_id"),
            )
            .await?;
        Ok(found.is_some())
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &VisitFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Visit>, Error> {
        let sorting = order_of(filter, sorting);
        let list = cursor_list(filter, sorting);
        let statement = self.filtered(self.columns(), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Returns a page of the visits that were deleted or left the scope.
    pub async fn departures(&mut self, request: &DepartureRequest) -> Result<Departures, Error> {
        let departures = listing::departed(self.0, self.1, "visitor_sessions", request).await?;
        if departures.ids.is_empty() {
            return Ok(departures);
        }
        let rows = listing::rows_of_ids(&departures.ids);
        let filter = VisitFilter { rows, ..VisitFilter::default() };
        let statement = self.filtered(sql!("select v.id from visitor_sessions v"), &filter);
        let visible: Vec<Id<i64>> = self.0.all(statement).await?;
        Ok(departures.without(&visible))
    }

    /// Returns the query plan of a page of changes, for tests of indexes.
    pub async fn explain_changes(&mut self, window: &Window) -> Result<Vec<String>, Error> {
        let range = VersionRange { after: 1, up_to: i64::MAX };
        let rows = RegistryRows { ids: None, changed: Some(range) };
        let filter = VisitFilter { rows, ..VisitFilter::default() };
        let sorting = Sorting::by(SortKey::RegistryVersion, Direction::Ascending);
        self.explain_slice(&filter, sorting, window).await
    }

    /// Returns the query plan of a window of the list, for tests of indexes.
    pub async fn explain_slice(
        &mut self,
        filter: &VisitFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Vec<String>, Error> {
        let sorting = order_of(filter, sorting);
        let list = cursor_list(filter, sorting);
        let statement = self.filtered(self.columns(), filter);
        self.0.explain(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await
    }

    /// Counts the visits that match the filter.
    pub async fn count(&mut self, filter: &VisitFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from visitor_sessions v"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Returns the time zones of the brand's worksites.
    pub async fn time_zones(&mut self) -> Result<Vec<String>, Error> {
        #[derive(macros::FromRow)]
        struct Zone(#[row(column = "time_zone")] String);
        let brand = self.1.brand();
        let found: Vec<Zone> =
            self.0.all(sql!("select distinct time_zone from worksites where brand_id = $1", brand)).await?;
        Ok(found.into_iter().map(|Zone(name)| name).collect())
    }

    fn columns(&self) -> Statement {
        with_names_of_devices(&COLUMNS, self.1)
    }

    fn filtered(&self, statement: Statement, filter: &VisitFilter) -> Statement {
        let mut statement = statement
            .push_with(" where v.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN)
            .push(match filter.states[..] {
                [VisitState::Active] => " and v.checked_out_at is null",
                [VisitState::Completed] => " and v.checked_out_at is not null",
                // Every visit is in one of the two.
                _ => "",
            });
        statement = listing::and_rows(statement, &filter.rows, &SORT_COLUMNS);
        if !filter.worksites.is_empty() {
            statement = statement.and_in("v.worksite_id", filter.worksites.iter().copied());
        }
        if !filter.people.is_empty() {
            statement = statement.and_in("v.person_id", filter.people.iter().copied());
        }
        if let Some(bound) = &filter.period.from {
            statement = and_bound(statement, " and v.checked_in_at >= ", bound, bound.earliest());
        }
        if let Some(bound) = &filter.period.to {
            statement = and_bound(statement, " and v.checked_in_at < ", bound, bound.latest());
        }
        statement
    }
}

/// Returns the order of a list. In a period, the newest visits come first by their check-in, as the index has them. By their ids, the last
/// page would read everything that is older than the period.
fn order_of(filter: &VisitFilter, sorting: Sorting) -> Sorting {
    let has_period = filter.period.from.is_some() || filter.period.to.is_some();
    match has_period && sorting == Sorting::by(SortKey::Id, Direction::Descending) {
        true => Sorting::by(SortKey::StartedAt, Direction::Descending),
        false => sorting,
    }
}

/// The list that cursors are bound to: with the period as it was sent, because a new worksite can add a time zone to the resolved one.
fn cursor_list(filter: &VisitFilter, sorting: Sorting) -> String {
    let sent = VisitFilter { period: VisitPeriod::default(), ..filter.clone() };
    format!("visitor_sessions {sent:?} {sorting:?}")
}

/// Appends the condition of a bound, by the time zone of the visit's worksite. The index has instants, so the outermost one of all time
/// zones limits the rows that are read.
fn and_bound(
    statement: Statement,
    condition: &'static str,
    bound: &LocalBound,
    outermost: Timestamp,
) -> Statement {
    let mut statement = statement.push(condition).push_with("$?", [outermost.into()]);
    if bound.by_zone.is_empty() {
        return statement;
    }
    statement = statement
        .push(condition)
        .push("case (select z.time_zone from worksites z where z.id = v.worksite_id)");
    for (zone, at) in &bound.by_zone {
        statement = statement.push_with(" when $? then $?", [zone.as_str().into(), (*at).into()]);
    }
    statement.push_with(" else $? end", [bound.otherwise.into()])
}
