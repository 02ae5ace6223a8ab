//! Incursions as they were at a sequence number: page by page in order of time, or counted by tag.
//!
//! The history holds the replaced versions with the sequence numbers between which they held. A row whose number is not
//! above the requested one is taken as it is; a row that changed since is taken from the history; a row that was added
//! since has no earlier version and is left out. Neither the start nor the id of a row ever changes, so pages that
//! continue after the last row neither miss nor repeat rows, although each is read in a snapshot of its own. Rows that
//! retention deletes meanwhile are missing. Names are the current ones.

use domain::insights::IncursionFilter;
use domain::{IncursionDetails, IncursionId, Span, TagId, Timestamp};

use crate::engine::statement::{Statement, sql};
use crate::facts::incursion_details::{COLUMNS, NAME_JOINS};
use crate::facts::incursion_filter::{AccessPath, conditions};
use crate::{Error, Scope, Tx};

#[derive(Clone, Copy, Debug)]
pub struct AsOfPageRequest<'a> {
    /// Its period gives the beginning and the end.
    pub filter: &'a IncursionFilter,
    pub seq: i64,
    pub after: (Timestamp, IncursionId),
    /// Only incursions that started before this. Without it, a filter that matches little would make one page read everything.
    pub until: Timestamp,
    pub limit: i64,
}

#[derive(Clone, Copy, Debug)]
pub struct AsOfCountRequest<'a> {
    pub filter: &'a IncursionFilter,
    pub seq: i64,
    /// Only incursions that started in `[from, until)`.
    pub started: (Timestamp, Timestamp),
    /// How long a passed test covers its tag.
    pub test_interval: Span,
}

/// How many incursions a tag had, and at the start of how many of them it was in test: its last test until then was passed less than the
/// interval before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct IncursionsOfTag {
    #[row(column = "tag_id")]
    pub tag: TagId,
    pub incursions: i64,
    pub in_test: i64,
}

/// The incursions of a brand that are visible in the scope, as they were at a sequence number.
pub struct IncursionsAsOf<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// Gives access to incursions as they were. Read them in a [`crate::Snapshot`].
    pub fn incursions_as_of<'a>(&'a mut self, scope: &'a Scope) -> IncursionsAsOf<'a> {
        IncursionsAsOf(self, scope)
    }
}

/// The columns of a row of `incursions`, in the order of `was`.
const ROW: &str = "select i.id, i.brand_id, i.seq, i.base_station_id, i.uid, i.tag_id, i.operator_tag_id, i.started_at, i.ended_at,
    i.closed_at, i.acknowledged_at, i.zone, i.closest_cm, i.lat_e7, i.lon_e7, i.machine_id, i.pedestrian_id, i.operator_id,
    i.worksite_id, i.project_id, i.local_day, i.local_minute, i.cell, i.review, i.received_at";

/// The versions that held at the sequence number, of rows that changed since. They are selected first: changes since then
/// are few, while the period of a page has many rows.
const PREVIOUS_VERSIONS: &str = "with was as materialized (select c.id, c.brand_id, h.seq, c.base_station_id, c.uid, c.tag_id, h.operator_tag_id, c.started_at,
    h.ended_at, h.closed_at, h.acknowledged_at, h.zone, h.closest_cm, h.lat_e7, h.lon_e7, h.machine_id, h.pedestrian_id,
    h.operator_id, h.worksite_id, h.project_id, h.local_day, h.local_minute, h.cell, h.review, c.received_at
    from incursion_history h cross join incursions c
    where c.id = h.incursion_id and h.brand_id = $? and h.replaced_seq > $? and h.seq <= $?) ";

