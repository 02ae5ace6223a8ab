//! Translates incursion filters and analytics questions into SQL conditions on incursion rows.

use domain::insights::{IncursionFilter, LocalHours, Question};
use domain::{BaseStationId, Day, IncursionId, PeriodBound, TagId, TimeZone, Timestamp};

use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Projects, Scope, Tx};

/// With more parts than this, a scan in order of time finds the wanted rows soon enough.
const MAX_PARTS: usize = 16;

/// More links than this do not narrow the search, and are too many for one statement.
pub(crate) const MAX_LINKS: usize = 1_000;

/// The index by which rows are found: by time, by station, by tag or by their ids. A filter on machines or pedestrians becomes one on the
/// stations that were ever installed on these machines, or on the tags that these people ever wore. Facts are attributed
/// by exactly these links, so this loses nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AccessPath {
    Time,
    Stations(Vec<BaseStationId>),
    Tags(Vec<TagId>),
    /// Only the rows with these ids.
    Ids(Vec<IncursionId>),
}

impl AccessPath {
    /// Splits the path into parts that together find the same rows, each of which an index returns in order of time. A page is
    /// then merged from the newest rows of each part, however many older ones there are.
    pub fn split(self) -> Vec<Self> {
        match self {
            Self::Stations(all) if (2..=MAX_PARTS).contains(&all.len()) => {
                all.into_iter().map(|one| Self::Stations(vec![one])).collect()
            }
            Self::Tags(all) if (2..=MAX_PARTS).contains(&all.len()) => {
                all.into_iter().map(|one| Self::Tags(vec![one])).collect()
            }
            whole => vec![whole],
        }
    }

    /// Returns whether the index returns the rows in order of time.
    pub fn is_in_order_of_time(&self) -> bool {
        match self {
            Self::Time => true,
            Self::Stations(stations) => stations.len() == 1,
            Self::Tags(tags) => tags.len() == 1,
            Self::Ids(_) => false,
        }
    }
}

pub(crate) async fn choose_access_path(
    filter: &IncursionFilter,
    tx: &mut Tx,
    scope: &Scope,
) -> Result<AccessPath, Error> {
    if !filter.tags.is_empty() {
        return Ok(AccessPath::Tags(filter.tags.clone()));
    }
    if !filter.pedestrians.is_empty() {
        let statement = sql!("select distinct tag_id as id from tag_assignments where brand_id = $1")
            .bind(scope.brand())
            .and_in("person_id", filter.pedestrians.iter().copied());
        let found: Vec<Id<TagId>> = tx.all(statement).await?;
        if found.len() <= MAX_LINKS {
            return Ok(AccessPath::Tags(found.into_iter().map(|Id(id)| id).collect()));
        }
    }
    if !filter.base_stations.is_empty() {
        return Ok(AccessPath::Stations(filter.base_stations.clone()));
    }
    if !filter.machines.is_empty() {
        let statement = sql!("select distinct base_station_id as id from installations where brand_id = $1")
            .bind(scope.brand())
            .and_in("machine_id", filter.machines.iter().copied());
        let found: Vec<Id<BaseStationId>> = tx.all(statement).await?;
        if found.len() <= MAX_LINKS {
            return Ok(AccessPath::Stations(found.into_iter().map(|Id(id)| id).collect()));
        }
    }
    Ok(AccessPath::Time)
}

/// Appends the conditions on `i`, limited to what is visible in the scope.
pub(crate) fn conditions(
    filter: &IncursionFilter,
    statement: Statement,
    scope: &Scope,
    lookup: &AccessPath,
    now: Timestamp,
) -> Statement {
    conditions_planned(filter, statement, scope, lookup, now, Plan::Custom)
}

/// Appends the same conditions for one page in the order of time. Only one index has that order, so one plan serves every period if
/// nothing else restricts the rows.
pub(crate) fn page_conditions(
    filter: &IncursionFilter,
    statement: Statement,
    scope: &Scope,
    lookup: &AccessPath,
    now: Timestamp,
) -> Statement {
    let is_plain = filter.is_only_of_period_and_review() && matches!(scope.projects(), Projects::All);
    let plan = match lookup {
        AccessPath::Time if is_plain => Plan::Generic,
        _ => Plan::Custom,
    };
    conditions_planned(filter, statement, scope, lookup, now, plan)
}

/// Whether PostgreSQL plans a prepared statement anew for the values of each execution, or once for all. It plans anew as long as
/// that seems to pay, which planning a page does not: it takes as long as reading it
/// (docs/decisions/0095-related-records-in-memory.md).
#[derive(Clone, Copy)]
enum Plan {
    Custom,
    /// The values of bounds are hidden from the planner, so that a plan for them seems no better than one for all.
    Generic,
}

