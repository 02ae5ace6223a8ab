//! Facts as rows of the tables, divided among the shards by their station.

use bytes::Bytes;
use domain::BaseStationId;
use domain::insights::{IncursionFact, RuntimeFact};

use crate::Error;
use crate::copy::FactTable;

/// Rows for the nodes of each shard.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    shards: Vec<Rows>,
    count: usize,
}

/// The rows of a shard for each table, as they are sent.
pub(crate) type TableRows = Vec<(FactTable, Bytes)>;

/// The rows of one shard while they are collected.
#[derive(Clone, Debug, Default)]
struct Rows {
    incursions: Vec<u8>,
    runtime: Vec<u8>,
}

impl Batch {
    /// Returns an empty batch for this many shards.
    pub fn new(shards: u32) -> Self {
        Self { shards: vec![Rows::default(); shards as usize], count: 0 }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the state of an incursion after the change with this number.
    pub fn push_incursion(&mut self, seq: i64, fact: &IncursionFact) -> Result<(), Error> {
        let mut row = Row(Vec::with_capacity(128));
        let (duration_ms, ack_ms) = (fact.duration_ms(), fact.ack_ms());
        row.int64(fact.started_at.micros());
        row.int64(fact.id.0);
        row.int64(seq);
        row.int64(duration_ms.unwrap_or(0));
        row.int64(ack_ms.unwrap_or(0));
        row.0.push(u8::from(duration_ms.is_some()));
        row.0.push(u8::from(ack_ms.is_some()));
        row.0.push(narrow(fact.zone.code(), "the code of a zone")?);
        row.0.push(narrow(fact.review.code(), "the code of a review")?);
        row.id(fact.project.map(|id| id.0), "the id of a project")?;
        row.id(fact.worksite.map(|id| id.0), "the id of a worksite")?;
        row.id(fact.machine.map(|id| id.0), "the id of a machine")?;
        row.id(Some(fact.base_station.0), "the id of a base station")?;
        row.id(fact.pedestrian.map(|id| id.0), "the id of a person")?;
        row.id(fact.operator.map(|id| id.0), "the id of a person")?;
        row.id(Some(fact.tag.0), "the id of a tag")?;
        row.day(fact.local_day.number())?;
        row.0.extend_from_slice(&narrow::<u16>(fact.local_minute, "the minute of a week")?.to_le_bytes());
        row.int64(fact.cell.unwrap_or(0));
        self.rows_of(fact.base_station).incursions.extend_from_slice(&row.0);
        self.count += 1;
        Ok(())
    }

    /// Adds the state of a runtime piece after the change with this number.
    pub fn push_runtime(&mut self, seq: i64, fact: &RuntimeFact) -> Result<(), Error> {
        let mut row = Row(Vec::with_capacity(64));
        row.int64(fact.started_at.micros());
        row.int64(fact.id.0);
        row.int64(seq);
        row.int64((fact.ended_at - fact.started_at).micros());
        row.id(fact.project.map(|id| id.0), "the id of a project")?;
        row.id(fact.worksite.map(|id| id.0), "the id of a worksite")?;
        row.id(fact.machine.map(|id| id.0), "the id of a machine")?;
        row.id(Some(fact.base_station.0), "the id of a base station")?;
        row.id(fact.operator.map(|id| id.0), "the id of a person")?;
        row.day(fact.local_day.number())?;
        row.0.push(narrow(fact.local_hour, "the hour of a day")?);
        self.rows_of(fact.base_station).runtime.extend_from_slice(&row.0);
        self.count += 1;
        Ok(())
    }

    fn rows_of(&mut self, station: BaseStationId) -> &mut Rows {
        let place = place_of(station, self.shards.len());
        &mut self.shards[place]
    }

    /// Takes the rows of each shard, in the order of their numbers, and leaves the batch empty.
    pub(crate) fn take(&mut self) -> Vec<TableRows> {
        self.count = 0;
        let take = |rows: &mut Rows| {
            let Rows { incursions, runtime } = std::mem::take(rows);
            vec![(FactTable::Incursions, Bytes::from(incursions)), (FactTable::Runtime, Bytes::from(runtime))]
        };
        self.shards.iter_mut().map(take).collect()
    }
}

/// Returns the place of the shard that holds the facts of a station. It depends on nothing else, so that all versions of a fact lie
/// together.
fn place_of(station: BaseStationId, shards: usize) -> usize {
    // SplitMix64, because ids that were given one after the other often belong to one worksite.
    let mut mixed = station.0.cast_unsigned().wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^= mixed >> 31;
    usize::try_from(mixed % (shards.max(1) as u64)).unwrap_or(0)
}

/// The bytes of a row, from the lowest of each number to the highest.
struct Row(Vec<u8>);

impl Row {
    fn int64(&mut self, number: i64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends the id of a record, which is never 0; none is 0.
    fn id(&mut self, id: Option<i64>, what: &'static str) -> Result<(), Error> {
        let number = match id {
            None => 0,
            Some(0) => return Err(Error::DoesNotFit(what)),
            Some(id) => narrow::<u32>(id, what)?,
        };
        self.0.extend_from_slice(&number.to_le_bytes());
        Ok(())
    }

    fn day(&mut self, number: i64) -> Result<(), Error> {
        self.0.extend_from_slice(&narrow::<i32>(number, "a local day")?.to_le_bytes());
        Ok(())
    }
}

fn narrow<T: TryFrom<i64>>(number: i64, what: &'static str) -> Result<T, Error> {
    T::try_from(number).map_err(|_| Error::DoesNotFit(what))
}

#[cfg(test)]
mod tests {
    use domain::{
        Day, IncursionId, MachineId, PersonId, ProjectId, Review, RuntimePieceId, TagId, Timestamp,
        WorksiteId, Zone,
    };

