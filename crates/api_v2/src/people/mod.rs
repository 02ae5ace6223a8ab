//! /api/v2/people

mod change;
mod create;
mod documents;
mod get;
mod list;
mod relationships;
mod tags;

use app::Error;
use domain::{PeopleFilter, PersonKind, RegistryRows, SortKey, Timestamp};
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Arity, Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable, several,
};
use crate::tags::Tag;

pub use documents::object;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_people, create::create_person))
        .routes(routes!(get::get_person, change::change_person))
        .routes(routes!(tags::list_tags_of_person))
        .routes(routes!(relationships::tags::get_tag_links))
}

/// Attributes of a person, who is staff or a visitor.
#[web::answer(sparse)]
#[schema(as = PersonAttributes)]
pub struct Person {
    /// Whether the person is staff or a visitor.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff")]
    kind: &'static str,
    /// Name of the person. It is `Person 7` for callers who may not see names, and after the person was erased.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Number that the employer gave to the person; null for callers who may not see names.
    #[schema(example = "E-1815")]
    employee_id: Option<String>,
    /// Email address of the person; null for callers who may not see names.
    #[schema(example = "ada@example.com")]
    email: Option<String>,
    /// Company that the person works for; null for callers who may not see names.
    #[schema(example = "Analytical Engines")]
    company: Option<String>,
    /// Whether the person is archived.
    archived: bool,
    /// Time at which the person was archived, RFC 3339 in UTC; null while the person is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// Time at which the person was erased, RFC 3339 in UTC; null if the person was not.
    #[schema(value_type = Option<String>, format = DateTime)]
    erased_at: Option<Timestamp>,
    /// Time at which the person was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "people",
    path: Some("/api/v2/people"),
    attributes: &[
        "kind",
        "name",
        "employee_id",
        "email",
        "company",
        "archived",
        "archived_at",
        "erased_at",
        "created_at",
        "updated_at",
    ],
    relationships: &[Relationship {
        name: "tags",
        kind: "tags",
        other_kind: None,
        related: "Tag",
        arity: Arity::Many,
        field: None,
        is_derived: true,
        has_links: true,
    }],
};

impl Resource for Person {
    const NAME: &'static str = "Person";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["tags"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[IncludedType::of::<Tag>()];

    type Listed = Self;
}

impl Writable for Person {
    type New = create::NewPerson;
    type Changed = change::ChangedPerson;
}

impl Collection for Person {
    type Filter = PeopleFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[archived]",
            description: "With `true`, returns archived people instead of active ones.",
            schema: bool::schema,
        },
        Filter {
            name: "filter[kind]",
            description: "Returns people of these kinds only, separated by commas.",
            schema: several::<enum_schemas::PersonKind>,
        },
        Filter {
            name: "filter[q]",
            description: "Returns people whose name, as you see it, contains this text, regardless of case and accents.",
            schema: String::schema,
        },
    ];

    // For callers who may not see names, the order by name is that of the ids.
    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    const HAS_VERSIONS: bool = true;

    fn filter(query: &mut Query) -> Result<PeopleFilter, Error> {
        Ok(PeopleFilter {
            archived: query.flag("filter[archived]")?,
            kinds: query.comma_list("filter[kind]", PersonKind::ALL.len(), PersonKind::parse)?,
            q: query.search("filter[q]")?,
            rows: RegistryRows { ids: query.comma_ids("filter[id]")?, changed: None },
        })
    }
}
