//! Reads the changes of a brand's facts in sequence order, for the cube, which keeps a columnar copy of them.
//!
//! Sequence numbers become visible in order, so a snapshot whose last number is L holds every change up to L. A follower
//! reads L once ([`FactChanges::state`]) and then the changes after its own position up to L, in as many pages and
//! snapshots as it likes. A row that is changed meanwhile gets a number above L: it is missing from the later pages and
//! is found in the next round, which starts after L. So every row arrives in its last state, none is missed, and when a
//! row arrives in two rounds, the second one is newer.
//!
//! A copy that is built from scratch needs the rows in order of their start, or from the newest backwards
//! (`newest_first.rs`). A scan by time finds every row that exists throughout, because neither the start nor the id of a row
//! ever changes. It skips rows whose number is above L, which includes all rows that were added or changed since; the round
//! after L returns those.
//!
//! Rows deleted by retention leave neither a row nor a number. The state gives the start time from which facts are
//! stored, and a follower drops everything earlier: whenever that time moves, and at the end of a scan, because a page
//! may have held rows that were deleted afterwards. Rows that arrive with an earlier start are left out by everyone until
//! they are deleted. When retention becomes longer, that time is gone, and with it the trace of what was deleted: a
//! follower that was not beyond [`FactState::copies_since`] begins anew.

mod newest_first;
mod packed;

use domain::insights::{IncursionFact, RuntimeFact};
use domain::row::FromRow;
use domain::{
    BaseStationId, Day, IncursionId, MachineId, MachineKind, PersonId, PersonKind, ProjectId, Review,
    RuntimePieceId, TagId, Timestamp, WorksiteId, WorksiteKind, Zone,
};

use crate::engine::row::Row;
use crate::engine::statement::{Statement, sql};
use crate::facts::fact_retention::COPIES_SINCE;
use crate::{Error, FactWatermark, Scope, Tx};
pub use newest_first::{FactPage, FactWindow, OldestFacts};
use packed::{NULL_SENTINEL, Packed, PackedRow, Unpack};

/// The state of a brand's facts at the time of the read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct FactState {
    /// Sequence number of the last change.
    pub last_seq: i64,
    /// Rises with every write to the registry and its links, which includes changes of kinds.
    pub registry_version: i64,
    /// Whether the server is set to let no commit be read before it is on a standby too, so that a fail-over loses none of them. A commit
    /// whose wait was interrupted is an exception.
    pub is_synchronous: bool,
    /// Incursions that started before this were deleted by retention, or are about to be, and do not count.
    pub incursions_kept_from: Option<Timestamp>,
    /// The same for runtime.
    pub runtime_kept_from: Option<Timestamp>,
    /// Copies that do not include this change must be made anew, because retention has become longer since; 0 if it never has.
    pub copies_since: i64,
}

/// The current state of a fact, with the sequence number of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactChange<T> {
    pub seq: i64,
    pub fact: T,
}

/// The kinds of all registry records by whose kind facts can be grouped, including archived records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistryKinds {
    pub worksites: Vec<(WorksiteId, WorksiteKind)>,
    pub machines: Vec<(MachineId, MachineKind)>,
    pub people: Vec<(PersonId, PersonKind)>,
}