    use super::*;

    fn incursion(station: i64) -> IncursionFact {
        IncursionFact {
            id: IncursionId(7),
            started_at: Timestamp::from_micros(1_000_000),
            ended_at: Some(Timestamp::from_micros(3_500_900)),
            acknowledged_at: None,
            zone: Zone::Danger,
            review: Review::Confirmed,
            machine: Some(MachineId(3)),
            pedestrian: None,
            operator: Some(PersonId(4)),
            worksite: Some(WorksiteId(5)),
            project: Some(ProjectId(6)),
            base_station: BaseStationId(station),
            tag: TagId(9),
            local_day: Day::from_number(-1),
            local_minute: 10_079,
            cell: None,
        }
    }

    #[test]
    fn a_row_has_the_bytes_of_its_columns() {
        let mut batch = Batch::new(1);
        batch.push_incursion(11, &incursion(8)).unwrap();
        let rows = batch.take();
        let (table, bytes) = &rows[0][0];
        let mut expected = Vec::new();
        for number in [1_000_000_i64, 7, 11, 2_500, 0] {
            expected.extend(number.to_le_bytes());
        }
        expected.extend([1, 0, 2, 1]);
        for id in [6_u32, 5, 3, 8, 0, 4, 9] {
            expected.extend(id.to_le_bytes());
        }
        expected.extend((-1_i32).to_le_bytes());
        expected.extend(10_079_u16.to_le_bytes());
        expected.extend(0_i64.to_le_bytes());
        assert_eq!((*table, &bytes[..]), (FactTable::Incursions, &expected[..]));
        assert!(rows[0][1].1.is_empty() && batch.is_empty());
    }

    #[test]
    fn a_piece_has_the_bytes_of_its_columns() {
        let piece = RuntimeFact {
            id: RuntimePieceId(1),
            base_station: BaseStationId(2),
            started_at: Timestamp::from_micros(10),
            ended_at: Timestamp::from_micros(25),
            machine: None,
            operator: None,
            worksite: None,
            project: Some(ProjectId(3)),
            local_day: Day::from_number(4),
            local_hour: 23,
        };
        let mut batch = Batch::new(1);
        batch.push_runtime(5, &piece).unwrap();
        assert_eq!(batch.len(), 1);
        let mut expected = Vec::new();
        for number in [10_i64, 1, 5, 15] {
            expected.extend(number.to_le_bytes());
        }
        for id in [3_u32, 0, 0, 2, 0] {
            expected.extend(id.to_le_bytes());
        }
        expected.extend(4_i32.to_le_bytes());
        expected.push(23);
        assert_eq!(&batch.take()[0][1].1[..], &expected[..]);
    }

    #[test]
    fn a_station_has_one_shard() {
        let places: Vec<usize> = (1..=10_000).map(|id| place_of(BaseStationId(id), 4)).collect();
        for place in 0..4 {
            let count = places.iter().filter(|at| **at == place).count();
            assert!((2_300..2_700).contains(&count), "{count}");
        }
        assert_eq!(place_of(BaseStationId(77), 1), 0);
        let mut batch = Batch::new(4);
        for seq in 1..=3 {
            batch.push_incursion(seq, &incursion(77)).unwrap();
        }
        let held: Vec<usize> =
            batch.take().iter().map(|rows| rows[0].1.len()).filter(|length| *length > 0).collect();
        assert_eq!(held.len(), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut batch = Batch::new(1);
        let too_large = IncursionFact { machine: Some(MachineId(1 << 32)), ..incursion(1) };
        let fault = Error::DoesNotFit("the id of a machine");
        assert_eq!(batch.push_incursion(1, &too_large), Err(fault));
        assert!(batch.push_incursion(1, &incursion(0)).is_err());
        assert!(batch.is_empty() && batch.take()[0][0].1.is_empty());
    }
}
