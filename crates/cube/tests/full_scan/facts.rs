//! Random facts with few ids and few days, so that groups have several rows and rows are replaced.

use cube::{Attributes, IncursionFact, RuntimeFact};
use domain::{
    BaseStationId, Day, IncursionId, MachineId, MachineKind, PersonId, PersonKind, ProjectId, Review,
    RuntimePieceId, TagId, Timestamp, WorksiteId, WorksiteKind, Zone,
};
use proptest::prelude::*;

pub const DAY_US: i64 = 86_400_000_000;
/// The first day of the facts.
pub const FIRST_DAY: i64 = 20_500;

/// Returns the start of the fact with an id. It never changes, and does not increase with the id.
fn started_at(id: i64) -> i64 {
    let spread = (id * 7_919).rem_euclid(1_009) * 40 / 1_009;
    // A few start at the same moment, and some on the millisecond.
    FIRST_DAY * DAY_US + spread * DAY_US + id.rem_euclid(5) * 3_600_000_000 + id.rem_euclid(3) * 500
}

fn link(max_id: i64) -> impl Strategy<Value = Option<i64>> {
    prop_oneof![1 => Just(None), 5 => (1..=max_id).prop_map(Some)]
}

/// A duration: mostly short, sometimes longer than 49 days, sometimes odd.
fn length_us() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![
        10 => (0..400_000_000_i64).prop_map(Some),
        3 => Just(None),
        2 => prop::sample::select(vec![5_000_000_i64, 14_999_999, 15_000_000, 60_000_000]).prop_map(Some),
        1 => (4_294_000_000_000..40_000_000_000_000_i64).prop_map(Some),
        1 => (-3_000_000..0_i64).prop_map(Some),
    ]
}

fn local_day(started_at: i64) -> impl Strategy<Value = i64> {
    let day = started_at / DAY_US;
    prop_oneof![20 => (day - 1)..=(day + 1), 1 => Just(-3_i64), 1 => Just(day + 90_000)]
}

/// A cell of the finest resolution, near others.
fn cell() -> impl Strategy<Value = Option<i64>> {
    let base = 0x08D1_F1D4_8B1A_803F_i64;
    let near = (0..6_i64, 0..6_i64, 0..3_i64).prop_map(move |(finest, finer, fine)| {
        Some(base & !(7 << 6 | 7 << 9 | 7 << 12) | finest << 6 | finer << 9 | fine << 12)
    });
    prop_oneof![1 => Just(None), 5 => near]
}

/// An incursion with one of `ids` ids.
pub fn incursion(ids: i64) -> impl Strategy<Value = IncursionFact> {
    (0..ids).prop_flat_map(|id| {
        let at = started_at(id);
        let links = (link(4), link(6), link(9), link(7), link(7), link(5));
        let own = (0..2_usize, 0..4_usize, 1..=9_i64, 1..=8_i64);
        (links, own, length_us(), length_us(), local_day(at), 0..10_080_i64, cell()).prop_map(
            move |(
                (project, worksite, machine, pedestrian, operator, _),
                own,
                length,
                wait,
                day,
                minute,
                cell,
            )| {
                let (zone, review, station, tag) = own;
                IncursionFact {
                    id: IncursionId(id),
                    started_at: Timestamp::from_micros(at),
                    ended_at: length.map(|length| Timestamp::from_micros(at + length)),
                    acknowledged_at: wait.map(|wait| Timestamp::from_micros(at + wait)),
                    zone: Zone::ALL[zone],
                    review: Review::ALL[review],
                    machine: machine.map(|id| MachineId(id * 10)),
                    pedestrian: pedestrian.map(|id| PersonId(100 - id)),
                    operator: operator.map(|id| PersonId(100 - id)),
                    worksite: worksite.map(WorksiteId),
                    project: project.map(ProjectId),
                    base_station: BaseStationId(station * 3),
                    tag: TagId(tag),
                    local_day: Day::from_number(day),
                    local_minute: minute,
                    cell,
                }
            },
        )
    })
}

/// A runtime piece with one of `ids` ids.
pub fn piece(ids: i64) -> impl Strategy<Value = RuntimeFact> {
    (0..ids).prop_flat_map(|id| {
        let at = started_at(id) + 77;
        let links = (link(4), link(6), link(9), link(7));
        let length = prop_oneof![1 => Just(0_i64), 8 => 1..3_600_000_000_i64, 1 => Just(9_000_000_000)];
        (links, 1..=9_i64, length, local_day(at), 0..24_i64).prop_map(
            move |((project, worksite, machine, operator), station, length, day, hour)| RuntimeFact {
                id: RuntimePieceId(id),
                base_station: BaseStationId(station * 3),
                started_at: Timestamp::from_micros(at),
                ended_at: Timestamp::from_micros(at + length),
                machine: machine.map(|id| MachineId(id * 10)),
                operator: operator.map(|id| PersonId(100 - id)),
                worksite: worksite.map(WorksiteId),
                project: project.map(ProjectId),
                local_day: Day::from_number(day),
                local_hour: hour,
            },
        )
    })
}

/// Facts that are applied together.
pub type Batch = (Vec<IncursionFact>, Vec<RuntimeFact>);

/// Facts in batches; those of a later batch may replace those of an earlier one.
pub fn batches(ids: i64) -> impl Strategy<Value = Vec<Batch>> {
    let most = usize::try_from(ids).unwrap();
    let incursions = prop::collection::vec(incursion(ids), 0..most);
    let pieces = prop::collection::vec(piece(ids), 0..most / 2);
    prop::collection::vec((incursions, pieces), 1..6)
}

/// The kinds of some entities.
pub fn attributes() -> Attributes {
    Attributes {
        worksite_kinds: [(1, 0), (2, 3), (3, 3)]
            .map(|(id, at)| (WorksiteId(id), WorksiteKind::ALL[at]))
            .into(),
        machine_kinds: [(10, 1), (20, 4), (40, 1)]
            .map(|(id, at)| (MachineId(id), MachineKind::ALL[at]))
            .into(),
        person_kinds: [(99, 0), (98, 1), (95, 0)].map(|(id, at)| (PersonId(id), PersonKind::ALL[at])).into(),
    }
}
