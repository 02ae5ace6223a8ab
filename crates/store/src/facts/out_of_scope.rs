//! Finds facts and records that are out of scope: outside the projects of a restricted scope. A write by its holder must not
//! change them. For a scope of the whole brand, nothing is out of scope.

use domain::{
    BaseStationId, BrandId, IncursionId, MachineId, PersonId, StoredIncursion, TagAssignmentId, TagId,
    TagTestId, Timestamp, WorksiteId,
};

use crate::engine::row::Id;
use crate::engine::statement::{Statement, Value, sql};
use crate::facts::incursions::STORED_COLUMNS;
use crate::people::visitor_sessions::PROJECT_AT_CHECK_IN;
use crate::{Error, Projects, Scope, Tx};

/// A period with an exclusive end; without an end it is open.
pub(crate) type Interval = (Timestamp, Option<Timestamp>);

/// Whether the visits, incursions and runtime of a person or an assignment belong to the scope's projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopePlacement {
    /// There are none.
    Nowhere,
    /// At least some belong to projects of the scope.
    InScope,
    /// All belong to other projects or to none.
    OutOfScope,
}

/// A rectangle in ten-millionths of a degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundingBox {
    /// South and north.
    pub lat_e7: (i64, i64),
    /// West and east.
    pub lon_e7: (i64, i64),
}

/// The facts and records that are out of scope.
pub struct OutOfScope<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn out_of_scope<'a>(&'a mut self, scope: &'a Scope) -> OutOfScope<'a> {
        OutOfScope(self, scope)
    }
}

#[derive(macros::FromRow)]
struct AnyRow;

/// The conditions that link facts and visits to a person or to one tag assignment. The statements are the same; only the rows
/// of `tag_assignments` differ.
struct OwnerConditions {
    visits: &'static str,
    facts: &'static str,
}

const PEDESTRIAN_INCURSIONS: &str = "select i.id from tag_assignments a join incursions i on i.brand_id = a.brand_id and i.tag_id = a.tag_id
    and i.started_at >= a.assigned_at and (a.ended_at is null or i.started_at < a.ended_at) where a.brand_id = $1";
const OPERATOR_RUNTIME: &str = "select i.id from tag_assignments a join runtime_pieces i on i.brand_id = a.brand_id
    and i.operator_tag_id = a.tag_id and i.ended_at > i.started_at
    and i.ended_at > a.assigned_at and (a.ended_at is null or i.started_at < a.ended_at) where a.brand_id = $1";
const OPERATOR_INCURSIONS: &str = "select i.id from tag_assignments a join incursions i on i.brand_id = a.brand_id
    and i.operator_tag_id = a.tag_id
    and i.started_at >= a.assigned_at and (a.ended_at is null or i.started_at < a.ended_at) where a.brand_id = $1";
const VISITS: &str = "select v.id from visitor_sessions v where v.brand_id = $1";

const OF_PERSON: OwnerConditions =
    OwnerConditions { visits: " and v.person_id = $2", facts: " and a.person_id = $2" };
const OF_ASSIGNMENT: OwnerConditions =
    OwnerConditions { visits: " and v.tag_assignment_id = $2", facts: " and a.id = $2" };

impl OwnerConditions {
    /// Returns the statements with the name of their project column. One row is enough, so those that an index answers come
    /// first.
    fn statements(&self, brand: BrandId, id: impl Into<Value> + Copy) -> [(Statement, &'static str); 4] {
        let facts = |text: &'static str| (sql!(text, brand, id).push(self.facts), "i.project_id");
        let visits = (sql!(VISITS, brand, id).push(self.visits), PROJECT_AT_CHECK_IN);
        [visits, facts(PEDESTRIAN_INCURSIONS), facts(OPERATOR_RUNTIME), facts(OPERATOR_INCURSIONS)]
    }
}

#[macros::boxed]
impl OutOfScope<'_> {
    /// Returns whether the scope covers the whole brand, so that nothing is out of scope.
    fn is_unrestricted(&self) -> bool {
        *self.1.projects() == Projects::All
    }

    async fn exists(&mut self, statement: Statement) -> Result<bool, Error> {
        let found: Option<AnyRow> = self.0.optional(statement.push(" limit 1").uncached()).await?;
        Ok(found.is_some())
    }

