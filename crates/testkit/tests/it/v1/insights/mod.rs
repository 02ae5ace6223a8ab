//! /api/v1/insights

mod breakdown;
pub mod columns;
mod columns_expiry;
mod columns_not_saved;
mod columns_of_two_versions;
mod columns_opened_again;
mod corrected;
mod durations_and_heatmap;
mod longer_retention;
mod objects_away;
mod refusals;
mod relayed_node;
mod time_zones;
mod totals;
mod trends;
pub mod warehouse;
mod warehouse_faults;
mod warehouse_large_brands;

use serde_json::Value;
use store::RuntimePiece;
use testkit::{Account, utc_day};

pub use super::incursions::Yard;
use domain::{BaseStationId, IncursionRow, MachineId, PersonId, ProjectId, Span, Timestamp, WorksiteId};
pub use totals::set_time_zone;

async fn get(yard: &Yard, user: &Account, rest: &str) -> Value {
    let path = format!("/api/v1/insights{rest}");
    yard.app.get(&path).cookie(&user.cookie).send().await.expect(200).json()
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Builds an incursion at a time, with local time in UTC, that lasted some seconds.
pub fn incursion(yard: &Yard, started_at: &str, seconds: i64) -> IncursionRow {
    let started_at = at(started_at);
    let mut row = yard.row(0, Some(1));
    row.started_at = started_at;
    row.ended_at = Some(started_at + Span::seconds(seconds));
    row.attribution.local_day = utc_day(started_at);
    row.attribution.local_minute =
        (utc_day(started_at) + 3).rem_euclid(7) * 1_440 + started_at.seconds().rem_euclid(86_400) / 60;
    row
}

/// The same incursion, acknowledged some seconds after its start.
pub fn acknowledged(mut row: IncursionRow, seconds: i64) -> IncursionRow {
    row.acknowledged_at = Some(row.started_at + Span::seconds(seconds));
    row
}

/// Builds minutes of runtime of machine 1, driven by person 4, within an hour of UTC.
pub fn runtime(started_at: &str, minutes: i64) -> RuntimePiece {
    let started_at = at(started_at);
    RuntimePiece {
        base_station: BaseStationId(1),
        started_at,
        ended_at: started_at + Span::minutes(minutes),
        operator_tag: None,
        machine: Some(MachineId(1)),
        operator: Some(PersonId(4)),
        worksite: Some(WorksiteId(1)),
        project: Some(ProjectId(1)),
        local_day: utc_day(started_at),
        local_hour: started_at.seconds().rem_euclid(86_400) / 3_600,
    }
}
