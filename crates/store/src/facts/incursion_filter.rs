//! Which incursions are asked for, as conditions on their rows.

use domain::insights::{IncursionFilter, Question};
use domain::{BaseStationId, Cut, TagId, Timestamp};

use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// From so many parts on, the rows wanted are soon met by going through all in order of time.
const MOST_PARTS: usize = 16;

/// More links than this are no help, and too many for a statement.
const MOST_LINKS: usize = 1_000;

/// By which index the rows are found. Besides time, that is the station's or the tag's; a filter on machines or people on foot
/// becomes one on the stations that were ever on these machines, or on the tags that these people ever wore. Facts are
/// attributed by just these links, so that nothing is lost by looking only there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    Time,
    Stations(Vec<BaseStationId>),
    Tags(Vec<TagId>),
}

impl Lookup {
    /// Lookups that together find the same, each of which an index gives in order of time: a page is then merged of the newest
    /// of each, however many older ones there are.
    pub fn parts(self) -> Vec<Self> {
        match self {
            Self::Stations(all) if (2..=MOST_PARTS).contains(&all.len()) => {
                all.into_iter().map(|one| Self::Stations(vec![one])).collect()
            }
            Self::Tags(all) if (2..=MOST_PARTS).contains(&all.len()) => {
                all.into_iter().map(|one| Self::Tags(vec![one])).collect()
            }
            whole => vec![whole],
        }
    }
}

/// How to find the rows.
pub(crate) async fn lookup(filter: &IncursionFilter, tx: &mut Tx, scope: &Scope) -> Result<Lookup, Error> {
    if !filter.tags.is_empty() {
        return Ok(Lookup::Tags(filter.tags.clone()));
    }
    if !filter.pedestrians.is_empty() {
        let statement = sql!("select distinct tag_id as id from tag_assignments where brand_id = $1")
            .bind(scope.brand())
            .among("person_id", filter.pedestrians.iter().copied());
        let found: Vec<Id<TagId>> = tx.all(statement).await?;
        if found.len() <= MOST_LINKS {
            return Ok(Lookup::Tags(found.into_iter().map(|Id(id)| id).collect()));
        }
    }
    if !filter.base_stations.is_empty() {
        return Ok(Lookup::Stations(filter.base_stations.clone()));
    }
    if !filter.machines.is_empty() {
        let statement = sql!("select distinct base_station_id as id from installations where brand_id = $1")
            .bind(scope.brand())
            .among("machine_id", filter.machines.iter().copied());
        let found: Vec<Id<BaseStationId>> = tx.all(statement).await?;
        if found.len() <= MOST_LINKS {
            return Ok(Lookup::Stations(found.into_iter().map(|Id(id)| id).collect()));
        }
    }
    Ok(Lookup::Time)
}

/// Appends the conditions on `i`, of those that the scope shows.
pub(crate) fn conditions(
    filter: &IncursionFilter,
    mut statement: Statement,
    scope: &Scope,
    lookup: &Lookup,
    now: Timestamp,
) -> Statement {
    statement = of_scope(statement, scope);
    if let Some(period) = filter.period {
        // Use cases refuse such a period before; there is nothing in it.
        let Ok((from, to)) = period.bounds(now) else { return statement.push(" and 1 = 0") };
        statement = cuts(Some(from), to, statement);
    }
    statement = match lookup {
        Lookup::Time => statement,
        Lookup::Stations(stations) => statement.among("i.base_station_id", stations.iter().copied()),
        Lookup::Tags(tags) => statement.among("i.tag_id", tags.iter().copied()),
    };
    // What is not in the lookup already: the stations, if it is by tags.
    let stations = match lookup {
        Lookup::Tags(_) => &filter.base_stations[..],
        Lookup::Time | Lookup::Stations(_) => &[],
    };
    own_conditions(filter, links(filter, stations, statement))
}

/// Appends the conditions on `i` of a question, of those that the scope shows. They say what is meant and nothing else, so
/// that facts count by what they say of themselves, whatever links there are.
pub(crate) fn conditions_of(question: &Question, mut statement: Statement, scope: &Scope) -> Statement {
    let filter = &question.filter;
    statement = of_scope(statement, scope);
    if let Some(projects) = &question.within {
        statement = statement.among("i.project_id", projects.iter().copied());
    }
    statement = cuts(question.from, question.to, statement);
    if !filter.tags.is_empty() {
        statement = statement.among("i.tag_id", filter.tags.iter().copied());
    }
    own_conditions(filter, links(filter, &filter.base_stations, statement))
}

fn of_scope(statement: Statement, scope: &Scope) -> Statement {
    statement
        .push_with(" where i.brand_id = $?", [scope.brand().into()])
        .within(scope.projects(), "i.project_id")
}

/// Appends the conditions on when an incursion began.
fn cuts(from: Option<Cut>, to: Option<Cut>, statement: Statement) -> Statement {
    let statement = match from {
        None => statement,
        Some(Cut::At(at)) => statement.push_with(" and i.started_at >= $?", [at.into()]),
        // The index is by the instant, so that bounds what is looked at.
        Some(cut @ Cut::Day(day)) => statement.push_with(
            " and i.started_at >= $? and i.local_day >= $?",
            [cut.earliest().into(), day.number().into()],
        ),
    };
    match to {
        None => statement,
        Some(Cut::At(at)) => statement.push_with(" and i.started_at < $?", [at.into()]),
        Some(cut @ Cut::Day(day)) => statement.push_with(
            " and i.started_at < $? and i.local_day < $?",
            [cut.latest().into(), day.number().into()],
        ),
    }
}

/// Appends the conditions on what an incursion is linked to, but for the tag.
fn links(filter: &IncursionFilter, stations: &[BaseStationId], mut statement: Statement) -> Statement {
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
            statement = statement.among(column, ids);
        }
    }
    if !filter.people.is_empty() {
        statement = statement.push(" and (i.pedestrian_id in ").list(filter.people.iter().copied());
        statement = statement.push(" or i.operator_id in ").list(filter.people.iter().copied()).push(")");
    }
    statement
}

/// Appends the conditions on what an incursion is by itself.
fn own_conditions(filter: &IncursionFilter, mut statement: Statement) -> Statement {
    if !filter.zones.is_empty() {
        statement = statement.among("i.zone", filter.zones.iter().map(|zone| zone.code()));
    }
    if !filter.reviews.is_empty() {
        statement = statement.among("i.review", filter.reviews.iter().map(|review| review.code()));
    }
    statement = statement.push(match filter.acknowledged {
        Some(true) => " and i.acknowledged_at is not null",
        Some(false) => " and i.acknowledged_at is null",
        None => "",
    });
    if let Some(least) = filter.min_duration {
        statement = statement
            .push_with(" and (i.ended_at - i.started_at) / 1000 >= $?", [(least.micros() / 1_000).into()]);
    }
    if let Some(most) = filter.max_duration {
        statement = statement
            .push_with(" and (i.ended_at - i.started_at) / 1000 <= $?", [(most.micros() / 1_000).into()]);
    }
    statement
}