    fn incursions(&self, of: &'static str, id: impl Into<Value>, (from, until): Interval) -> Statement {
        let text = "select id from incursions where brand_id = $1 and started_at >= $2";
        let statement = sql!(text, self.1.brand(), from).push_with(of, [id.into()]);
        match until {
            Some(until) => statement.push_with(" and started_at < $?", [until.into()]),
            None => statement,
        }
    }

    fn runtime(&self, of: &'static str, id: impl Into<Value>, (from, until): Interval) -> Statement {
        // A piece is at most an hour long, so the index on its start can be used.
        let text = "select id from runtime_pieces where brand_id = $1 and started_at >= $2 and ended_at > $3
             and ended_at > started_at";
        let statement = sql!(text, self.1.brand(), from - domain::Span::minutes(60), from);
        let statement = statement.push_with(of, [id.into()]);
        match until {
            Some(until) => statement.push_with(" and started_at < $?", [until.into()]),
            None => statement,
        }
    }

    /// Returns whether the wearer of a tag was part of an out-of-scope fact in that period, as pedestrian or operator, or the tag
    /// was tested out of scope.
    pub async fn has_tag_facts(&mut self, tag: TagId, time: Interval) -> Result<bool, Error> {
        if self.is_unrestricted() || time.1.is_some_and(|until| until <= time.0) {
            return Ok(false);
        }
        let projects = self.1.projects();
        let statements = [
            self.incursions(" and tag_id = $?", tag, time).and_not_in_projects(projects, "project_id"),
            self.incursions(" and operator_tag_id = $?", tag, time)
                .and_not_in_projects(projects, "project_id"),
            self.runtime(" and operator_tag_id = $?", tag, time).and_not_in_projects(projects, "project_id"),
        ];
        for statement in statements {
            if self.exists(statement).await? {
                return Ok(true);
            }
        }
        self.has_tag_tests(tag, time).await
    }

    /// Returns whether a tag was tested in that period at a kiosk or by a base station of another project. Devices without a
    /// project serve the whole brand; their tests belong to the wearer of the tag.
    async fn has_tag_tests(&mut self, tag: TagId, (from, until): Interval) -> Result<bool, Error> {
        let text = "select t.id from tag_tests t
             left join tester_devices d on d.id = t.tester_device_id
             left join worksites dw on dw.id = d.worksite_id
             left join installations i on i.base_station_id = t.base_station_id and i.to_at is null
             left join machine_assignments m on m.machine_id = i.machine_id and m.to_at is null
             left join worksites mw on mw.id = m.worksite_id
             where t.brand_id = $1 and t.tag_id = $2 and t.tested_at >= $3
             and coalesce(dw.project_id, mw.project_id) is not null";
        let statement = sql!(text, self.1.brand(), tag, from);
        let statement = match until {
            Some(until) => statement.push_with(" and t.tested_at < $?", [until.into()]),
            None => statement,
        };
        let found: Option<Id<TagTestId>> = self
            .0
            .optional(
                statement
                    .and_not_in_projects(self.1.projects(), "coalesce(dw.project_id, mw.project_id)")
                    .push(" limit 1")
                    .uncached(),
            )
            .await?;
        Ok(found.is_some())
    }

