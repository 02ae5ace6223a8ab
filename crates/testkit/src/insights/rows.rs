//! The facts of a brand in memory, read from the store or generated.

use domain::insights::{IncursionFact, RuntimeFact};
use domain::{
    BaseStationId, Day, IncursionId, MachineId, MachineKind, PersonId, PersonKind, ProjectId, Review,
    RuntimePieceId, Span, TagId, Timestamp, WorksiteId, WorksiteKind, Zone,
};
use store::{RegistryKinds, Scope, Store};

use super::SeededRandom;

/// Ids in facts are below this. Registry ids end earlier, so that some facts refer to records without a kind.
const ID_END: i64 = 7;

/// The facts of a brand, and the registry kinds they are grouped by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactRows {
    pub incursions: Vec<IncursionFact>,
    pub runtime: Vec<RuntimeFact>,
    pub kinds: RegistryKinds,
}

/// Half a second after noon on 1 March 2026 in UTC, the end of the period in which most facts lie.
const NOW_US: i64 = 1_772_366_400_500_000;

const DAY_US: i64 = 86_400_000_000;

/// Returns the local day and second of the day. Each worksite has a time zone of its own, some with half-hour offsets.
fn local_day_and_second(worksite: Option<WorksiteId>, at: i64) -> (i64, i64) {
    let offset = worksite.map_or(0, |id| (id.0 - 3) * 3 * 3_600 + 1_800);
    let seconds = at.div_euclid(1_000_000) + offset;
    (seconds.div_euclid(86_400), seconds.rem_euclid(86_400))
}

fn random_start_us(dice: &SeededRandom) -> i64 {
    match dice.below(10) {
        0 => dice.in_range(-5 * 365 * DAY_US, 400 * DAY_US),
        1 => NOW_US - dice.below(900 * DAY_US),
        _ => NOW_US - dice.below(40 * DAY_US),
    }
}

impl FactRows {
    /// Generates facts. Kinds exist for the ids 1 to 5, and facts also refer to higher ids.
    pub fn random(dice: &SeededRandom, incursions: i64, pieces: i64) -> Self {
        let mut rows = Self::default();
        for id in 1..ID_END - 1 {
            rows.kinds.worksites.push((WorksiteId(id), dice.choose(&WorksiteKind::ALL)));
            rows.kinds.machines.push((MachineId(id), dice.choose(&MachineKind::ALL)));
            rows.kinds.people.push((PersonId(id), dice.choose(&PersonKind::ALL)));
        }
        rows.incursions = (1..=incursions).map(|id| random_incursion(dice, IncursionId(id))).collect();
        let mut taken = std::collections::BTreeSet::new();
        while rows.runtime.len() < usize::try_from(pieces).expect("not so many") {
            let id = RuntimePieceId(i64::try_from(rows.runtime.len()).expect("not so many") + 1);
            let piece = random_runtime(dice, id);
            if taken.insert((piece.base_station, piece.started_at)) {
                rows.runtime.push(piece);
            }
        }
        rows
    }

    /// Reads all facts of a brand through the store's scans, in pages of this size, and returns them with the last sequence number.
    pub async fn read(store: &Store, scope: &Scope, page_size: usize) -> (Self, i64) {
        let mut snapshot = store.snapshot().await.expect("a snapshot");
        let mut changes = snapshot.fact_changes(scope);
        let last = changes.state().await.expect("the state").last_seq;
        let mut rows = Self { kinds: changes.kinds().await.expect("kinds"), ..Self::default() };
        let mut after = None;
        loop {
            let page = changes.incursions_by_time(after, last, page_size).await.expect("a page");
            rows.incursions.extend(page.iter().map(|change| change.fact));
            after = page.last().map(|change| (change.fact.started_at, change.fact.id));
            if page.len() < page_size {
                break;
            }
        }
        let mut after = None;
        loop {
            let page = changes.runtime_by_time(after, last, page_size).await.expect("a page");
            rows.runtime.extend(page.iter().map(|change| change.fact));
            after = page.last().map(|change| (change.fact.started_at, change.fact.id));
            if page.len() < page_size {
                break;
            }
        }
        snapshot.end().await.expect("the end");
        (rows, last)
    }
}

fn random_id<T>(dice: &SeededRandom, make: fn(i64) -> T) -> Option<T> {
    (!dice.one_in(8)).then(|| make(dice.in_range(1, ID_END)))
}

fn random_incursion(dice: &SeededRandom, number: IncursionId) -> IncursionFact {
    let at = random_start_us(dice);
    let worksite = random_id(dice, WorksiteId);
    let (local_day, second) = local_day_and_second(worksite, at);
    let started_at = Timestamp::from_micros(at);
    // Many equal durations, and durations around the bounds of buckets.
    let lengths =
        [0, 999, 4_999_999, 5_000_000, 14_999_999, 30_000_000, 30_000_001, 119_999_000, 300_000_000];
    let length = |dice: &SeededRandom| match dice.below(3) {
        0 => dice.choose(&lengths),
        1 => dice.below(400) * 1_000_000,
        _ => dice.below(400_000_000),
    };
    // A few hexagons within one of the coarsest, and a few elsewhere.
    let digits = dice.below(6) << 27 | dice.below(3) << 12 | dice.below(4) << 6;
    IncursionFact {
        id: number,
        started_at,
        ended_at: (!dice.one_in(6)).then(|| started_at + Span::from_micros(length(dice))),
        acknowledged_at: (!dice.one_in(3)).then(|| started_at + Span::from_micros(dice.below(20_000_000))),
        zone: dice.choose(&Zone::ALL),
        review: dice.choose(&Review::ALL),
        machine: random_id(dice, MachineId),
        pedestrian: random_id(dice, PersonId),
        operator: random_id(dice, PersonId),
        worksite,
        project: random_id(dice, ProjectId),
        base_station: BaseStationId(dice.in_range(1, ID_END)),
        tag: TagId(dice.in_range(1, ID_END)),
        local_day: Day::from_number(local_day),
        local_minute: (local_day + 3).rem_euclid(7) * 1_440 + second / 60,
        cell: (!dice.one_in(5)).then_some(0x08D1_F1D4_0000_003F | digits),
    }
}

fn random_runtime(dice: &SeededRandom, number: RuntimePieceId) -> RuntimeFact {
    let at = random_start_us(dice);
    let worksite = random_id(dice, WorksiteId);
    let (local_day, second) = local_day_and_second(worksite, at);
    let rest = (3_600 - second % 3_600) * 1_000_000;
    // Some have no length, and some are shorter than the unit of counting.
    let length = match dice.below(8) {
        0 => 0,
        1 => dice.below(1_000),
        _ => dice.below(rest),
    };
    RuntimeFact {
        id: number,
        base_station: BaseStationId(dice.in_range(1, ID_END)),
        started_at: Timestamp::from_micros(at),
        ended_at: Timestamp::from_micros(at + length),
        machine: random_id(dice, MachineId),
        operator: random_id(dice, PersonId),
        worksite,
        project: random_id(dice, ProjectId),
        local_day: Day::from_number(local_day),
        local_hour: second / 3_600,
    }
}