impl Plan {
    /// Returns a placeholder for a whole number.
    fn number(self) -> &'static str {
        match self {
            Self::Custom => "$?",
            Self::Generic => "(select cast($? as bigint))",
        }
    }
}

fn conditions_planned(
    filter: &IncursionFilter,
    mut statement: Statement,
    scope: &Scope,
    lookup: &AccessPath,
    now: Timestamp,
    plan: Plan,
) -> Statement {
    let brand = match lookup {
        // All indexes begin with the brand. The unary plus keeps the engines from using one of them, and reading all rows of the brand.
        AccessPath::Ids(_) => "+i.brand_id",
        AccessPath::Time | AccessPath::Stations(_) | AccessPath::Tags(_) => "i.brand_id",
    };
    statement = scope_conditions(statement, scope, brand);
    if let Some(period) = filter.period {
        // The use cases refuse such a period earlier; it contains nothing. They also set the start, so that the zone does not matter.
        let Ok((from, to)) = period.bounds(now, &TimeZone::utc()) else {
            return statement.push(" and 1 = 0");
        };
        statement = period_conditions(Some(from), to, statement, plan);
    }
    statement = match lookup {
        AccessPath::Time => statement,
        AccessPath::Stations(stations) => statement.and_in("i.base_station_id", stations.iter().copied()),
        AccessPath::Tags(tags) => statement.and_in("i.tag_id", tags.iter().copied()),
        AccessPath::Ids(ids) => tag_conditions(filter, statement.and_in("i.id", ids.iter().copied())),
    };
    // The station condition is still missing if the access path is by tags or ids.
    let stations = match lookup {
        AccessPath::Tags(_) | AccessPath::Ids(_) => &filter.base_stations[..],
        AccessPath::Time | AccessPath::Stations(_) => &[],
    };
    statement = kind_conditions(filter, scope, statement, ("i.machine_id", "i.worksite_id"));
    own_conditions(filter, link_conditions(filter, stations, statement))
}

/// Appends the conditions of a question on `i`, limited to what is visible in the scope. They use only the columns of the
/// facts themselves, never the links, so that facts count as they were attributed. Incursions that started before `kept_from` do not count.
pub(crate) fn question_conditions(
    question: &Question,
    kept_from: Option<Timestamp>,
    mut statement: Statement,
    scope: &Scope,
) -> Statement {
    let filter = &question.filter;
    statement = scope_conditions(statement, scope, "i.brand_id");
    if let Some(projects) = &question.visible_projects {
        statement = statement.and_in("i.project_id", projects.iter().copied());
    }
    statement = period_conditions(question.from, question.to, statement, Plan::Custom);
    // Only where it says more: of two lower bounds, an engine may look up the wrong one in the index.
    if let Some(at) = kept_from.filter(|at| question.from.is_none_or(|from| from.earliest() < *at)) {
        statement = statement.push_with(" and i.started_at >= $?", [at.into()]);
    }
    statement = tag_conditions(filter, statement);
    statement = kind_conditions(filter, scope, statement, ("i.machine_id", "i.worksite_id"));
    own_conditions(filter, link_conditions(filter, &filter.base_stations, statement))
}

/// `brand` is the column of the brand.
fn scope_conditions(statement: Statement, scope: &Scope, brand: &'static str) -> Statement {
    statement
        .push(" where ")
        .push(brand)
        .push_with(" = $?", [scope.brand().into()])
        .and_in_projects(scope.projects(), "i.project_id")
}

fn tag_conditions(filter: &IncursionFilter, statement: Statement) -> Statement {
    match filter.tags.is_empty() {
        true => statement,
        false => statement.and_in("i.tag_id", filter.tags.iter().copied()),
    }
}

/// Appends the conditions on the start of an incursion. The index is on the instant, so for a day there is also a bound on that, which
/// limits the rows that are read.
fn period_conditions(
    from: Option<PeriodBound>,
    to: Option<PeriodBound>,
    statement: Statement,
    plan: Plan,
) -> Statement {
    let and = |statement: Statement, condition: &'static str, number: i64| {
        statement.push(condition).push_with(plan.number(), [number.into()])
    };
    let statement = match from {
        None => statement,
        Some(bound) => {
            let statement = and(statement, " and i.started_at >= ", bound.earliest().micros());
            match bound {
                PeriodBound::Instant(_) => statement,
                PeriodBound::Day(day) => and(statement, " and i.local_day >= ", day.number()),
            }
        }
    };
    match to {
        None => statement,
        Some(bound) => {
            let statement = and(statement, " and i.started_at < ", bound.latest().micros());
            match bound {
                PeriodBound::Instant(_) => statement,
                PeriodBound::Day(day) => and(statement, " and i.local_day < ", day.number()),
            }
        }
    }
}

