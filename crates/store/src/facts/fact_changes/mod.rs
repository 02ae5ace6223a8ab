//! What follows the changes of a brand's facts reads: the cube, which keeps a copy of them in columns.
//!
//! Numbers become visible in their order, so a snapshot in which the brand's last number is L holds every change up to L.
//! A follower takes L once ([`FactChanges::state`]) and reads what lies above the number it has come to, up to L, in as many
//! pages and snapshots as it likes. What is changed meanwhile gets a number above L: it is missing from the later pages
//! and met by the next round, which begins after L. So each row comes with its last state, none is missed, and a row that
//! comes in two rounds is the newer one the second time.
//!
//! A copy that is built from nothing wants rows in the order of their start. A walk by time meets every row that is there
//! throughout, for neither the start nor the id of a row ever changes; it passes over rows whose number is above L, among
//! them all that came or changed since, and these are in the round after L again.
//!
//! What was taken away by age leaves no row and no number. The state tells from which start on facts are kept, and a
//! follower drops what began before: when the mark has moved, and at the end of a walk, since a page may have held
//! rows that went afterwards.

mod packed;

use domain::insights::{IncursionFact, RuntimeFact};
use domain::{
    BaseStationId, Day, IncursionId, MachineId, MachineKind, PersonId, PersonKind, ProjectId, Review,
    RuntimePieceId, TagId, Timestamp, WorksiteId, WorksiteKind, Zone,
};

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, FactWatermark, Scope, Tx};
use packed::{NULL_SENTINEL, Packed, PackedRow, Unpack};

/// How the facts of a brand stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactState {
    /// The number of the last change.
    pub last_seq: i64,
    /// Moves with every write to registry and links, kinds among them.
    pub registry_version: i64,
    /// Incursions that began before this were taken away because of their age.
    pub incursions_kept_from: Option<Timestamp>,
    /// Runtime that began before this was taken away because of its age.
    pub runtime_kept_from: Option<Timestamp>,
}

/// A fact as it is now, with the number of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactChange<T> {
    /// The number.
    pub seq: i64,
    /// The fact.
    pub fact: T,
}

/// What everything in a brand's registry is that facts are grouped by the kind of. What is archived has its kind too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistryKinds {
    /// Worksites.
    pub worksites: Vec<(WorksiteId, WorksiteKind)>,
    /// Machines.
    pub machines: Vec<(MachineId, MachineKind)>,
    /// People.
    pub people: Vec<(PersonId, PersonKind)>,
}

impl FromRow for FactState {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            last_seq: row.get("last_seq")?,
            registry_version: row.get("registry_version")?,
            incursions_kept_from: row.get("incursions_kept_from")?,
            runtime_kept_from: row.get("runtime_kept_from")?,
        })
    }
}

/// A page of incursions: its columns in the order in which they are read. The conditions go into the brackets.
const INCURSIONS: &str = "select string_agg(concat_ws(',', i.seq, i.id, i.started_at, coalesce(i.ended_at, $2),
        coalesce(i.acknowledged_at, $2), i.zone, i.review, coalesce(i.machine_id, $2), coalesce(i.pedestrian_id, $2),
        coalesce(i.operator_id, $2), coalesce(i.worksite_id, $2), coalesce(i.project_id, $2), i.base_station_id, i.tag_id,
        i.local_day, i.local_minute, coalesce(i.cell, $2)), ';') as page
    from (select i.seq, i.id, i.started_at, i.ended_at, i.acknowledged_at, i.zone, i.review, i.machine_id, i.pedestrian_id,
        i.operator_id, i.worksite_id, i.project_id, i.base_station_id, i.tag_id, i.local_day, i.local_minute, i.cell
        from incursions i where i.brand_id = $1";

impl Unpack for FactChange<IncursionFact> {
    fn unpack(numbers: &mut PackedRow<'_>) -> Result<Self, Error> {
        let unknown = |column| move || Error::Unusable(format!("column {column} holds an unknown number"));
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

/// The same of pieces of runtime.
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

/// The changes of a brand's facts, whatever their project.
pub struct FactChanges<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The changes of a brand's facts, for whoever keeps a copy of them. Within a [`crate::Snapshot`], the state and the
    /// pages belong together.
    pub fn fact_changes<'a>(&'a mut self, scope: &'a Scope) -> FactChanges<'a> {
        FactChanges(self, scope)
    }
}

impl FactChanges<'_> {
    /// How the facts stand now.
    pub async fn state(&mut self) -> Result<FactState, Error> {
        self.0
            .one(sql!(
                "select c.last_seq, c.registry_version,
                     (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $2) as incursions_kept_from,
                     (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $3) as runtime_kept_from
                 from brand_counters c where c.brand_id = $1",
                self.1.brand(),
                FactWatermark::IncursionsKeptFrom.as_str(),
                FactWatermark::RuntimeKeptFrom.as_str()
            ))
            .await
    }

    /// The incursions whose last change lies after one number and not after another, the oldest change first. The page is
    /// followed by the one after its last number; a page that is not full is the last.
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

    /// The same of runtime.
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

    /// The incursions after a place in time whose last change does not lie after a number, the earliest first. The page is
    /// followed by the one after its last row; a page that is not full is the last.
    ///
    /// The sign before the number keeps the engines from looking by it and sorting everything.
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

    /// The same of runtime.
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

    /// What everything in the registry is.
    pub async fn kinds(&mut self) -> Result<RegistryKinds, Error> {
        struct Kind {
            table: i64,
            id: i64,
            word: String,
        }
        impl FromRow for Kind {
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
            let unfit = |_| Error::Unusable(format!("{word:?} is no kind"));
            match table {
                0 => kinds.worksites.push((WorksiteId(id), WorksiteKind::parse(&word).map_err(unfit)?)),
                1 => kinds.machines.push((MachineId(id), MachineKind::parse(&word).map_err(unfit)?)),
                _ => kinds.people.push((PersonId(id), PersonKind::parse(&word).map_err(unfit)?)),
            }
        }
        Ok(kinds)
    }

    fn of_brand(&self, columns: &'static str) -> Statement {
        sql!(columns, self.1.brand(), NULL_SENTINEL)
    }

    /// Reads a page. Engines join rows in the order of the subquery, though they only promise it for now; what comes after
    /// a page is found by its last row, so that is made sure of.
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

/// Before everything.
const BEGINNING: Timestamp = Timestamp::from_micros(i64::MIN);

fn to_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