/// Says of each row of `p` whether its tag was in test. Reads one entry of the index on the tests of a tag for each.
const WITH_TEST: &str = "select p.tag_id, coalesce((
        select case when x.passed and x.tested_at > p.started_at - $? then 1 else 0 end from tag_tests x
        where x.brand_id = $? and x.tag_id = p.tag_id and x.tested_at <= p.started_at
        order by x.tested_at desc, x.id desc limit 1), 0) as in_test from (";

#[macros::boxed]
impl IncursionsAsOf<'_> {
    /// Returns a page, earliest first. If it is full, the next page starts after its last row, otherwise at `until`.
    pub async fn page(
        &mut self,
        of: AsOfPageRequest<'_>,
        now: Timestamp,
    ) -> Result<Vec<IncursionDetails>, Error> {
        self.0.prefer_indexes().await?;
        let lookup = access_path(of.filter);
        let previous =
            sql!("").push_with(PREVIOUS_VERSIONS, [self.1.brand().into(), of.seq.into(), of.seq.into()]);
        let mut statement = self.0.push_select(previous, &COLUMNS).push(" from (select i.* from (");
        for part in lookup.clone().split() {
            statement = statement.push("select * from (").push(ROW).push(" from incursions i");
            statement = self.conditions(statement, &of, &part, now);
            // The unary plus keeps the engines from using the index on `seq` and sorting all rows.
            statement = statement.push_with(" and +i.seq <= $?", [of.seq.into()]);
            statement = order_by_start(statement, &of).push(") as part union all ");
        }
        statement = statement.push("select * from (").push(ROW).push(" from was i");
        statement = self.conditions(statement, &of, &lookup, now);
        statement = order_by_start(statement, &of).push(") as part) as i");
        statement = order_by_start(statement, &of).push(") i").push(NAME_JOINS).push_with(
            " left join incursion_reviews r on r.id = (select max(l.id) from incursion_reviews l
                where l.brand_id = i.brand_id and l.incursion_id = i.id and l.seq <= $?)
              left join users u on u.id = r.user_id order by i.started_at, i.id",
            [of.seq.into()],
        );
        self.0.all(statement).await
    }

    /// Counts incursions by tag, in no particular order; tags without any are left out. Only the sums leave the database.
    pub async fn count_by_tag(
        &mut self,
        of: AsOfCountRequest<'_>,
        now: Timestamp,
    ) -> Result<Vec<IncursionsOfTag>, Error> {
        self.0.prefer_indexes().await?;
        let (brand, lookup) = (self.1.brand(), access_path(of.filter));
        let (from, until) = of.started;
        let mut statement = sql!("")
            .push_with(PREVIOUS_VERSIONS, [brand.into(), of.seq.into(), of.seq.into()])
            .push("select i.tag_id, count(*) as incursions, cast(sum(i.in_test) as bigint) as in_test from (")
            .push_with(WITH_TEST, [of.test_interval.micros().into(), brand.into()])
            .push("select i.tag_id, i.started_at from incursions i");
        statement = conditions(of.filter, statement, self.1, &lookup, now).push_with(
            " and i.started_at >= $? and i.started_at < $? and +i.seq <= $?",
            [from.into(), until.into(), of.seq.into()],
        );
        statement = statement.push(" union all select i.tag_id, i.started_at from was i");
        statement = conditions(of.filter, statement, self.1, &lookup, now)
            .push_with(" and i.started_at >= $? and i.started_at < $?", [from.into(), until.into()]);
        self.0.all(statement.push(") p) i group by i.tag_id").uncached()).await
    }

    /// Appends the conditions of the filter on `i`, and the position after the previous page.
    fn conditions(
        &self,
        statement: Statement,
        of: &AsOfPageRequest<'_>,
        part: &AccessPath,
        now: Timestamp,
    ) -> Statement {
        // For a single station or tag, its index returns rows in order of time. For several, the index on time does, and the
        // unary plus keeps the engines from using the other indexes and sorting their results again for every page.
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

/// Uses only the columns of the rows themselves: current links may have been corrected since, and the rows with them.
fn access_path(filter: &IncursionFilter) -> AccessPath {
    match filter {
        filter if !filter.tags.is_empty() => AccessPath::Tags(filter.tags.clone()),
        filter if !filter.base_stations.is_empty() => AccessPath::Stations(filter.base_stations.clone()),
        _ => AccessPath::Time,
    }
}

fn order_by_start(statement: Statement, of: &AsOfPageRequest<'_>) -> Statement {
    statement.push_with(" order by i.started_at, i.id limit $?", [of.limit.into()])
}
