//! /api/v2/saved_views

mod change;
mod create;
mod definition;
mod delete;
mod get;
mod list;

use app::Error;
use domain::{SavedViewFilter, SavedViewKind, SortKey, Timestamp};
use serde_json::Value;
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Collection, Filter, Identifier, IncludedType, Linkage, Relationship, Resource, ResourceDefinition,
    ResourceObject, Writable, several,
};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_saved_views, create::create_saved_view)).routes(routes!(
        get::get_saved_view,
        change::change_saved_view,
        delete::delete_saved_view
    ))
}

/// Attributes of a saved view: a pivot or filter saved under a name.
#[web::answer(sparse)]
#[schema(as = SavedViewAttributes)]
pub struct SavedView {
    /// Name of the view.
    #[schema(example = "Danger by machine")]
    name: String,
    /// Kind of the view: a pivot, or a filter only. It cannot be changed.
    #[schema(value_type = enum_schemas::SavedViewKind, example = "pivot")]
    kind: &'static str,
    /// Query of the view.
    #[schema(schema_with = definition::schema)]
    definition: Value,
    /// Whether everyone in the brand can see the view, or its owner only.
    shared: bool,
    /// Time at which the view was created, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "saved_views",
    path: Some("/api/v2/saved_views"),
    attributes: &["name", "kind", "definition", "shared", "created_at", "updated_at"],
    relationships: &[Relationship::to_account("owner")],
};

impl Resource for SavedView {
    const NAME: &'static str = "SavedView";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &[];
    const INCLUDED_TYPES: &'static [IncludedType] = &[];

    type Listed = Self;
}

impl Writable for SavedView {
    type New = create::NewSavedView;
    type Changed = change::ChangedSavedView;
}

impl Collection for SavedView {
    type Filter = SavedViewFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[kind]",
            description: "Returns views of these kinds only, separated by commas.",
            schema: several::<enum_schemas::SavedViewKind>,
        },
        Filter {
            name: "filter[shared]",
            description: "With `true`, returns shared views only; with `false`, views that only you can see.",
            schema: bool::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Returns views whose name contains this text, regardless of case and accents.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    fn filter(query: &mut Query) -> Result<SavedViewFilter, Error> {
        Ok(SavedViewFilter {
            ids: query.comma_ids("filter[id]")?,
            kinds: query.comma_list("filter[kind]", SavedViewKind::ALL.len(), SavedViewKind::parse)?,
            shared: query.optional_flag("filter[shared]")?,
            q: query.search("filter[q]")?,
        })
    }
}

/// Builds the resource object of a saved view.
pub fn object(view: domain::SavedView) -> ResourceObject {
    let attributes = SavedView {
        name: view.name,
        kind: view.kind.as_str(),
        // The text was serialised here, as JSON.
        definition: serde_json::from_str(&view.definition).unwrap_or_default(),
        shared: view.shared,
        created_at: view.created_at,
        updated_at: view.updated_at,
    };
    let mut object = ResourceObject::with_all_attributes(view.id.0, &attributes);
    let owner = Identifier::new(Relationship::type_of_account(view.owner_kind), view.owner.0);
    object.link("owner", Linkage::One(Some(owner)));
    object
}