/// Appends the conditions on the hours of the clock at which an incursion started.
pub(crate) fn hour_conditions(hours: LocalHours, mut statement: Statement) -> Statement {
    if let Some(hour) = hours.hour {
        let day = Day::from_number(hour.div_euclid(24));
        // Also bounds the instant, on which there is an index.
        let from = PeriodBound::Day(day);
        let to = PeriodBound::Day(Day::from_number(day.number() + 1));
        statement = period_conditions(Some(from), Some(to), statement, Plan::Custom)
            .push_with(" and i.local_minute % 1440 / 60 = $?", [hour.rem_euclid(24).into()]);
    }
    if let Some(hour) = hours.hour_of_day {
        statement = statement.push_with(" and i.local_minute % 1440 / 60 = $?", [hour.into()]);
    }
    if let Some(day) = hours.day_of_week {
        statement = statement.push_with(" and i.local_minute / 1440 = $?", [day.into()]);
    }
    statement
}

/// Appends the conditions on the kinds of machines and worksites, whose ids are in these columns.
pub(crate) fn kind_conditions(
    filter: &IncursionFilter,
    scope: &Scope,
    mut statement: Statement,
    (machine, worksite): (&'static str, &'static str),
) -> Statement {
    let brand = scope.brand();
    if !filter.machine_kinds.is_empty() {
        statement = statement
            .push(" and ")
            .push(machine)
            .push_with(" in (select id from machines where brand_id = $?", [brand.into()])
            .and_in("kind", filter.machine_kinds.iter().map(|kind| kind.as_str()))
            .push(")");
    }
    if !filter.worksite_kinds.is_empty() {
        statement = statement
            .push(" and ")
            .push(worksite)
            .push_with(" in (select id from worksites where brand_id = $?", [brand.into()])
            .and_in("kind", filter.worksite_kinds.iter().map(|kind| kind.as_str()))
            .push(")");
    }
    statement
}

/// Appends the conditions on linked records, except on the tag.
fn link_conditions(
    filter: &IncursionFilter,
    stations: &[BaseStationId],
    mut statement: Statement,
) -> Statement {
    let ids: [(&str, Vec<i64>); 6] = [
        ("i.project_id", filter.projects.iter().map(|id| id.0).collect()),
        ("i.worksite_id", filter.worksites.iter().map(|id| id.0).collect()),
        ("i.machine_id", filter.machines.iter().map(|id| id.0).collect()),
        ("i.base_station_id", stations.iter().map(|id| id.0).collect()),
        ("i.pedestrian_id", filter.pedestrians.iter().map(|id| id.0).collect()),
        ("i.operator_id", filter.operators.iter().map(|id| id.0).collect()),
    ];
    for (column, ids) in ids {
        if !ids.is_empty() {
            statement = statement.and_in(column, ids);
        }
    }
    if !filter.people.is_empty() {
        statement = statement.push(" and (i.pedestrian_id in ").push_list(filter.people.iter().copied());
        statement =
            statement.push(" or i.operator_id in ").push_list(filter.people.iter().copied()).push(")");
    }
    statement
}

/// Appends the conditions on the incursion's own fields.
fn own_conditions(filter: &IncursionFilter, mut statement: Statement) -> Statement {
    if !filter.zones.is_empty() {
        statement = statement.and_in("i.zone", filter.zones.iter().map(|zone| zone.code()));
    }
    if !filter.reviews.is_empty() {
        statement = statement.and_in("i.review", filter.reviews.iter().map(|review| review.code()));
    }
    statement = statement.push(match filter.acknowledged {
        Some(true) => " and i.acknowledged_at is not null",
        Some(false) => " and i.acknowledged_at is null",
        None => "",
    });
    if let Some(min) = filter.min_duration {
        statement = statement
            .push_with(" and (i.ended_at - i.started_at) / 1000 >= $?", [(min.micros() / 1_000).into()]);
    }
    if let Some(max) = filter.max_duration {
        statement = statement
            .push_with(" and (i.ended_at - i.started_at) / 1000 <= $?", [(max.micros() / 1_000).into()]);
    }
    statement
}