/// Selects a page of incursions as one packed text; `Unpack` reads the columns in this order. The conditions of the subquery
/// are appended.
const INCURSIONS: &str = "select string_agg(concat_ws(',', i.seq, i.id, i.started_at, coalesce(i.ended_at, $2),
        coalesce(i.acknowledged_at, $2), i.zone, i.review, coalesce(i.machine_id, $2), coalesce(i.pedestrian_id, $2),
        coalesce(i.operator_id, $2), coalesce(i.worksite_id, $2), coalesce(i.project_id, $2), i.base_station_id, i.tag_id,
        i.local_day, i.local_minute, coalesce(i.cell, $2)), ';') as page
    from (select i.seq, i.id, i.started_at, i.ended_at, i.acknowledged_at, i.zone, i.review, i.machine_id, i.pedestrian_id,
        i.operator_id, i.worksite_id, i.project_id, i.base_station_id, i.tag_id, i.local_day, i.local_minute, i.cell
        from incursions i where i.brand_id = $1";

impl Unpack for FactChange<IncursionFact> {
    fn unpack(numbers: &mut PackedRow<'_>) -> Result<Self, Error> {
        let unknown = |column| move || Error::Unusable(format!("column {column} has an unknown code"));
        let seq = numbers.next()?;
        let fact = IncursionFact {
            id: IncursionId(numbers.next()?),
            started_at: Timestamp::from_micros(numbers.next()?),
            ended_at: numbers.optional(Timestamp::from_micros)?,
            acknowledged_at: numbers.optional(Timestamp::from_micros)?,
            zone: Zone::from_code(numbers.next()?).ok_or_else(unknown("zone"))?,
            review: Review::from_code(numbers.next()?).ok_or_else(unknown("review"))?,
            machine: numbers.optional(MachineId)?,
            pedestrian: numbers.optional(PersonId)?,
            operator: numbers.optional(PersonId)?,
            worksite: numbers.optional(WorksiteId)?,
            project: numbers.optional(ProjectId)?,
            base_station: BaseStationId(numbers.next()?),
            tag: TagId(numbers.next()?),
            local_day: Day::from_number(numbers.next()?),
            local_minute: numbers.next()?,
            cell: numbers.optional(|cell| cell)?,
        };
        Ok(Self { seq, fact })
    }
}

/// Selects a page of runtime pieces in the same way.
const PIECES: &str = "select string_agg(concat_ws(',', p.seq, p.id, p.base_station_id, p.started_at, p.ended_at,
        coalesce(p.machine_id, $2), coalesce(p.operator_id, $2), coalesce(p.worksite_id, $2), coalesce(p.project_id, $2),
        p.local_day, p.local_hour), ';') as page
    from (select p.seq, p.id, p.base_station_id, p.started_at, p.ended_at, p.machine_id, p.operator_id, p.worksite_id,
        p.project_id, p.local_day, p.local_hour
        from runtime_pieces p where p.brand_id = $1";

impl Unpack for FactChange<RuntimeFact> {
    fn unpack(numbers: &mut PackedRow<'_>) -> Result<Self, Error> {
        let seq = numbers.next()?;
        let fact = RuntimeFact {
            id: RuntimePieceId(numbers.next()?),
            base_station: BaseStationId(numbers.next()?),
            started_at: Timestamp::from_micros(numbers.next()?),
            ended_at: Timestamp::from_micros(numbers.next()?),
            machine: numbers.optional(MachineId)?,
            operator: numbers.optional(PersonId)?,
            worksite: numbers.optional(WorksiteId)?,
            project: numbers.optional(ProjectId)?,
            local_day: Day::from_number(numbers.next()?),
            local_hour: numbers.next()?,
        };
        Ok(Self { seq, fact })
    }
}

/// The changes of a brand's facts, regardless of project.
pub struct FactChanges<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// Gives access to the changes of a brand's facts. Within a [`crate::Snapshot`], the state and the pages are consistent.
    pub fn fact_changes<'a>(&'a mut self, scope: &'a Scope) -> FactChanges<'a> {
        FactChanges(self, scope)
    }
}

