//! /api/v2/incursions

mod change;
mod documents;
mod entries;
mod filter;
mod get;
mod list;

use app::Error;
use domain::{Day, SortKey, Timestamp};
#[cfg(feature = "openapi")]
use utoipa::openapi::path::Parameter;
use web::{Actor, GeoPosition, OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::base_stations::BaseStation;
use crate::json_api::{
    Collection, Filter, IncludedType, NamedSchema, Relationship, Resource, ResourceDefinition, Writable,
    several,
};
use crate::machines::Machine;
use crate::people::Person;
use crate::projects::Project;
use crate::tags::Tag;
use crate::worksites::Worksite;

use filter::IncursionListFilter;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_incursions))
        .routes(routes!(get::get_incursion, change::change_incursion))
}

/// Attributes of an incursion: a period during which a tag was inside a zone around a machine. All related resources are those of the time
/// of the incursion.
#[web::answer(sparse)]
#[schema(as = IncursionAttributes)]
pub struct Incursion {
    /// Sequence number of the last change, in the order of the brand's changes. It is also the ETag.
    #[schema(example = 1207)]
    seq: i64,
    /// Unique id that the base station gave to the incursion.
    #[schema(example = "i-20260301-0007")]
    uid: String,
    /// Time at which the incursion started, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    started_at: Timestamp,
    /// Time at which the incursion ended, RFC 3339 in UTC; null while it lasts, or if its end was never reported.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// Whether the incursion was closed because its end was never reported.
    #[schema(example = false)]
    closed_without_end: bool,
    /// Duration in milliseconds; null without an end.
    #[schema(example = 12500)]
    duration_ms: Option<i64>,
    /// Date on which the incursion started, in the time zone of the worksite.
    #[schema(value_type = String, format = Date, example = "2026-03-01")]
    local_day: Day,
    /// Whether the acknowledgement button in the cab was pressed.
    #[schema(example = true)]
    acknowledged: bool,
    /// Time at which the button was pressed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// Time from the start of the incursion until the button was pressed, in milliseconds.
    #[schema(example = 3100)]
    ack_ms: Option<i64>,
    /// Innermost zone that the tag entered.
    #[schema(value_type = enum_schemas::Zone, example = "danger")]
    zone: &'static str,
    /// Smallest distance between the tag and the machine, in centimetres.
    #[schema(example = 180)]
    closest_cm: Option<i64>,
    /// Position of the machine at the time of the incursion.
    position: Option<GeoPosition>,
    /// Latest review of the incursion by the office.
    review: IncursionReview,
    /// Time at which the incursion was first reported, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
    /// Video clips of the incursion.
    clips: Vec<IncursionClip>,
    /// Time at which the incursion was added, RFC 3339 in UTC; the same as `received_at`.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T09:00:00Z")]
    updated_at: Timestamp,
}

/// A review of an incursion by the office. It is independent of the acknowledgement in the cab.
#[web::answer]
pub struct IncursionReview {
    /// Result of the review. `dismissed`: an incursion, but of no concern; `false_detection`: not an incursion. Neither is counted by
    /// default.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    state: &'static str,
    /// User or service account that made the review; null without a review.
    by: Option<Actor>,
    /// Time of the review, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
    /// Comment on the review; null for callers who may not see names.
    #[schema(example = "Signaller on the wrong side of the fence")]
    comment: Option<String>,
}

/// A video clip of an incursion.
#[web::answer]
pub struct IncursionClip {
    /// Id of the video clip.
    #[schema(example = 8)]
    id: i64,
    /// Name of the camera.
    #[schema(example = "rear")]
    camera: String,
    /// State of the clip.
    #[schema(value_type = enum_schemas::ClipState, example = "available")]
    state: &'static str,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "incursions",
    path: Some("/api/v2/incursions"),
    attributes: &[
        "seq",
        "uid",
        "started_at",
        "ended_at",
        "closed_without_end",
        "duration_ms",
        "local_day",
        "acknowledged",
        "acknowledged_at",
        "ack_ms",
        "zone",
        "closest_cm",
        "position",
        "review",
        "received_at",
        "clips",
        "created_at",
        "updated_at",
    ],
    relationships: &[
        Relationship::to_one("machine", "machines", "Machine"),
        Relationship::to_one("base_station", "base_stations", "BaseStation"),
        Relationship::to_one("tag", "tags", "Tag"),
        Relationship::to_one("operator_tag", "tags", "Tag"),
        Relationship::to_one("pedestrian", "people", "Person"),
        Relationship::to_one("operator", "people", "Person"),
        Relationship::to_one("worksite", "worksites", "Worksite"),
        Relationship::to_one("project", "projects", "Project"),
    ],
};

impl Resource for Incursion {
    const NAME: &'static str = "Incursion";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] =
        &["machine", "base_station", "tag", "operator_tag", "pedestrian", "operator", "worksite", "project"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[
        IncludedType::of::<Machine>(),
        IncludedType::of::<BaseStation>(),
        IncludedType::of::<Tag>(),
        IncludedType::of::<Person>(),
        IncludedType::of::<Worksite>(),
        IncludedType::of::<Project>(),
    ];
    const LIST_ENTRY: Option<NamedSchema> = Some(NamedSchema::of::<entries::IncursionEntry>());
    const LIST_META: NamedSchema = NamedSchema::of::<entries::IncursionListMeta>();

    type Listed = Self;
}

impl Writable for Incursion {
    // Incursions are reported by base stations and never created here.
    type New = change::ChangedIncursion;
    type Changed = change::ChangedIncursion;
}

impl Collection for Incursion {
    type Filter = IncursionListFilter;

    const FILTERS: &'static [Filter] = &[
        Filter {
            name: filter::ID,
            description: "Returns incursions with these ids only, separated by commas; at most 100. They may have started at any time \
                          unless `filter[from]` or `filter[to]` is given too, and have any review unless `filter[review]` is given.",
            schema: several::<String>,
        },
        Filter {
            name: filter::AFTER_SEQ,
            description: "Change feed: every incursion that changed after this sequence number, in its current form and the oldest \
                          change first; 0 starts from the beginning. No other filter, no `sort`, no `page[before]` and no \
                          `page[total]=true` may be given with it. Pass the `seq` of the answer's `meta` next time. An incursion \
                          that leaves the projects you can see is listed once, with `gone` in its `meta`. Start again from 0 when \
                          your projects change.",
            schema: filter::SequenceNumber::schema,
        },
    ];

    // The order is read with the filter, because these keys are not those of the registry. Here only the names matter.
    const SORTS: &'static [(&'static str, SortKey)] = &[
        ("started_at", SortKey::StartedAt),
        ("duration_ms", SortKey::StartedAt),
        ("ack_ms", SortKey::StartedAt),
    ];

    #[cfg(feature = "openapi")]
    fn shared_filters() -> Vec<Parameter> {
        filter::parameters()
    }

    fn filter(query: &mut Query) -> Result<IncursionListFilter, Error> {
        IncursionListFilter::read(query)
    }
}
