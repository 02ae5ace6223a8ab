//! Reads the facts of a brand from the newest backwards, for building a copy of them.
//!
//! Pages are read side by side, and out of step with each other: each is a window of time, and rows whose number is above the last one of
//! the copy are skipped, as in every scan by time.

use std::time::Duration;

use domain::insights::{IncursionFact, RuntimeFact};
use domain::{
    BaseStationId, Day, IncursionId, MachineId, PersonId, ProjectId, Review, RuntimePieceId, TagId,
    Timestamp, WorksiteId, Zone,
};

use super::{FactChanges, to_limit};
use crate::Error;
use crate::engine::dialect::{NumberPage, Numbers};
use crate::engine::page::Count;
use crate::engine::statement::sql;

/// A window of time: facts that start at `from` or later, and before a start and an id. Without a `from` it has no beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactWindow {
    pub from: Option<Timestamp>,
    pub before: (Timestamp, i64),
    /// The most facts that are read, which are the newest.
    pub limit: usize,
}

/// The starts of the first facts of a brand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct OldestFacts {
    pub incursion: Option<Timestamp>,
    pub runtime: Option<Timestamp>,
}

/// A page that has been read and not taken apart, which takes a moment and needs no connection.
#[derive(Debug)]
pub struct FactPage<T> {
    page: NumberPage,
    columns: usize,
    read: fn(&mut Numbers<'_>) -> Result<T, Error>,
}

impl<T> FactPage<T> {
    /// Returns the facts, newest first.
    pub fn decode(&self) -> Result<Vec<T>, Error> {
        self.page.decode(self.columns, self.read)
    }
}

const MINUTES_PER_WEEK: i64 = 7 * 1_440;

/// `read_incursion` reads the columns in this order. Sums are fewer columns, each of which takes PostgreSQL time to send.
const INCURSION: &[&str] = &[
    "f.id",
    "f.started_at",
    "f.ended_at - f.started_at",
    "f.acknowledged_at - f.started_at",
    "((f.local_day * 10080 + f.local_minute) * 4 + f.review) * 4 + f.zone",
    "f.machine_id",
    "f.pedestrian_id",
    "f.operator_id",
    "f.worksite_id",
    "f.project_id",
    "f.base_station_id",
    "f.tag_id",
    "f.cell",
];

fn read_incursion(numbers: &mut Numbers<'_>) -> Result<IncursionFact, Error> {
    let unknown = |column| move || Error::Unusable(format!("column {column} has an unknown code"));
    let (id, started_at) = (numbers.next()?, numbers.next()?);
    let after = |us: i64| Timestamp::from_micros(started_at.saturating_add(us));
    let (ended_at, acknowledged_at) = (numbers.optional()?.map(after), numbers.optional()?.map(after));
    let sum = numbers.next()?;
    let (zone, review, minutes) = (sum.rem_euclid(4), sum.div_euclid(4).rem_euclid(4), sum.div_euclid(16));
    Ok(IncursionFact {
        id: IncursionId(id),
        started_at: Timestamp::from_micros(started_at),
        ended_at,
        acknowledged_at,
        zone: Zone::from_code(zone).ok_or_else(unknown("zone"))?,
        review: Review::from_code(review).ok_or_else(unknown("review"))?,
        machine: numbers.optional()?.map(MachineId),
        pedestrian: numbers.optional()?.map(PersonId),
        operator: numbers.optional()?.map(PersonId),
        worksite: numbers.optional()?.map(WorksiteId),
        project: numbers.optional()?.map(ProjectId),
        base_station: BaseStationId(numbers.next()?),
        tag: TagId(numbers.next()?),
        local_day: Day::from_number(minutes.div_euclid(MINUTES_PER_WEEK)),
        local_minute: minutes.rem_euclid(MINUTES_PER_WEEK),
        cell: numbers.optional()?,
    })
}

/// `read_runtime` reads the columns in this order.
const RUNTIME: &[&str] = &[
    "f.id",
    "f.started_at",
    "f.ended_at - f.started_at",
    "f.local_day * 24 + f.local_hour",
    "f.base_station_id",
    "f.machine_id",
    "f.operator_id",
    "f.worksite_id",
    "f.project_id",
];

fn read_runtime(numbers: &mut Numbers<'_>) -> Result<RuntimeFact, Error> {
    let (id, started_at, length) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let hours = numbers.next()?;
    Ok(RuntimeFact {
        id: RuntimePieceId(id),
        started_at: Timestamp::from_micros(started_at),
        ended_at: Timestamp::from_micros(started_at.saturating_add(length)),
        base_station: BaseStationId(numbers.next()?),
        machine: numbers.optional()?.map(MachineId),
        operator: numbers.optional()?.map(PersonId),
        worksite: numbers.optional()?.map(WorksiteId),
        project: numbers.optional()?.map(ProjectId),
        local_day: Day::from_number(hours.div_euclid(24)),
        local_hour: hours.rem_euclid(24),
    })
}

#[macros::boxed]
impl FactChanges<'_> {
    /// Reads the incursions of a window whose last change is not after `last`.
    pub async fn incursions_of(
        &mut self,
        window: FactWindow,
        last: i64,
    ) -> Result<FactPage<IncursionFact>, Error> {
        let page = self.window_page("incursions f", INCURSION, window, last).await?;
        Ok(FactPage { page, columns: INCURSION.len(), read: read_incursion })
    }

