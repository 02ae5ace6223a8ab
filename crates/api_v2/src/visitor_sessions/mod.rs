//! /api/v2/visitor_sessions: visits, from check-in to check-out. V1 checks visitors in and out.

mod documents;
mod get;
mod list;

use app::Error;
use domain::{
    Direction, Invalid, PeriodBound, PersonId, RegistryRows, SortKey, Sorting, Timestamp, VisitFilter,
    VisitPeriod, VisitState, WorksiteId,
};
use web::{Actor, OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, several,
};
use crate::people::Person;
use crate::tags::Tag;
use crate::worksites::Worksite;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_visitor_sessions))
        .routes(routes!(get::get_visitor_session))
}

/// Attributes of a visit, from check-in to check-out.
#[web::answer(sparse)]
#[schema(as = VisitorSessionAttributes)]
pub struct VisitorSession {
    /// Company that the visitor represents; null for callers who may not see names.
    #[schema(example = "Plums & Co")]
    company: Option<String>,
    /// Notes on the visit; null for callers who may not see names.
    notes: Option<String>,
    /// State of the visit.
    #[schema(value_type = enum_schemas::VisitState, example = "active")]
    state: &'static str,
    /// Time of the check-in, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    checked_in_at: Timestamp,
    /// User or device that checked the visitor in.
    checked_in_by: Actor,
    /// Time until which the visitor expects to stay, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    expected_until: Option<Timestamp>,
    /// Time of the check-out, RFC 3339 in UTC; null while the visit is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    checked_out_at: Option<Timestamp>,
    /// User, device or service that checked the visitor out.
    checked_out_by: Option<Actor>,
    /// Whether the visit was closed automatically because nobody checked the visitor out.
    #[schema(example = false)]
    closed_automatically: bool,
    /// Duration of the visit until its end or until now, in whole seconds.
    #[schema(example = 3600)]
    duration_s: i64,
    /// Time at which the visit was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "visitor_sessions",
    path: Some("/api/v2/visitor_sessions"),
    attributes: &[
        "company",
        "notes",
        "state",
        "checked_in_at",
        "checked_in_by",
        "expected_until",
        "checked_out_at",
        "checked_out_by",
        "closed_automatically",
        "duration_s",
        "created_at",
        "updated_at",
    ],
    relationships: &[
        Relationship::to_one("person", "people", "Person"),
        Relationship::to_one("tag", "tags", "Tag"),
        Relationship::to_one("worksite", "worksites", "Worksite"),
    ],
};

impl Resource for VisitorSession {
    const NAME: &'static str = "VisitorSession";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["person", "tag", "worksite"];
    const INCLUDED_TYPES: &'static [IncludedType] =
        &[IncludedType::of::<Person>(), IncludedType::of::<Tag>(), IncludedType::of::<Worksite>()];

    type Listed = Self;
}

impl Collection for VisitorSession {
    type Filter = VisitFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[state]",
            description: "Returns visits in these states only, separated by commas.",
            schema: several::<enum_schemas::VisitState>,
        },
        Filter {
            name: "filter[worksite]",
            description: "Returns visits to the worksites with these ids only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[person]",
            description: "Returns visits of the people with these ids only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[from]",
            description: "Returns visits with a check-in at this time or later only: a time (RFC 3339), or a date, which begins by the local \
                          time of the worksite.",
            schema: String::schema,
        },
        Filter {
            name: "filter[to]",
            description: "Returns visits with a check-in before this time only; a time or a date, as in `filter[from]`.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] = &[
        ("checked_in_at", SortKey::StartedAt),
        ("created_at", SortKey::CreatedAt),
        ("updated_at", SortKey::UpdatedAt),
    ];

    /// The newest come first.
    const DEFAULT_SORTING: Sorting = Sorting::by(SortKey::Id, Direction::Descending);

    const HAS_VERSIONS: bool = true;

    fn filter(query: &mut Query) -> Result<VisitFilter, Error> {
        let worksites = query.comma_ids("filter[worksite]")?.unwrap_or_default();
        let people = query.comma_ids("filter[person]")?.unwrap_or_default();
        let filter = VisitFilter {
            states: query.comma_list("filter[state]", VisitState::ALL.len(), VisitState::parse)?,
            worksites: worksites.into_iter().map(WorksiteId).collect(),
            people: people.into_iter().map(PersonId).collect(),
            from: query.one("filter[from]", PeriodBound::parse)?,
            to: query.one("filter[to]", PeriodBound::parse)?,
            period: VisitPeriod::default(),
            rows: RegistryRows { ids: query.comma_ids("filter[id]")?, changed: None },
        };
        if filter.is_reversed() {
            let invalid = Invalid::new("out_of_range", "must not come before filter[from]");
            return Err(Error::bad_parameter("filter[to]", invalid));
        }
        Ok(filter)
    }
}
