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

/// What to change; what is left out stays. Null returns to what the brand has, or to what is usual.
#[derive(ToSchema)]
#[schema(as = ChangedUserPreferencesAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedPreferences {
    /// The language you read: a tag of BCP 47 without extensions.
    #[schema(example = "en-GB", max_length = 35)]
    language: Option<String>,
    /// By which clock moments of sites with several clocks are told: a zone of the IANA database.
    #[schema(example = "Europe/London")]
    time_zone: Option<String>,
    /// How dates are written in pictures and in files.
    #[schema(value_type = Option<enum_schemas::DateFormat>, example = "DD/MM/YYYY")]
    date_format: Option<String>,
    /// What lengths are told in, in pictures and in files.
    #[schema(value_type = Option<enum_schemas::Units>, example = "metric")]
    units: Option<String>,
    /// With which day a week is shown to begin. Weeks that are counted begin on Mondays.
    #[schema(value_type = Option<enum_schemas::FirstDay>, example = "sunday")]
    first_day_of_week: Option<String>,
    /// What pivots can be made of, in your order. What you leave out comes behind, as usual.
    #[schema(max_items = 17, example = json!([{ "dimension": "worksite", "label": "Site", "shown": true }]))]
    dimensions: Option<Vec<ChangedDimension>>,
}

/// Something that pivots can be made of.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedDimension {
    /// Which; each once.
    #[schema(value_type = enum_schemas::Dimension, example = "worksite")]
    dimension: String,
    /// What you call it; null or left out for its usual name.
    #[schema(example = "Site", min_length = 1, max_length = 100)]
    label: Option<String>,
    /// Whether it is to be offered.
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
    // The list's own null is a fault, and here it is the way back to what is usual.
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
    // All faults at once: one that is named twice is told though another is wrong.
    let mut seen = Vec::new();
    let mut is_sound = true;
    for (place, one) in listed.iter().enumerate() {
        let Some(one) = one else { continue };
        if seen.contains(&one.dimension) {
            let text = format!("names {} twice; each stands in the list once", one.dimension.as_str());
            let invalid = Invalid::new("repeated_dimension", text);
            let _: Option<()> = fields.add_fault(&format!("{NAME}.{place}.dimension"), invalid);
            is_sound = false;
        }
        seen.push(one.dimension);
    }
    let listed = listed.into_iter().collect::<Option<Vec<_>>>().filter(|_| is_sound)?;
    Some(Change::Set(Some(DimensionList::new(listed))))
}

/// Changes how you want things shown.
#[utoipa::path(
    patch, path = "/api/v2/user_preferences", tag = "user preferences", operation_id = "change_user_preferences",
    security(("jwt" = [])),
    params(("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if they were changed since")),
    request_body(content = ChangedPreferencesDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "Changed", body = PreferencesDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "The version of what is your own"))),
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