    /// Reads the runtime pieces of a window in the same way.
    pub async fn runtime_of(
        &mut self,
        window: FactWindow,
        last: i64,
    ) -> Result<FactPage<RuntimeFact>, Error> {
        let page = self.window_page("runtime_pieces f", RUNTIME, window, last).await?;
        Ok(FactPage { page, columns: RUNTIME.len(), read: read_runtime })
    }

    async fn window_page(
        &mut self,
        table: &'static str,
        columns: &'static [&'static str],
        window: FactWindow,
        last: i64,
    ) -> Result<NumberPage, Error> {
        self.0.prefer_indexes().await?;
        let (before, id) = window.before;
        let mut rows = sql!(table).push_with(
            " where f.brand_id = $? and (f.started_at, f.id) < ($?, $?)",
            [self.1.brand().into(), before.into(), id.into()],
        );
        if let Some(from) = window.from {
            rows = rows.push_with(" and f.started_at >= $?", [from.into()]);
        }
        // The unary plus keeps the engines from using the index on the number.
        let rows = rows.push_with(
            " and +f.seq <= $? order by f.started_at desc, f.id desc limit $?",
            [last.into(), to_limit(window.limit).into()],
        );
        self.0.number_page(columns, rows).await
    }

    /// Returns when the first facts started.
    pub async fn oldest(&mut self) -> Result<OldestFacts, Error> {
        self.0.prefer_indexes().await?;
        self.0
            .one(sql!(
                "select (select f.started_at from incursions f where f.brand_id = $1 order by f.started_at, f.id limit 1)
                     as incursion,
                 (select f.started_at from runtime_pieces f where f.brand_id = $1 order by f.started_at, f.id limit 1)
                     as runtime",
                self.1.brand()
            ))
            .await
    }

    /// Returns whether more facts than `limit` start in a period, which has no beginning or no end where there is none. Of each kind, reads
    /// at most that many entries of an index.
    pub async fn are_more_than(
        &mut self,
        limit: usize,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
    ) -> Result<bool, Error> {
        self.0.prefer_indexes().await?;
        let mut statement = sql!("select ");
        for (table, end) in [("incursions f", ") as incursions) + "), ("runtime_pieces f", ") as runtime)")] {
            statement = statement
                .push("(select count(*) from (select 1 from ")
                .push(table)
                .push_with(" where f.brand_id = $?", [self.1.brand().into()]);
            if let Some(from) = from {
                statement = statement.push_with(" and f.started_at >= $?", [from.into()]);
            }
            if let Some(to) = to {
                statement = statement.push_with(" and f.started_at < $?", [to.into()]);
            }
            let most = to_limit(limit.saturating_add(1));
            statement = statement.push_with(" limit $?", [most.into()]).push(end);
        }
        let Count(count) = self.0.one(statement.push(" as count")).await?;
        Ok(count > to_limit(limit))
    }

    /// The same as [`Self::are_more_than`], in a snapshot. After [`Error::TimedOut`] the snapshot can no longer be used.
    pub async fn are_more_than_within(
        &mut self,
        limit: usize,
        bounds: (Option<Timestamp>, Option<Timestamp>),
        timeout: Duration,
    ) -> Result<bool, Error> {
        let scope = self.1;
        self.0
            .with_timeout(timeout, async |tx| tx.fact_changes(scope).are_more_than(limit, bounds).await)
            .await
    }
}