    /// Returns whether a base station reported an out-of-scope fact since a time.
    pub async fn has_station_facts(
        &mut self,
        station: BaseStationId,
        from: Timestamp,
    ) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        let (projects, time) = (self.1.projects(), (from, None));
        let incursions = self.incursions(" and base_station_id = $?", station, time);
        let runtime = self.runtime(" and base_station_id = $?", station, time);
        Ok(self.exists(incursions.and_not_in_projects(projects, "project_id")).await?
            || self.exists(runtime.and_not_in_projects(projects, "project_id")).await?)
    }

    /// Returns whether a base station reported a fact that belongs to no project since a time.
    pub async fn has_facts_without_project(
        &mut self,
        station: BaseStationId,
        from: Timestamp,
    ) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        let incursions = self.incursions(" and base_station_id = $?", station, (from, None));
        let runtime = self.runtime(" and base_station_id = $?", station, (from, None));
        Ok(self.exists(incursions.push(" and project_id is null")).await?
            || self.exists(runtime.push(" and project_id is null")).await?)
    }

    /// Returns whether a machine was part of an out-of-scope fact since a time that follows the machine's assignment: one
    /// without a worksite, or at a worksite of `own`. A fact whose worksite was decided by a boundary does not move when the
    /// machine's assignment is corrected.
    pub async fn has_machine_facts(
        &mut self,
        machine: MachineId,
        from: Timestamp,
        own: &[WorksiteId],
    ) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        let (projects, time) = (self.1.projects(), (from, None));
        for statement in self.of_machine(machine, time) {
            let statement =
                statement.and_not_in_projects(projects, "project_id").push(" and (worksite_id is null");
            let statement = match own {
                [] => statement,
                own => statement.push(" or worksite_id in ").push_list(own.iter().copied()),
            };
            if self.exists(statement.push(")")).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a machine was part of any fact since a time. Without a worksite these would belong to no project.
    pub async fn has_any_machine_facts(
        &mut self,
        machine: MachineId,
        from: Timestamp,
    ) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        for statement in self.of_machine(machine, (from, None)) {
            if self.exists(statement).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The facts of a machine. No index leads from machines to facts, but one leads from the stations installed on the machine.
    fn of_machine(&self, machine: MachineId, time: Interval) -> [Statement; 2] {
        let by_stations = " and base_station_id in (select s.base_station_id from installations s
             where s.brand_id = $? and s.machine_id = $?)";
        [
            self.incursions(" and machine_id = $?", machine, time)
                .push_with(by_stations, [self.1.brand().into(), machine.into()]),
            self.runtime(" and machine_id = $?", machine, time)
                .push_with(by_stations, [self.1.brand().into(), machine.into()]),
        ]
    }

    /// Returns whether more than `limit` incursions started since a time, which is more than a write transaction may examine.
    pub async fn has_more_incursions_than(&mut self, limit: i64, from: Timestamp) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        let text = "select id from incursions where brand_id = $1 and started_at >= $2 order by started_at limit 1 offset $3";
        let found: Option<AnyRow> = self.0.optional(sql!(text, self.1.brand(), from, limit)).await?;
        Ok(found.is_some())
    }

    /// Returns whether a worksite has out-of-scope facts since a time.
    pub async fn has_site_facts(&mut self, site: WorksiteId, from: Timestamp) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        let (projects, time) = (self.1.projects(), (from, None));
        let incursions = self.incursions(" and worksite_id = $?", site, time);
        let runtime = self.runtime(" and worksite_id = $?", site, time);
        Ok(self.exists(incursions.and_not_in_projects(projects, "project_id")).await?
            || self.exists(runtime.and_not_in_projects(projects, "project_id")).await?)
    }

    /// Returns the incursions since a time that a change of a worksite's boundary may move: those of the worksite that have a
    /// position, and those out of scope within the rectangle. Ordered by id, starting after `after`.
    pub async fn list_movable(
        &mut self,
        site: WorksiteId,
        from: Timestamp,
        bounds: BoundingBox,
        after: IncursionId,
        limit: i64,
    ) -> Result<Vec<StoredIncursion>, Error> {
        if self.is_unrestricted() {
            return Ok(Vec::new());
        }
        let statement = sql!(STORED_COLUMNS).push_with(
            "incursions i where i.brand_id = $? and i.started_at >= $? and i.id > $? and i.lat_e7 is not null
             and (i.worksite_id = $? or (i.lat_e7 between $? and $? and i.lon_e7 between $? and $?",
            [
                self.1.brand().into(),
                from.into(),
                after.into(),
                site.into(),
                bounds.lat_e7.0.into(),
                bounds.lat_e7.1.into(),
                bounds.lon_e7.0.into(),
                bounds.lon_e7.1.into(),
            ],
        );
        let statement = statement.and_not_in_projects(self.1.projects(), "i.project_id").push("))");
        self.0.all(statement.push_with(" order by i.id limit $?", [limit.into()]).uncached()).await
    }

    /// Returns whether a worksite belonged to an out-of-scope project, or to none, at any time in the period. Before its first
    /// term, a worksite has the properties of that term.
    pub async fn has_site_terms(&mut self, site: WorksiteId, (from, until): Interval) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        let text = "select m.id from worksite_terms m where m.brand_id = $1 and m.worksite_id = $2
             and (m.from_at < $3 or not exists (select 1 from worksite_terms f
                 where f.worksite_id = m.worksite_id and f.from_at < m.from_at))
             and not exists (select 1 from worksite_terms n
                 where n.worksite_id = m.worksite_id and n.from_at > m.from_at and n.from_at <= $4)";
        let statement = sql!(text, self.1.brand(), site, end_micros(until), from);
        let statement = statement.and_not_in_projects(self.1.projects(), "m.project_id");
        self.exists(statement).await
    }

    /// Returns whether a machine was at a worksite of an out-of-scope project at any time in the period.
    pub async fn has_machine_sites(
        &mut self,
        machine: MachineId,
        (from, until): Interval,
    ) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        let text = "select a.id from machine_assignments a join worksite_terms m on m.worksite_id = a.worksite_id
             where a.brand_id = $1 and a.machine_id = $2 and a.from_at < $3 and (a.to_at is null or a.to_at > $4)
             and ((m.from_at < $3 and (a.to_at is null or m.from_at < a.to_at))
                 or not exists (select 1 from worksite_terms f
                     where f.worksite_id = m.worksite_id and f.from_at < m.from_at))
             and not exists (select 1 from worksite_terms n
                 where n.worksite_id = m.worksite_id and n.from_at > m.from_at
                 and (n.from_at <= $4 or n.from_at <= a.from_at))";
        let statement = sql!(text, self.1.brand(), machine, end_micros(until), from);
        let statement = statement.and_not_in_projects(self.1.projects(), "m.project_id");
        self.exists(statement).await
    }

    /// Places a person by their visits, incursions and runtime.
    pub async fn person_placement(&mut self, person: PersonId) -> Result<ScopePlacement, Error> {
        self.placement(&OF_PERSON, person).await
    }

    /// Places a tag assignment by its visit, incursions and runtime.
    pub async fn assignment_placement(
        &mut self,
        assignment: TagAssignmentId,
    ) -> Result<ScopePlacement, Error> {
        self.placement(&OF_ASSIGNMENT, assignment).await
    }

    async fn placement(
        &mut self,
        conditions: &OwnerConditions,
        id: impl Into<Value> + Copy,
    ) -> Result<ScopePlacement, Error> {
        if self.is_unrestricted() {
            return Ok(ScopePlacement::InScope);
        }
        let (brand, projects) = (self.1.brand(), self.1.projects());
        for (statement, project) in conditions.statements(brand, id) {
            if self.exists(statement.and_in_projects(projects, project)).await? {
                return Ok(ScopePlacement::InScope);
            }
        }
        // Nothing is in scope, so anything that exists is out of scope.
        for (statement, _) in conditions.statements(brand, id) {
            if self.exists(statement).await? {
                return Ok(ScopePlacement::OutOfScope);
            }
        }
        Ok(ScopePlacement::Nowhere)
    }

    /// Returns whether a person has a visit, an incursion or runtime out of scope.
    pub async fn has_person_facts(&mut self, person: PersonId) -> Result<bool, Error> {
        if self.is_unrestricted() {
            return Ok(false);
        }
        for (statement, project) in OF_PERSON.statements(self.1.brand(), person) {
            if self.exists(statement.and_not_in_projects(self.1.projects(), project)).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the people with visits out of scope, and those with visits in scope.
    pub async fn visitors_by_scope(&mut self) -> Result<(Vec<PersonId>, Vec<PersonId>), Error> {
        let text = "select distinct v.person_id as id from visitor_sessions v where v.brand_id = $1";
        let brand = self.1.brand();
        let beyond: Vec<Id<PersonId>> = self
            .0
            .all(sql!(text, brand).and_not_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN).uncached())
            .await?;
        let within: Vec<Id<PersonId>> = self
            .0
            .all(sql!(text, brand).and_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN).uncached())
            .await?;
        let ids = |found: Vec<Id<PersonId>>| found.into_iter().map(|Id(id)| id).collect();
        Ok((ids(beyond), ids(within)))
    }
}

/// The end of a period as a number that every time can be compared with.
fn end_micros(until: Option<Timestamp>) -> i64 {
    until.map_or(i64::MAX, Timestamp::micros)
}
