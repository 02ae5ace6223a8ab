//! The time zones by which the days and hours of an answer are counted.

use domain::Timestamp;
use domain::insights::IncursionFilter;

use super::labels::{BATCH_SIZE, padded};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// Where the facts of an answer happened. The caller may see these facts, so projects are not checked again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactPlaces {
    /// Ids of worksites.
    pub worksites: Vec<i64>,
    /// Whether there are facts without a worksite. Their days are those of the brand.
    pub outside: bool,
}

/// The time zones of answers about a brand's facts.
pub struct AnswerTimeZones<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn answer_time_zones<'a>(&'a mut self, scope: &'a Scope) -> AnswerTimeZones<'a> {
        AnswerTimeZones(self, scope)
    }
}

#[derive(macros::FromRow)]
struct TimeZoneName(#[row(column = "time_zone")] String);

/// Which worksites a filter of facts stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SitesOf {
    /// Those that it names, or else those in its projects and of its kinds.
    Filter,
    /// Of the latter, only those to which its machines were assigned.
    Machines,
}

#[macros::boxed]
impl AnswerTimeZones<'_> {
    /// Returns the time zones that the worksites of a filter and those with facts had at any time in the period, each once and sorted
    /// by name. The worksites of a filter are those that it names, or else those to which its machines and base stations were assigned,
    /// or else those that were not archived before the period; in its projects, of its kinds and visible in the scope.
    pub async fn find(
        &mut self,
        filter: &IncursionFilter,
        facts: &FactPlaces,
        period: (Timestamp, Timestamp),
    ) -> Result<Vec<String>, Error> {
        let names_machines = !filter.machines.is_empty()
            || !filter.machine_kinds.is_empty()
            || !filter.base_stations.is_empty();
        let mut zones = Vec::new();
        if names_machines && filter.worksites.is_empty() {
            zones = self.of_worksites(filter, SitesOf::Machines, facts, period).await?;
        }
        // Machines need not be assigned to a worksite, because the position of an incursion decides where it happened.
        if zones.is_empty() && !(names_machines && facts.outside) {
            zones = self.of_worksites(filter, SitesOf::Filter, facts, period).await?;
        }
        zones.sort_unstable();
        zones.dedup();
        Ok(zones)
    }

    async fn of_worksites(
        &mut self,
        filter: &IncursionFilter,
        sites: SitesOf,
        facts: &FactPlaces,
        period: (Timestamp, Timestamp),
    ) -> Result<Vec<String>, Error> {
        let mut batches = facts.worksites.chunks(BATCH_SIZE);
        let statement = terms_in_force(self.1, period).push(" and (t.worksite_id in (");
        let mut statement = push_worksites(statement, self.1, filter, sites, period).push(")");
        if let Some(first) = batches.next() {
            statement = statement.push(" or t.worksite_id in ").push_list(padded(first));
        }
        let mut found: Vec<TimeZoneName> = self.0.all(statement.push(")")).await?;
        for some in batches {
            let statement = terms_in_force(self.1, period).and_in("t.worksite_id", padded(some));
            let more: Vec<TimeZoneName> = self.0.all(statement).await?;
            found.extend(more);
        }
        Ok(found.into_iter().map(|TimeZoneName(zone)| zone).collect())
    }
}

/// Returns a statement for the time zones of terms. The first term of a worksite also covers the time before it, as in attribution.
fn terms_in_force(scope: &Scope, (from, to): (Timestamp, Timestamp)) -> Statement {
    sql!(
        "select distinct t.time_zone from worksite_terms t where t.brand_id = $1
         and (t.from_at < $2 or not exists (select 1 from worksite_terms e where e.worksite_id = t.worksite_id
             and e.from_at < t.from_at))
         and not exists (select 1 from worksite_terms n where n.worksite_id = t.worksite_id
             and n.from_at > t.from_at and n.from_at <= $3)",
        scope.brand(),
        to,
        from
    )
}

/// Appends a query for the ids of worksites that are visible in the scope.
fn push_worksites(
    statement: Statement,
    scope: &Scope,
    filter: &IncursionFilter,
    sites: SitesOf,
    period: (Timestamp, Timestamp),
) -> Statement {
    let mut statement = statement
        .push_with("select w.id from worksites w where w.brand_id = $?", [scope.brand().into()])
        .and_in_projects(scope.projects(), "w.project_id");
    if !filter.worksites.is_empty() {
        return statement.and_in_padded("w.id", filter.worksites.iter().copied());
    }
    statement = match sites {
        SitesOf::Machines => and_assigned_machines(statement, scope, filter, period),
        SitesOf::Filter => {
            statement.push_with(" and (w.archived_at is null or w.archived_at > $?)", [period.0.into()])
        }
    };
    if !filter.worksite_kinds.is_empty() {
        statement = statement.and_in("w.kind", filter.worksite_kinds.iter().map(|kind| kind.as_str()));
    }
    if !filter.projects.is_empty() {
        statement = statement.and_in_padded("w.project_id", filter.projects.iter().copied());
    }
    statement
}

/// Appends the condition that machines of the filter, or with base stations of the filter, were assigned to `w` in the period.
fn and_assigned_machines(
    statement: Statement,
    scope: &Scope,
    filter: &IncursionFilter,
    (from, to): (Timestamp, Timestamp),
) -> Statement {
    let brand = scope.brand();
    let mut statement = statement.push_with(
        " and w.id in (select a.worksite_id from machine_assignments a where a.brand_id = $? and a.from_at < $?
             and (a.to_at is null or a.to_at > $?)",
        [brand.into(), to.into(), from.into()],
    );
    if !filter.machines.is_empty() {
        statement = statement.and_in_padded("a.machine_id", filter.machines.iter().copied());
    }
    if !filter.machine_kinds.is_empty() {
        statement = statement
            .push_with(
                " and a.machine_id in (select m.id from machines m where m.brand_id = $?",
                [brand.into()],
            )
            .and_in("m.kind", filter.machine_kinds.iter().map(|kind| kind.as_str()))
            .push(")");
    }
    if !filter.base_stations.is_empty() {
        statement = statement
            .push_with(
                " and exists (select 1 from installations i where i.brand_id = $? and i.machine_id = a.machine_id
                     and i.from_at < $? and (i.to_at is null or i.to_at > $?)
                     and (a.to_at is null or i.from_at < a.to_at) and (i.to_at is null or i.to_at > a.from_at)",
                [brand.into(), to.into(), from.into()],
            )
            .and_in_padded("i.base_station_id", filter.base_stations.iter().copied())
            .push(")");
    }
    statement.push(")")
}
