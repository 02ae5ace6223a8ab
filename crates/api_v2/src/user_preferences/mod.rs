//! /api/v2/user_preferences

mod change;
mod default_view;
mod get;
mod relationships;

use domain::preferences::ListedDimension;
use domain::{Timestamp, UserId, UserPreferences};
use serde_json::json;
#[cfg(feature = "openapi")]
use utoipa::openapi::RefOr;
#[cfg(feature = "openapi")]
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use web::{OperationRouter, PartialSchema, ToSchema, enum_schemas, routes};

use crate::json_api::{
    Arity, Identifier, IncludedType, Linkage, NamedSchema, Relationship, Resource, ResourceDefinition,
    ResourceObject, Writable,
};
use crate::saved_views;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(get::get_user_preferences, change::change_user_preferences))
        .routes(routes!(default_view::get_default_view))
        .merge(relationships::routes())
}

/// Display preferences in effect for a user.
#[web::answer(sparse)]
#[schema(as = UserPreferencesAttributes)]
pub struct Preferences {
    /// Language, as a BCP 47 tag.
    #[schema(example = "en-GB")]
    language: String,
    /// IANA time zone for times that concern worksites in several time zones.
    #[schema(example = "Europe/London")]
    time_zone: String,
    /// Date format in images and files.
    #[schema(value_type = enum_schemas::DateFormat, example = "DD/MM/YYYY")]
    date_format: &'static str,
    /// Unit system for lengths in images and files.
    #[schema(value_type = enum_schemas::Units, example = "metric")]
    units: &'static str,
    /// First day of the week in displays.
    #[schema(value_type = enum_schemas::FirstDay, example = "monday")]
    first_day_of_week: &'static str,
    /// All dimensions of pivots, in the preferred order.
    dimensions: Vec<PreferredDimension>,
    /// Time at which the user was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the user last changed them, RFC 3339 in UTC; the same as `created_at` before that.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// A dimension of pivots, with its display settings.
#[web::answer]
pub struct PreferredDimension {
    /// Dimension that the settings apply to.
    #[schema(value_type = enum_schemas::Dimension, example = "worksite")]
    dimension: &'static str,
    /// Your own label for the dimension; null for the default label.
    #[schema(example = "Site")]
    label: Option<String>,
    /// Whether the dimension is offered in selections. Other dimensions can still be used in requests.
    #[schema(example = true)]
    shown: bool,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "user_preferences",
    path: Some("/api/v2/user_preferences"),
    attributes: &[
        "language",
        "time_zone",
        "date_format",
        "units",
        "first_day_of_week",
        "dimensions",
        "created_at",
        "updated_at",
    ],
    relationships: &[Relationship {
        name: "default_view",
        kind: "saved_views",
        other_kind: None,
        related: "SavedView",
        arity: Arity::One,
        field: Some("default_view_id"),
        is_derived: false,
        has_links: true,
    }],
};

impl Resource for Preferences {
    const NAME: &'static str = "UserPreferences";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["default_view"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[IncludedType::of::<saved_views::SavedView>()];
    const META: Option<NamedSchema> = Some(NamedSchema::of::<UserPreferencesMeta>());

    type Listed = Self;
}

impl Writable for Preferences {
    // Preferences are never created: every user has them.
    type New = change::ChangedPreferences;
    type Changed = change::ChangedPreferences;
}

/// Information about the preferences of a user.
#[web::answer]
pub struct UserPreferencesMeta {
    /// Attributes that you set yourself; the others have the brand's value or the default.
    #[schema(value_type = Vec<PreferenceName>)]
    own: Vec<&'static str>,
}

/// Schema of the name of a preference.
struct PreferenceName;

#[cfg(feature = "openapi")]
impl PartialSchema for PreferenceName {
    fn schema() -> RefOr<Schema> {
        let is_time = |name: &&str| ["created_at", "updated_at"].contains(name);
        let names = DEFINITION.attributes.iter().copied().filter(|name| !is_time(name));
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
    }
}

#[cfg(feature = "openapi")]
impl ToSchema for PreferenceName {}

/// Builds the resource object of a user's preferences.
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
        created_at: preferences.created_at,
        updated_at: preferences.updated_at,
    };
    let meta = json!(UserPreferencesMeta { own: preferences.own.overridden_fields() });
    let mut object =
        ResourceObject::with_all_attributes(user.0, &attributes).into_singleton().with_meta(meta);
    object.link("default_view", Linkage::One(default_view(preferences)));
    object
}

/// Returns the identifier of the user's default view.
fn default_view(preferences: &UserPreferences) -> Option<Identifier> {
    preferences.default_view.map(|view| Identifier::new(saved_views::DEFINITION.kind, view.0))
}
