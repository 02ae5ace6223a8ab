//! /api/v1/tags: the tags that people wear.

mod assignments;
mod change;
mod create;
mod get;
mod incursions;
mod list;
mod tests;

use domain::{TagFlag, Timestamp};
use web::{OperationRouter, enum_schemas, routes};

use crate::references::{PersonReference, Reference, TagReference};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_tags, create::create_tag))
        .routes(routes!(get::get_tag, change::change_tag))
        .routes(routes!(tests::list_tests_of_tag))
        .routes(routes!(assignments::list_assignments_of_tag))
        .routes(routes!(incursions::list_incursions_of_tag))
}

/// A tag with its current state.
#[web::answer(record)]
pub struct Tag {
    /// Identifier of the tag.
    #[schema(example = 12)]
    id: i64,
    /// Serial number printed on the tag.
    #[schema(example = "TAG-0042")]
    serial: String,
    /// Role of the wearer that the tag is meant for.
    #[schema(value_type = enum_schemas::TagRole, example = "pedestrian")]
    role: &'static str,
    /// State of the tag.
    #[schema(value_type = enum_schemas::TagState, example = "assigned")]
    state: &'static str,
    /// Conditions that need attention, according to the brand's settings. `test_due`: the test interval ends within a day;
    /// `test_overdue`: it has ended; `low_battery` and `critical_battery`: the battery is at or below the threshold (only the worse of
    /// the two is set); `silent`: no contact for the silence limit. A retired tag has no flags.
    #[schema(value_type = Vec<enum_schemas::TagFlag>, example = json!(["test_due"]))]
    flags: Vec<&'static str>,
    /// Last reported battery level, in percent.
    #[schema(example = 87)]
    battery_percent: Option<i64>,
    /// Person who wears the tag now.
    person: Option<PersonReference>,
    /// Time of the last contact with the tag, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_seen_at: Option<Timestamp>,
    /// Latest test of the tag; null if it was never tested.
    last_test: Option<LastTest>,
    /// Number of whole days since the latest test; null if the tag was never tested.
    #[schema(example = 6)]
    days_since_last_test: Option<i64>,
    /// Summary of the incursions in which the tag was worn by a pedestrian, as far as they are visible to you.
    incursions: TagIncursions,
    /// Time at which the tag was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the tag was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// Time at which the tag was retired, RFC 3339 in UTC; null while it is in use.
    #[schema(value_type = Option<String>, format = DateTime)]
    retired_at: Option<Timestamp>,
}

/// A summary of the incursions of a tag. Incursions reviewed as dismissed or as false detections are not counted.
#[web::answer]
pub struct TagIncursions {
    /// Number of incursions in the last 30 days.
    #[schema(example = 3)]
    last_30_days: i64,
    /// Time at which the latest incursion started, RFC 3339 in UTC, however long ago.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_at: Option<Timestamp>,
}

/// The latest test of a tag.
#[web::answer]
pub struct LastTest {
    /// Time of the test, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    tested_at: Timestamp,
    /// Whether the tag passed the test.
    #[schema(example = true)]
    passed: bool,
}

/// A test of a tag.
#[web::answer]
pub struct TagTest {
    /// Identifier of the tag test.
    #[schema(example = 5)]
    id: i64,
    /// Tag that was tested.
    tag: TagReference,
    /// Tester device on which the tag was tested; null if it was tested on a base station.
    tester_device: Option<Reference>,
    /// Base station on which the tag was tested; null if it was tested on a tester device.
    base_station: Option<Reference>,
    /// Person who wore the tag at the time of the test.
    person: Option<PersonReference>,
    /// Time of the test, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    tested_at: Timestamp,
    /// Whether the tag passed the test.
    #[schema(example = true)]
    passed: bool,
    /// Battery level at the time of the test, in percent.
    #[schema(example = 87)]
    battery_percent: Option<i64>,
    /// Time at which the test was recorded, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the test was last changed, because an assignment was corrected, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub fn shape(view: app::TagView) -> Tag {
    let domain::TagDetails { tag, person, last_test, .. } = view.details;
    Tag {
        id: tag.id.0,
        serial: tag.serial,
        role: tag.role.as_str(),
        state: view.state.as_str(),
        flags: view.flags.into_iter().map(TagFlag::as_str).collect(),
        battery_percent: tag.battery_percent,
        person: person.map(PersonReference::from),
        last_seen_at: tag.last_seen_at,
        last_test: last_test.map(|test| LastTest { tested_at: test.tested_at, passed: test.passed }),
        days_since_last_test: view.days_since_last_test,
        incursions: TagIncursions { last_30_days: view.incursions.count, last_at: view.incursions.last_at },
        created_at: tag.created_at,
        updated_at: tag.updated_at,
        retired_at: tag.retired_at,
    }
}

pub fn shape_test(test: domain::TagTest) -> TagTest {
    TagTest {
        id: test.id.0,
        tag: TagReference { id: test.tag.0, serial: test.tag_serial },
        tester_device: test.device.map(|id| Reference { id: id.0 }),
        base_station: test.base_station.map(|id| Reference { id: id.0 }),
        person: test.person.map(PersonReference::from),
        tested_at: test.tested_at,
        passed: test.passed,
        battery_percent: test.battery_percent,
        created_at: test.created_at,
        updated_at: test.updated_at,
    }
}
