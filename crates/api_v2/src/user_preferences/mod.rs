//! /api/v2/user_preferences

mod change;
mod default_view;
mod get;
mod relationships;

use domain::UserId;
use domain::preferences::ListedDimension;
use serde::Serialize;
use serde_json::json;
use store::UserPreferences;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

use crate::json_api::{
    Arity, Identifier, Linkage, Relationship, Resource, ResourceDefinition, ResourceObject, Writable,
};
use crate::saved_views;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(get::get_user_preferences, change::change_user_preferences))
        .routes(routes!(default_view::get_default_view))
        .merge(relationships::routes())
}

/// How a user wants things shown: what holds for them.
#[derive(Serialize, ToSchema)]
#[schema(as = UserPreferencesAttributes)]
pub struct Preferences {
    /// The language they read: a tag of BCP 47.
    #[schema(example = "en-GB")]
    language: String,
    /// By which clock moments of sites with several clocks are told: a zone of the IANA database.
    #[schema(example = "Europe/London")]
    time_zone: String,
    /// How dates are written in pictures and in files.
    #[schema(value_type = enum_schemas::DateFormat, example = "DD/MM/YYYY")]
    date_format: &'static str,
    /// What lengths are told in, in pictures and in files.
    #[schema(value_type = enum_schemas::Units, example = "metric")]
    units: &'static str,
    /// With which day a week is shown to begin.
    #[schema(value_type = enum_schemas::FirstDay, example = "monday")]
    first_day_of_week: &'static str,
    /// All that pivots can be made of, in order.
    dimensions: Vec<PreferredDimension>,
}

/// Something that pivots can be made of.
#[derive(Serialize, ToSchema)]
pub struct PreferredDimension {
    /// Which.
    #[schema(value_type = enum_schemas::Dimension, example = "worksite")]
    dimension: &'static str,
    /// What you call it; null for its usual name.
    #[schema(example = "Site")]
    label: Option<String>,
    /// Whether it is to be offered. What is not can be asked for all the same.
    #[schema(example = true)]
    shown: bool,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "user_preferences",
    path: Some("/api/v2/user_preferences"),
    attributes: &["language", "time_zone", "date_format", "units", "first_day_of_week", "dimensions"],
    relationships: &[Relationship {
        name: "default_view",
        kind: "saved_views",
        arity: Arity::One,
        field: Some("default_view_id"),
    }],
};

impl Resource for Preferences {
    const NAME: &'static str = "UserPreferences";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["default_view"];
    const INCLUDED_TYPES: &'static [&'static ResourceDefinition] = &[&saved_views::DEFINITION];
    const META: Option<fn() -> RefOr<Schema>> = Some(meta);

    type Listed = Self;
}

impl Writable for Preferences {
    // Nobody makes them: every user has them.
    type New = change::ChangedPreferences;
    type Changed = change::ChangedPreferences;
}

fn meta() -> RefOr<Schema> {
    let name = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(DEFINITION.attributes.iter().copied()));
    let own = ArrayBuilder::new().items(name).description(Some(
        "The attributes that are your own; the others are as the brand has them, or as usual",
    ));
    RefOr::T(ObjectBuilder::new().property("own", own).required("own").into())
}

/// Someone's preferences as a document shows them.
fn object(user: UserId, preferences: &UserPreferences) -> ResourceObject {
    let in_force = preferences.effective();
    let dimension = |one: &ListedDimension| PreferredDimension {
        dimension: one.dimension.as_str(),
        label: one.label.as_ref().map(ToString::to_string),
        shown: one.shown,
    };
    let attributes = Preferences {
        language: in_force.language.to_string(),
        time_zone: in_force.time_zone.to_string(),
        date_format: in_force.date_format.as_str(),
        units: in_force.units.as_str(),
        first_day_of_week: in_force.first_day_of_week.as_str(),
        dimensions: in_force.dimensions.all().iter().map(dimension).collect(),
    };
    let meta = json!({ "own": preferences.own.overridden_fields() });
    let mut object = ResourceObject::with_all_attributes(user.0, &attributes).as_singleton().with_meta(meta);
    object.link("default_view", Linkage::One(default_view(preferences)));
    object
}

/// The view that someone begins with.
fn default_view(preferences: &UserPreferences) -> Option<Identifier> {
    preferences.default_view.map(|view| Identifier::new(saved_views::DEFINITION.kind, view.0))
}
