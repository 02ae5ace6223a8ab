//! /api/v2/tags

mod change;
mod create;
mod documents;
mod get;
mod list;

use app::Error;
use domain::{PersonId, RegistryRows, SortKey, TagFilter, TagFlag, TagRole, TagState, Timestamp};
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable, several,
};
use crate::people::Person;

pub use documents::{object, objects};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_tags, create::create_tag))
        .routes(routes!(get::get_tag, change::change_tag))
}

/// Attributes of a tag with its current state.
#[web::answer(sparse)]
#[schema(as = TagAttributes)]
pub struct Tag {
    /// Serial number printed on the tag.
    #[schema(example = "TAG-0042")]
    serial: String,
    /// Role of the wearer that the tag is meant for.
    #[schema(value_type = enum_schemas::TagRole, example = "pedestrian")]
    role: &'static str,
    /// State of the tag.
    #[schema(value_type = enum_schemas::TagState, example = "assigned")]
    state: &'static str,
    /// Conditions that need attention, according to the brand's settings. A retired tag has none.
    #[schema(value_type = Vec<enum_schemas::TagFlag>, example = json!(["test_due"]))]
    flags: Vec<&'static str>,
    /// Last reported battery level, in percent.
    #[schema(example = 87)]
    battery_percent: Option<i64>,
    /// Time of the last contact with the tag, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_seen_at: Option<Timestamp>,
    /// Latest test of the tag; null if it was never tested.
    last_test: Option<LastTest>,
    /// Number of whole days since the latest test; null if the tag was never tested.
    #[schema(example = 6)]
    days_since_last_test: Option<i64>,
    /// Summary of the incursions in which the tag was worn by a pedestrian, as far as you can see them.
    incursions: RecentIncursions,
    /// Whether the tag is retired.
    retired: bool,
    /// Time at which the tag was retired, RFC 3339 in UTC; null while it is in use.
    #[schema(value_type = Option<String>, format = DateTime)]
    retired_at: Option<Timestamp>,
    /// Time at which the tag was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
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

/// A summary of the incursions of a tag or base station. Incursions reviewed as dismissed or as false detections are not counted.
#[web::answer]
pub struct RecentIncursions {
    /// Number of incursions in the last 30 days.
    #[schema(example = 3)]
    last_30_days: i64,
    /// Time at which the latest incursion started, RFC 3339 in UTC, however long ago.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_at: Option<Timestamp>,
}

impl From<domain::IncursionSummary> for RecentIncursions {
    fn from(summary: domain::IncursionSummary) -> Self {
        Self { last_30_days: summary.count, last_at: summary.last_at }
    }
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "tags",
    path: Some("/api/v2/tags"),
    attributes: &[
        "serial",
        "role",
        "state",
        "flags",
        "battery_percent",
        "last_seen_at",
        "last_test",
        "days_since_last_test",
        "incursions",
        "retired",
        "retired_at",
        "created_at",
        "updated_at",
    ],
    relationships: &[Relationship::to_one("person", "people", "Person")],
};

impl Resource for Tag {
    const NAME: &'static str = "Tag";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["person"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[IncludedType::of::<Person>()];

    type Listed = Self;
}

impl Writable for Tag {
    type New = create::NewTag;
    type Changed = change::ChangedTag;
}

impl Collection for Tag {
    type Filter = TagFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[role]",
            description: "Returns tags that are meant for these roles only, separated by commas.",
            schema: several::<enum_schemas::TagRole>,
        },
        Filter {
            name: "filter[state]",
            description: "Returns tags in these states only, separated by commas.",
            schema: several::<enum_schemas::TagState>,
        },
        Filter {
            name: "filter[flag]",
            description: "Returns tags with at least one of these flags only, separated by commas.",
            schema: several::<enum_schemas::TagFlag>,
        },
        Filter {
            name: "filter[person]",
            description: "Returns tags that the people with these ids wear only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[q]",
            description: "Returns tags whose serial number contains this text, regardless of case.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("serial", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    const HAS_VERSIONS: bool = true;

    fn filter(query: &mut Query) -> Result<TagFilter, Error> {
        let people = query.comma_ids("filter[person]")?.unwrap_or_default();
        Ok(TagFilter {
            q: query.search("filter[q]")?,
            roles: query.comma_list("filter[role]", TagRole::ALL.len(), TagRole::parse)?,
            states: query.comma_list("filter[state]", TagState::ALL.len(), TagState::parse)?,
            flags: query.comma_list("filter[flag]", TagFlag::ALL.len(), TagFlag::parse)?,
            people: people.into_iter().map(PersonId).collect(),
            rows: RegistryRows { ids: query.comma_ids("filter[id]")?, changed: None },
        })
    }
}
