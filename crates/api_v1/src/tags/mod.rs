//! /api/v1/tags: the tags that people wear.

mod assignments;
mod change;
mod create;
mod get;
mod incursions;
mod list;
mod tests;

use domain::{TagFlag, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

use crate::references::{PersonReference, Reference, TagReference};

pub use create::NewTagFields;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_tags, create::create_tag))
        .routes(routes!(get::get_tag, change::change_tag))
        .routes(routes!(tests::list_tests_of_tag))
        .routes(routes!(assignments::list_assignments_of_tag))
        .routes(routes!(incursions::list_incursions_of_tag))
}

/// A tag, and how it stands.
#[derive(Serialize, ToSchema)]
pub struct Tag {
    /// Its id.
    #[schema(example = 12)]
    id: i64,
    /// What stands on it.
    #[schema(example = "TAG-0042")]
    serial: String,
    /// Whom it is meant for.
    #[schema(value_type = enum_schemas::TagRole, example = "pedestrian")]
    role: &'static str,
    /// Where it is.
    #[schema(value_type = enum_schemas::TagState, example = "assigned")]
    state: &'static str,
    /// What should be looked at, by the brand's settings. `test_due`: the last day of the test interval;
    /// `test_overdue`: past it; `low_battery` and `critical_battery`: at or below the mark, the worse one only;
    /// `silent`: not heard of for the silence limit. A retired tag has none.
    #[schema(value_type = Vec<enum_schemas::TagFlag>, example = json!(["test_due"]))]
    flags: Vec<&'static str>,
    /// What its battery last held.
    #[schema(example = 87)]
    battery_percent: Option<i64>,
    /// Who wears it now.
    person: Option<PersonReference>,
    /// When it was last heard of.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_seen_at: Option<Timestamp>,
    /// How it was last tested.
    last_test: Option<LastTest>,
    /// Whole days since its last test; null if it was never tested.
    #[schema(example = 6)]
    days_since_last_test: Option<i64>,
    /// How often it came near machines, worn on foot, as far as you see it.
    incursions: TagIncursions,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// When it was taken out of use.
    #[schema(value_type = Option<String>, format = DateTime)]
    retired_at: Option<Timestamp>,
}

/// The incursions of a tag in few words; those that were dismissed, or were none, are left out.
#[derive(Serialize, ToSchema)]
pub struct TagIncursions {
    /// How many began in the last thirty days.
    #[schema(example = 3)]
    last_30_days: i64,
    /// When the last one began, whenever that was.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_at: Option<Timestamp>,
}

/// The latest test of a tag.
#[derive(Serialize, ToSchema)]
pub struct LastTest {
    /// When it was.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    tested_at: Timestamp,
    /// Whether the tag did what it should.
    #[schema(example = true)]
    passed: bool,
}

/// A test of a tag.
#[derive(Serialize, ToSchema)]
pub struct TagTest {
    /// Its id.
    #[schema(example = 5)]
    id: i64,
    /// The tag.
    tag: TagReference,
    /// The device it was tested on.
    tester_device: Option<Reference>,
    /// Where it was tested, if not on a kiosk.
    base_station: Option<Reference>,
    /// Who wore it at the time.
    person: Option<PersonReference>,
    /// When it was.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    tested_at: Timestamp,
    /// Whether it did what it should.
    #[schema(example = true)]
    passed: bool,
    /// What its battery held.
    #[schema(example = 87)]
    battery_percent: Option<i64>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
}

/// A tag as the interface shows it.
pub fn shape(view: app::TagView) -> Tag {
    let store::TagDetails { tag, person, last_test, .. } = view.details;
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

/// A test as the interface shows it.
pub fn shape_test(test: store::TagTest) -> TagTest {
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
    }
}
