//! PATCH /api/v2/user_preferences

use std::sync::Arc;

use app::{App, PreferencesChange};
use axum::extract::State;
use domain::access::BeSignedIn;
use domain::insights::Dimension;
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::preferences::{DimensionList, ListedDimension};
use domain::{Change, Invalid, Name, SavedViewId, TimeZone};
use serde_json::Value;
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, IfMatchHeader, NoParams, Result, boolean, enum_schemas, id,
    json_api_errors, text,
};

use super::{DEFINITION, Preferences, object};
use crate::json_api::{self, ChangeOf, DocumentOf, Negotiated, Payload, Target, with_pointers};

/// Preferences to change. Attributes that are left out stay as they are; null returns to the brand's value or to the default.
#[derive(ToSchema)]
#[schema(as = ChangedUserPreferencesAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedPreferences {
    /// Language, as a BCP 47 tag without extensions.
    #[schema(example = "en-GB", max_length = 35)]
    language: Option<String>,
    /// IANA time zone for times that concern worksites in several time zones.
    #[schema(example = "Europe/London")]
    time_zone: Option<String>,
    /// Date format in images and files.
    #[schema(value_type = Option<enum_schemas::DateFormat>, example = "DD/MM/YYYY")]
    date_format: Option<String>,
    /// Unit system for lengths in images and files.
    #[schema(value_type = Option<enum_schemas::Units>, example = "metric")]
    units: Option<String>,
    /// First day of the week in displays. Weeks that are counted always begin on Monday.
    #[schema(value_type = Option<enum_schemas::FirstDay>, example = "sunday")]
    first_day_of_week: Option<String>,
    /// Dimensions of pivots in your order. Dimensions that are left out follow in the default order.
    #[schema(max_items = 17, example = json!([{ "dimension": "worksite", "label": "Site", "shown": true }]))]
    dimensions: Option<Vec<ChangedDimension>>,
}

/// A dimension of pivots, with its display settings.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedDimension {
    /// Dimension; each can be listed once.
    #[schema(value_type = enum_schemas::Dimension, example = "worksite")]
    dimension: String,
    /// Your own label for the dimension; null or left out for the default label.
    #[schema(example = "Site", min_length = 1, max_length = 100)]
    label: Option<String>,
    /// Whether the dimension is offered in selections.
    #[schema(default = true, example = true)]
    shown: Option<bool>,
}

type ChangedPreferencesDocument = ChangeOf<Preferences>;
type PreferencesDocument = DocumentOf<Preferences>;

fn read(fields: &mut Fields) -> Option<PreferencesChange> {
    let language = fields.change_optional("language", text(Locale::parse));
    let time_zone = fields.change_optional("time_zone", text(TimeZone::parse));
    let date_format = fields.change_optional("date_format", text(DateFormat::parse));
    let units = fields.change_optional("units", text(Units::parse));
    let first_day_of_week = fields.change_optional("first_day_of_week", text(FirstDayOfWeek::parse));
    let dimensions = dimensions(fields);
    let default_view = fields.change_optional("default_view_id", id);
    Some(PreferencesChange {
        language: language?,
        time_zone: time_zone?,
        date_format: date_format?,
        units: units?,
        first_day_of_week: first_day_of_week?,
        dimensions: dimensions?,
        default_view: default_view?.map(SavedViewId),
    })
}

fn dimensions(fields: &mut Fields) -> Option<Change<Option<DimensionList>>> {
    const NAME: &str = "dimensions";
    // A null list is usually a fault; here it returns to the default.
    let value = match fields.take(NAME) {
        None => return Some(Change::Keep),
        Some(Value::Null) => return Some(Change::Set(None)),
        Some(value) => value,
    };
    let Value::Array(items) = value else {
        return fields.add_fault(NAME, Invalid::new("wrong_type", "must be a list"));
    };
    let max_dimensions = Dimension::PIVOTABLE.len();
    if items.len() > max_dimensions {
        return fields
            .add_fault(NAME, Invalid::new("too_many", format!("must have at most {max_dimensions} items")));
    }
    let read = |fields: &mut Fields, (place, item): (usize, Value)| {
        fields.object(&format!("{NAME}.{place}"), item, |fields| {
            let dimension = fields.required("dimension", text(Dimension::parse));
            let label = fields.optional("label", text(Name::parse));
            let shown = fields.optional("shown", boolean);
            Some(ListedDimension { dimension: dimension?, label: label?, shown: shown?.unwrap_or(true) })
        })
    };
    let listed: Vec<_> = items.into_iter().enumerate().map(|item| read(fields, item)).collect();
    // A duplicate is reported even if another item is invalid, so that all faults appear together.
    let mut seen = Vec::new();
    let mut is_sound = true;
    for (place, one) in listed.iter().enumerate() {
        let Some(one) = one else { continue };
        if seen.contains(&one.dimension) {
            let text = format!("lists {} twice; each dimension may appear once", one.dimension.as_str());
            let invalid = Invalid::new("repeated_dimension", text);
            let _: Option<()> = fields.add_fault(&format!("{NAME}.{place}.dimension"), invalid);
            is_sound = false;
        }
        seen.push(one.dimension);
    }
    let listed = listed.into_iter().collect::<Option<Vec<_>>>().filter(|_| is_sound)?;
    Some(Change::Set(Some(DimensionList::new(listed))))
}

/// Change your display preferences
#[utoipa::path(
    patch, path = "/api/v2/user_preferences", tag = "user preferences", operation_id = "change_user_preferences",
    security(("jwt" = [])),
    params(("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the preferences have changed since.")),
    request_body(content = ChangedPreferencesDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The preferences were changed.", body = PreferencesDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of your own preferences."))),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::NotFound, json_api_errors::Conflict, json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_user_preferences(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    _: Negotiated,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let user = caller.identity.user;
    let change = body.read::<Payload>().await?.resource(&DEFINITION, Target::Existing(user.0), read)?;
    let changed = app.change_preferences(&caller, &if_match, change).await;
    let changed = changed.map_err(|error| with_pointers(&DEFINITION, error))?;
    Ok(web::with_etag(json_api::updated_response(&object(user, &changed)), changed.version, None))
}
