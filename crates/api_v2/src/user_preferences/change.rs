//! PATCH /api/v2/user_preferences

use std::sync::Arc;

use app::{App, PreferencesChange};
use axum::extract::State;
use domain::access::ManageOwnPreferences;
use domain::insights::Dimension;
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::preferences::{DimensionList, ListedDimension};
use domain::{Change, Invalid, Name, SavedViewId, TimeZone};
use serde_json::Value;
use web::{
    Caller, DeferredBody, Fields, FixedMembers, FromFields, IfMatchHeader, NoParams, Result, enum_schemas,
    json_api_errors,
};

use super::{DEFINITION, Preferences, object};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Negotiated, Payload, StoredResource, Target, with_pointers,
};

/// Preferences to change. Attributes that are left out stay as they are; null returns to the brand's value or to the default.
#[web::body(into = PreferencesChange)]
#[schema(as = ChangedUserPreferencesAttributes)]
pub struct ChangedPreferences {
    /// Language, as a BCP 47 tag without extensions.
    #[schema(example = "en-GB", max_length = 35)]
    language: Change<Option<Locale>>,
    /// IANA time zone for times that concern worksites in several time zones.
    #[schema(example = "Europe/London")]
    time_zone: Change<Option<TimeZone>>,
    /// Date format in images and files.
    #[schema(value_type = Option<enum_schemas::DateFormat>, example = "DD/MM/YYYY")]
    date_format: Change<Option<DateFormat>>,
    /// Unit system for lengths in images and files.
    #[schema(value_type = Option<enum_schemas::Units>, example = "metric")]
    units: Change<Option<Units>>,
    /// First day of the week in displays. Weeks that are counted always begin on Monday.
    #[schema(value_type = Option<enum_schemas::FirstDay>, example = "sunday")]
    first_day_of_week: Change<Option<FirstDayOfWeek>>,
    /// Dimensions of pivots in your order. Dimensions that are left out follow in the default order.
    #[schema(value_type = Option<Vec<ChangedDimension>>, max_items = 17,
        example = json!([{ "dimension": "worksite", "label": "Site", "shown": true }]))]
    #[field(read = dimension_list)]
    dimensions: Change<Option<DimensionList>>,
    // A relationship, not an attribute.
    #[schema(ignore)]
    #[field(into = default_view)]
    default_view_id: Change<Option<SavedViewId>>,
}

/// A dimension of pivots, with its display settings.
#[web::body]
pub struct ChangedDimension {
    /// Dimension; each can be listed once.
    #[schema(value_type = enum_schemas::Dimension, example = "worksite")]
    dimension: Dimension,
    /// Your own label for the dimension; null or left out for the default label.
    #[schema(example = "Site", min_length = 1, max_length = 100)]
    label: Option<Name>,
    /// Whether the dimension is offered in selections.
    #[schema(default = true, example = true)]
    shown: Option<bool>,
}

type ChangedPreferencesDocument = ChangeOf<Preferences>;
type PreferencesDocument = DocumentOf<Preferences>;

impl From<ChangedDimension> for ListedDimension {
    fn from(body: ChangedDimension) -> Self {
        Self { dimension: body.dimension, label: body.label, shown: body.shown.unwrap_or(true) }
    }
}

fn dimension_list(fields: &mut Fields, name: &str) -> Option<Change<Option<DimensionList>>> {
    // A null list is usually a fault; here it returns to the default.
    let value = match fields.take(name) {
        None => return Some(Change::Keep),
        Some(Value::Null) => return Some(Change::Set(None)),
        Some(value) => value,
    };
    let Value::Array(items) = value else {
        return fields.add_fault(name, Invalid::new("wrong_type", "must be a list"));
    };
    let max_dimensions = Dimension::PIVOTABLE.len();
    if items.len() > max_dimensions {
        return fields
            .add_fault(name, Invalid::new("too_many", format!("must have at most {max_dimensions} items")));
    }
    let read = |(place, item): (usize, Value)| {
        fields.object(&format!("{name}.{place}"), item, ChangedDimension::read)
    };
    let listed: Vec<Option<ChangedDimension>> = items.into_iter().enumerate().map(read).collect();
    // A duplicate is reported even if another item is invalid, so that all faults appear together.
    let mut seen = Vec::new();
    let mut is_sound = true;
    for (place, one) in listed.iter().enumerate() {
        let Some(one) = one else { continue };
        if seen.contains(&one.dimension) {
            let text = format!("lists {} twice; each dimension may appear once", one.dimension.as_str());
            let invalid = Invalid::new("repeated_dimension", text);
            let _: Option<()> = fields.add_fault(&format!("{name}.{place}.dimension"), invalid);
            is_sound = false;
        }
        seen.push(one.dimension);
    }
    let listed = listed.into_iter().map(|one| one.map(ListedDimension::from));
    let listed = listed.collect::<Option<Vec<_>>>().filter(|_| is_sound)?;
    Some(Change::Set(Some(DimensionList::new(listed))))
}

/// Change your display preferences
///
/// Attributes that are left out keep their values; null returns to the brand's value or to the default.
#[web::operation(
    patch, path = "/api/v2/user_preferences", tag = "user preferences", operation_id = "change_user_preferences",
    params(("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the preferences have changed since.")),
    request_body(content = ChangedPreferencesDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The preferences were changed.", body = PreferencesDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of your own preferences."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict, json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_user_preferences(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    _: Negotiated,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let user = caller.identity.user;
    let created_at = app.find_preferences(&caller).await?.created_at;
    let payload = body.read::<Payload>().await?;
    let stored = StoredResource::new(user.0, FixedMembers::created_at(created_at));
    let changed = with_pointers(&DEFINITION, async {
        let change = payload.resource(&DEFINITION, &Target::Existing(stored), ChangedPreferences::read)?;
        app.change_preferences(&caller, &if_match, change.into()).await
    });
    let preferences = changed.await?;
    let version = preferences.version;
    Ok(web::with_etag(json_api::updated_response(&object(user, &preferences)), version, None))
}
