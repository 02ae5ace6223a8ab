//! The newest incursions of each of many filters, in one statement.

use std::collections::{BTreeMap, BTreeSet};

use domain::insights::IncursionFilter;
use domain::{BaseStationId, IncursionId, ProjectId, Span, TagId, Timestamp, WorksiteId};

use crate::engine::statement::{Statement, sql};
use crate::facts::incursion_filter::{self, AccessPath, MAX_LINKS};
use crate::{Error, Scope, Tx};

/// Which incursions are looked for, and how many of them.
#[derive(Clone, Debug)]
pub struct EvidenceRequest {
    /// What is visible. All requests are about one brand.
    pub scope: Scope,
    pub filter: IncursionFilter,
    pub limit: u16,
}

/// What is shown of an incursion that a value rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct EvidenceRow {
    pub id: IncursionId,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
}

impl EvidenceRow {
    /// Returns how long it was; none if it has not ended.
    pub fn duration(&self) -> Option<Span> {
        self.ended_at.map(|ended_at| ended_at - self.started_at)
    }
}

#[derive(macros::FromRow)]
struct PlacedRow {
    /// The place of its request.
    place: i64,
    #[row(flatten)]
    row: EvidenceRow,
}

#[derive(macros::FromRow)]
struct Link {
    from_id: i64,
    to_id: i64,
}

/// The tags that people ever wore, or the stations that were ever installed on machines.
type Links = BTreeMap<i64, BTreeSet<i64>>;

/// No statement gets more values once it has so many: PostgreSQL allows 65,535 of them, and SQLite 32,766. A request has up to some 1,500.
const MAX_VALUES: usize = 10_000;
/// SQLite allows 500 parts of a statement.
const MAX_PARTS: usize = 200;
const MAX_IDS: usize = 1_000;

const TAGS_OF_PEOPLE: &str =
    "select distinct person_id as from_id, tag_id as to_id from tag_assignments where brand_id = $1";
const STATIONS_OF_MACHINES: &str =
    "select distinct machine_id as from_id, base_station_id as to_id from installations where brand_id = $1";

#[macros::boxed]
impl Tx {
    /// Returns the newest incursions of each request, newest first, and one more than wanted if there are more.
    pub async fn newest_incursions(
        &mut self,
        requests: &[EvidenceRequest],
        now: Timestamp,
    ) -> Result<Vec<Vec<EvidenceRow>>, Error> {
        let mut found: Vec<Vec<EvidenceRow>> = vec![Vec::new(); requests.len()];
        let filters = || requests.iter().map(|request| &request.filter);
        let people = filters().filter(|filter| filter.tags.is_empty()).flat_map(|filter| &filter.pedestrians);
        let people: BTreeSet<i64> = people.map(|id| id.0).collect();
        let machines = filters().filter(|filter| filter.base_stations.is_empty());
        let machines: BTreeSet<i64> = machines.flat_map(|filter| &filter.machines).map(|id| id.0).collect();
        let Some(scope) = requests.first().map(|request| request.scope.clone()) else { return Ok(found) };
        let tags = self.ever_linked(&scope, (TAGS_OF_PEOPLE, "person_id"), &people).await?;
        let stations = self.ever_linked(&scope, (STATIONS_OF_MACHINES, "machine_id"), &machines).await?;

        let (mut statement, mut parts) = (sql!(""), 0);
        for (place, request) in requests.iter().enumerate() {
            let path = path_of(&request.filter, &tags, &stations);
            let separator = if parts == 0 { "" } else { " union all " };
            statement = push_part(statement.push(separator), (place, request), &path, now);
            parts += 1;
            let is_last = place + 1 == requests.len();
            if is_last || parts >= MAX_PARTS || statement.values.len() >= MAX_VALUES {
                // A text of several parts hardly comes again.
                let whole = std::mem::replace(&mut statement, sql!(""));
                let whole = if parts > 1 { whole.uncached() } else { whole };
                for PlacedRow { place, row } in self.all::<PlacedRow>(whole).await? {
                    let rows = usize::try_from(place).ok().and_then(|place| found.get_mut(place));
                    if let Some(rows) = rows {
                        rows.push(row);
                    }
                }
                parts = 0;
            }
        }
        for rows in &mut found {
            rows.sort_unstable_by_key(|row| std::cmp::Reverse((row.started_at, row.id)));
        }
        Ok(found)
    }