#[macros::boxed]
impl FactChanges<'_> {
    pub async fn state(&mut self) -> Result<FactState, Error> {
        let statement = sql!(
            "select c.last_seq, c.registry_version,
                 (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $2) as incursions_kept_from,
                 (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $3) as runtime_kept_from,
                 coalesce((select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $4), 0) as copies_since, ",
            self.1.brand(),
            FactWatermark::IncursionsKeptFrom.as_str(),
            FactWatermark::RuntimeKeptFrom.as_str(),
            COPIES_SINCE
        )
        .push(self.0.is_synchronous())
        .push(" as is_synchronous from brand_counters c where c.brand_id = $1");
        self.0.one(statement).await
    }

    /// Returns incursions whose last change is after `after` and not after `last`, oldest change first. The next page starts
    /// after the last sequence number of this one; a page that is not full is the last.
    pub async fn incursions(
        &mut self,
        after: i64,
        last: i64,
        limit: usize,
    ) -> Result<Vec<FactChange<IncursionFact>>, Error> {
        let statement = self.of_brand(INCURSIONS).push_with(
            " and i.seq > $? and i.seq <= $? order by i.seq limit $?) as i",
            [after.into(), last.into(), to_limit(limit).into()],
        );
        self.page(statement, |change| change.seq).await
    }

    /// Returns runtime pieces in the same way as [`Self::incursions`].
    pub async fn runtime(
        &mut self,
        after: i64,
        last: i64,
        limit: usize,
    ) -> Result<Vec<FactChange<RuntimeFact>>, Error> {
        let statement = self.of_brand(PIECES).push_with(
            " and p.seq > $? and p.seq <= $? order by p.seq limit $?) as p",
            [after.into(), last.into(), to_limit(limit).into()],
        );
        self.page(statement, |change| change.seq).await
    }

    /// Returns incursions after a position in time whose last change is not after `last`, earliest start first. The next page
    /// starts after the last row of this one; a page that is not full is the last.
    ///
    /// The unary plus before `seq` keeps the engines from using the index on it and sorting all rows.
    pub async fn incursions_by_time(
        &mut self,
        after: Option<(Timestamp, IncursionId)>,
        last: i64,
        limit: usize,
    ) -> Result<Vec<FactChange<IncursionFact>>, Error> {
        let (at, id) = after.unwrap_or((BEGINNING, IncursionId(0)));
        let statement = self.of_brand(INCURSIONS).push_with(
            " and (i.started_at, i.id) > ($?, $?) and +i.seq <= $? order by i.started_at, i.id limit $?) as i",
            [at.into(), id.into(), last.into(), to_limit(limit).into()],
        );
        self.page(statement, |change: &FactChange<IncursionFact>| (change.fact.started_at, change.fact.id))
            .await
    }

    /// Returns runtime pieces in the same way as [`Self::incursions_by_time`].
    pub async fn runtime_by_time(
        &mut self,
        after: Option<(Timestamp, RuntimePieceId)>,
        last: i64,
        limit: usize,
    ) -> Result<Vec<FactChange<RuntimeFact>>, Error> {
        let (at, id) = after.unwrap_or((BEGINNING, RuntimePieceId(0)));
        let statement = self.of_brand(PIECES).push_with(
            " and (p.started_at, p.id) > ($?, $?) and +p.seq <= $? order by p.started_at, p.id limit $?) as p",
            [at.into(), id.into(), last.into(), to_limit(limit).into()],
        );
        self.page(statement, |change: &FactChange<RuntimeFact>| (change.fact.started_at, change.fact.id))
            .await
    }

    pub async fn kinds(&mut self) -> Result<RegistryKinds, Error> {
        struct Kind {
            table: i64,
            id: i64,
            word: String,
        }
        impl FromRow<Row> for Kind {
            fn from_row(row: &Row) -> Result<Self, Error> {
                Ok(Self { table: row.required_int(0)?, id: row.required_int(1)?, word: row.get("kind")? })
            }
        }
        let found: Vec<Kind> = self
            .0
            .all(sql!(
                "select 0 as place, id, kind from worksites where brand_id = $1
                 union all select 1, id, kind from machines where brand_id = $1
                 union all select 2, id, kind from people where brand_id = $1
                 order by 1, 2",
                self.1.brand()
            ))
            .await?;
        let mut kinds = RegistryKinds::default();
        for Kind { table, id, word } in found {
            let unknown = |_| Error::Unusable(format!("{word:?} is not a known kind"));
            match table {
                0 => kinds.worksites.push((WorksiteId(id), WorksiteKind::parse(&word).map_err(unknown)?)),
                1 => kinds.machines.push((MachineId(id), MachineKind::parse(&word).map_err(unknown)?)),
                _ => kinds.people.push((PersonId(id), PersonKind::parse(&word).map_err(unknown)?)),
            }
        }
        Ok(kinds)
    }

    fn of_brand(&self, columns: &'static str) -> Statement {
        sql!(columns, self.1.brand(), NULL_SENTINEL)
    }

    /// Reads a page. In practice the engines aggregate in the order of the subquery, but they do not guarantee it. The next page
    /// starts after the last row, so the order is checked here.
    async fn page<T, K: Ord>(
        &mut self,
        statement: Statement,
        key: fn(&FactChange<T>) -> K,
    ) -> Result<Vec<FactChange<T>>, Error>
    where
        FactChange<T>: Unpack,
    {
        self.0.prefer_indexes().await?;
        let Packed(mut page) = self.0.one(statement).await?;
        if !page.is_sorted_by_key(key) {
            page.sort_unstable_by_key(key);
        }
        Ok(page)
    }
}

/// Earlier than every possible start.
const BEGINNING: Timestamp = Timestamp::from_micros(i64::MIN);

fn to_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
