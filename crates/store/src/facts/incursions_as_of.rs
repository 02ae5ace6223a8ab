//! The incursions of a brand as they were when it had come to a number, page by page in order of time.
//!
//! What a change replaced is kept, with the numbers between which it held. So a row whose number is not above the one asked for
//! is taken as it is, and of one that changed since, what it was then; one that came since has no such past and is left out.
//! Neither the start nor the id of a row ever changes, so pages that go on after the last row miss nothing and double nothing,
//! though each is read in a snapshot of its own. What is taken away by age meanwhile is missing. Names are those of now.

use domain::insights::IncursionFilter;
use domain::{IncursionId, Timestamp};

use crate::engine::statement::{Statement, sql};
use crate::facts::incursion_details::{COLUMNS, NAME_JOINS};
use crate::facts::incursion_filter::{AccessPath, conditions};
use crate::{Error, IncursionDetails, Scope, Tx};

/// A page of incursions as they were.
#[derive(Clone, Copy, Debug)]
pub struct AsOfPageRequest<'a> {
    /// Which ones; its period says where it begins and ends.
    pub filter: &'a IncursionFilter,
    /// The number.
    pub seq: i64,
    /// After which one.
    pub after: (Timestamp, IncursionId),
    /// Only those that began before: a filter that finds little would else have one page go through everything.
    pub until: Timestamp,
    /// How many at most.
    pub limit: i64,
}

/// The incursions of a brand that the scope shows, as they were.
pub struct IncursionsAsOf<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The incursions of a brand that the scope shows, as they were. To be read in a [`crate::Snapshot`].
    pub fn incursions_as_of<'a>(&'a mut self, scope: &'a Scope) -> IncursionsAsOf<'a> {
        IncursionsAsOf(self, scope)
    }
}

/// The columns of a row of incursions.
const ROW: &str = "select i.id, i.brand_id, i.seq, i.base_station_id, i.uid, i.tag_id, i.operator_tag_id, i.started_at, i.ended_at,
    i.closed_at, i.acknowledged_at, i.zone, i.closest_cm, i.lat_e7, i.lon_e7, i.machine_id, i.pedestrian_id, i.operator_id,
    i.worksite_id, i.project_id, i.local_day, i.local_minute, i.cell, i.review, i.received_at";

/// What rows were that have changed since. Changes come first: there are few since then, and many rows of the time that a page covers.
const PREVIOUS_VERSIONS: &str = "with was as materialized (select c.id, c.brand_id, h.seq, c.base_station_id, c.uid, c.tag_id, h.operator_tag_id, c.started_at,
    h.ended_at, h.closed_at, h.acknowledged_at, h.zone, h.closest_cm, h.lat_e7, h.lon_e7, h.machine_id, h.pedestrian_id,
    h.operator_id, h.worksite_id, h.project_id, h.local_day, h.local_minute, h.cell, h.review, c.received_at
    from incursion_history h cross join incursions c
    where c.id = h.incursion_id and h.brand_id = $? and h.replaced_seq > $? and h.seq <= $?) ";

impl IncursionsAsOf<'_> {
    /// One page, the earliest first. If it is full, the next begins after its last row, else where this one was to end.
    pub async fn page(
        &mut self,
        of: AsOfPageRequest<'_>,
        now: Timestamp,
    ) -> Result<Vec<IncursionDetails>, Error> {
        self.0.prefer_indexes().await?;
        // Only by what the rows say of themselves: links of now may have been corrected since, and the rows with them.
        let lookup = match of.filter {
            filter if !filter.tags.is_empty() => AccessPath::Tags(filter.tags.clone()),
            filter if !filter.base_stations.is_empty() => AccessPath::Stations(filter.base_stations.clone()),
            _ => AccessPath::Time,
        };
        let mut statement =
            sql!("").push_with(PREVIOUS_VERSIONS, [self.1.brand().into(), of.seq.into(), of.seq.into()]);
        statement = statement.push(COLUMNS).push(" from (select i.* from (");
        for part in lookup.clone().split() {
            statement = statement.push("select * from (").push(ROW).push(" from incursions i");
            statement = self.conditions(statement, &of, &part, now);
            // The sign keeps the engines from looking by the number and sorting everything.
            statement = statement.push_with(" and +i.seq <= $?", [of.seq.into()]);
            statement = order_by_start(statement, &of).push(") as part union all ");
        }
        statement = statement.push("select * from (").push(ROW).push(" from was i");
        statement = self.conditions(statement, &of, &lookup, now);
        statement = order_by_start(statement, &of).push(") as part) as i");
        statement = order_by_start(statement, &of).push(")").push(NAME_JOINS).push_with(
            " left join incursion_reviews r on r.id = (select max(l.id) from incursion_reviews l
                where l.brand_id = i.brand_id and l.incursion_id = i.id and l.seq <= $?)
              left join users u on u.id = r.user_id order by i.started_at, i.id",
            [of.seq.into()],
        );
        self.0.all(statement).await
    }

    /// Appends what the filter says of `i`, and that it comes after the page before.
    fn conditions(
        &self,
        statement: Statement,
        of: &AsOfPageRequest<'_>,
        part: &AccessPath,
        now: Timestamp,
    ) -> Statement {
        // One of each comes in order of time by its index; of several, that of time itself gives it, and the sign keeps the
        // engines from looking by the others and sorting what they find, anew for every page.
        let statement = match part {
            AccessPath::Stations(stations) if stations.len() != 1 => {
                conditions(of.filter, statement, self.1, &AccessPath::Time, now)
                    .and_in("+i.base_station_id", stations.iter().copied())
            }
            AccessPath::Tags(tags) if tags.len() != 1 => {
                let statement = conditions(of.filter, statement, self.1, &AccessPath::Time, now)
                    .and_in("+i.tag_id", tags.iter().copied());
                match of.filter.base_stations.is_empty() {
                    true => statement,
                    false => statement.and_in("+i.base_station_id", of.filter.base_stations.iter().copied()),
                }
            }
            one => conditions(of.filter, statement, self.1, one, now),
        };
        statement.push_with(
            " and (i.started_at, i.id) > ($?, $?) and i.started_at < $?",
            [of.after.0.into(), of.after.1.into(), of.until.into()],
        )
    }
}

fn order_by_start(statement: Statement, of: &AsOfPageRequest<'_>) -> Statement {
    statement.push_with(" order by i.started_at, i.id limit $?", [of.limit.into()])
}