    /// Finds what these ids were ever linked to.
    async fn ever_linked(
        &mut self,
        scope: &Scope,
        (text, column): (&'static str, &'static str),
        ids: &BTreeSet<i64>,
    ) -> Result<Links, Error> {
        let ids: Vec<i64> = ids.iter().copied().collect();
        let mut links = Links::new();
        for some in ids.chunks(MAX_IDS) {
            let statement = sql!(text, scope.brand()).and_in_padded(column, some.iter().copied());
            for Link { from_id, to_id } in self.all::<Link>(statement).await? {
                links.entry(from_id).or_default().insert(to_id);
            }
        }
        Ok(links)
    }
}

/// Returns the index by which the rows of a filter are found, as for a page.
fn path_of(filter: &IncursionFilter, tags: &Links, stations: &Links) -> AccessPath {
    if !filter.tags.is_empty() {
        return AccessPath::Tags(filter.tags.clone());
    }
    if !filter.pedestrians.is_empty()
        && let Some(found) = all_linked(tags, filter.pedestrians.iter().map(|id| id.0))
    {
        return AccessPath::Tags(found.into_iter().map(TagId).collect());
    }
    if !filter.base_stations.is_empty() {
        return AccessPath::Stations(filter.base_stations.clone());
    }
    if !filter.machines.is_empty()
        && let Some(found) = all_linked(stations, filter.machines.iter().map(|id| id.0))
    {
        return AccessPath::Stations(found.into_iter().map(BaseStationId).collect());
    }
    AccessPath::Time
}

/// Returns what these ids were ever linked to; none if that is too much to be listed.
fn all_linked(links: &Links, ids: impl Iterator<Item = i64>) -> Option<BTreeSet<i64>> {
    let all: BTreeSet<i64> = ids.filter_map(|id| links.get(&id)).flatten().copied().collect();
    (all.len() <= MAX_LINKS).then_some(all)
}

/// Appends the rows of one request.
fn push_part(
    statement: Statement,
    (place, request): (usize, &EvidenceRequest),
    path: &AccessPath,
    now: Timestamp,
) -> Statement {
    let place = i64::try_from(place).unwrap_or(i64::MAX);
    let statement = statement.push_with(
        "select * from (select cast($? as bigint) as place, i.id, i.started_at, i.ended_at, i.worksite_id, i.project_id from incursions i",
        [place.into()],
    );
    let statement = incursion_filter::conditions(&request.filter, statement, &request.scope, path, now);
    let one_more = i64::from(request.limit) + 1;
    statement.push_with(" order by i.started_at desc, i.id desc limit $?) as part", [one_more.into()])
}

#[cfg(test)]
mod tests {
    use domain::{MachineId, PersonId};

    use super::*;

    #[test]
    fn rows_are_found_by_the_narrowest_index() {
        let tags = Links::from([(1, BTreeSet::from([11, 12]))]);
        let stations = Links::from([(7, BTreeSet::from([71])), (8, (0..2_000).collect())]);
        let path = |filter: &IncursionFilter| path_of(filter, &tags, &stations);
        let of_tags = IncursionFilter { tags: vec![TagId(3)], ..IncursionFilter::default() };
        assert_eq!(path(&of_tags), AccessPath::Tags(vec![TagId(3)]));
        let walkers = |id: i64| IncursionFilter {
            pedestrians: vec![PersonId(id)],
            machines: vec![MachineId(7)],
            ..IncursionFilter::default()
        };
        assert_eq!(path(&walkers(1)), AccessPath::Tags(vec![TagId(11), TagId(12)]));
        // Someone who never wore a tag has no incursions.
        assert_eq!(path(&walkers(2)), AccessPath::Tags(Vec::new()));
        let machine =
            |id: i64| IncursionFilter { machines: vec![MachineId(id)], ..IncursionFilter::default() };
        assert_eq!(path(&machine(7)), AccessPath::Stations(vec![BaseStationId(71)]));
        assert_eq!(path(&machine(8)), AccessPath::Time, "too many to be listed");
        assert_eq!(path(&IncursionFilter::default()), AccessPath::Time);
    }
}
