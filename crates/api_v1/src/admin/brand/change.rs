//! PATCH /api/v1/admin/brand

use std::sync::Arc;

use app::{App, BrandChange};
use axum::extract::State;
use domain::access::ManageBrand;
use domain::locale::{DateFormat, Locale};
use domain::{Invalid, Name, Role, TimeZone};
use serde_json::Value;
use utoipa::ToSchema;
use web::{
    Body, Fields, FreshCaller, FromFields, IfMatchHeader, NoParams, Result, boolean, enum_schemas,
    integer_within, problem, text,
};

use super::{Brand, shape};

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedBrand {
    /// What it is called.
    #[schema(min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// How dates are written.
    #[schema(value_type = Option<enum_schemas::BrandDateFormat>, example = "DD/MM/YYYY", nullable = false)]
    date_format: Option<String>,
    /// The zone of what has no worksite, by its name in the IANA database.
    #[schema(example = "Europe/London", nullable = false)]
    time_zone: Option<String>,
    /// Language and perhaps region.
    #[schema(example = "en-GB", nullable = false)]
    locale: Option<String>,
    /// How often a tag is to be tested.
    #[schema(example = 7, minimum = 1, maximum = 365, nullable = false)]
    test_interval_days: Option<i64>,
    /// From where on a battery is low.
    #[schema(example = 20, minimum = 0, maximum = 100, nullable = false)]
    low_battery_percent: Option<i64>,
    /// From where on a battery is critical; not above the one before.
    #[schema(example = 10, minimum = 0, maximum = 100, nullable = false)]
    critical_battery_percent: Option<i64>,
    /// How long a device may say nothing before it counts as silent.
    #[schema(example = 24, minimum = 1, maximum = 8760, nullable = false)]
    silence_limit_hours: Option<i64>,
    /// Whether visits that last too long close by themselves.
    #[schema(example = true, nullable = false)]
    closes_visits: Option<bool>,
    /// How long after the expected end a visit is closed.
    #[schema(example = 60, minimum = 0, maximum = 43200, nullable = false)]
    visit_limit_minutes: Option<i64>,
    /// Whether viewers see people's names.
    #[schema(example = false, nullable = false)]
    viewers_see_names: Option<bool>,
    /// The roles that must have a second factor: without one, their sessions open nothing but adding it. It holds at once.
    #[schema(value_type = Option<Vec<enum_schemas::Role>>, example = json!([]), max_items = 3, nullable = false)]
    second_factor_required: Option<Vec<String>>,
    /// For how many days to keep: incursions and what became of them. Null keeps them for ever.
    #[schema(example = 1825, minimum = 1, maximum = 36500)]
    keep_incursions_days: Option<i64>,
    /// For how many days to keep: runtime. Null keeps them for ever.
    #[schema(example = 1825, minimum = 1, maximum = 36500)]
    keep_runtime_days: Option<i64>,
    /// For how many days to keep: positions. Null keeps them for ever.
    #[schema(example = 400, minimum = 1, maximum = 36500)]
    keep_tracks_days: Option<i64>,
    /// For how many days to keep: alarms, logs, states and messages. Null keeps them for ever.
    #[schema(example = 400, minimum = 1, maximum = 36500)]
    keep_events_days: Option<i64>,
    /// For how many days to keep: tests of tags; the last one of each tag stays. Null keeps them for ever.
    #[schema(example = 1825, minimum = 1, maximum = 36500)]
    keep_tests_days: Option<i64>,
    /// For how many days to keep: video, from the day it came. Null keeps them for ever.
    #[schema(example = 90, minimum = 1, maximum = 36500)]
    keep_video_days: Option<i64>,
}

/// A change that was read.
pub struct ChangeFields(BrandChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.change("name", text(Name::parse));
        let date_format = fields.change("date_format", text(DateFormat::parse_for_brand));
        let time_zone = fields.change("time_zone", text(TimeZone::parse));
        let locale = fields.change("locale", text(Locale::parse));
        let test_interval_days = fields.change("test_interval_days", integer_within(1..=365));
        let low_battery_percent = fields.change("low_battery_percent", integer_within(0..=100));
        let critical_battery_percent = fields.change("critical_battery_percent", integer_within(0..=100));
        let silence_limit_hours = fields.change("silence_limit_hours", integer_within(1..=8_760));
        let closes_visits = fields.change("closes_visits", boolean);
        let visit_limit_minutes = fields.change("visit_limit_minutes", integer_within(0..=43_200));
        let viewers_see_names = fields.change("viewers_see_names", boolean);
        let second_factor_required = fields.change("second_factor_required", roles);
        let days = || integer_within(1..=36_500);
        let keep_incursions_days = fields.change_optional("keep_incursions_days", days());
        let keep_runtime_days = fields.change_optional("keep_runtime_days", days());
        let keep_tracks_days = fields.change_optional("keep_tracks_days", days());
        let keep_events_days = fields.change_optional("keep_events_days", days());
        let keep_tests_days = fields.change_optional("keep_tests_days", days());
        let keep_video_days = fields.change_optional("keep_video_days", days());
        Some(Self(BrandChange {
            name: name?,
            date_format: date_format?,
            time_zone: time_zone?,
            locale: locale?,
            test_interval_days: test_interval_days?,
            low_battery_percent: low_battery_percent?,
            critical_battery_percent: critical_battery_percent?,
            silence_limit_hours: silence_limit_hours?,
            closes_visits: closes_visits?,
            visit_limit_minutes: visit_limit_minutes?,
            viewers_see_names: viewers_see_names?,
            second_factor_required: second_factor_required?,
            keep_incursions_days: keep_incursions_days?,
            keep_runtime_days: keep_runtime_days?,
            keep_tracks_days: keep_tracks_days?,
            keep_events_days: keep_events_days?,
            keep_tests_days: keep_tests_days?,
            keep_video_days: keep_video_days?,
        }))
    }
}

/// Reads a list of roles, each once and in order.
fn roles(value: &Value) -> Result<Vec<Role>, Invalid> {
    let words = value.as_array().ok_or_else(|| Invalid::new("wrong_type", "must be a list of roles"))?;
    if words.len() > Role::ALL.len() {
        return Err(Invalid::new("too_many", format!("must have at most {} roles", Role::ALL.len())));
    }
    let mut roles = words.iter().map(|word| text(Role::parse)(word)).collect::<Result<Vec<_>, _>>()?;
    roles.sort_unstable();
    roles.dedup();
    Ok(roles)
}

/// Changes what your brand has set for itself.
///
/// 403 `restricted` if you are restricted to projects.
#[utoipa::path(
    patch, path = "/api/v1/admin/brand", tag = "admin", operation_id = "change_brand", security(("session" = ["fresh_proof"])),
    params(("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since")),
    request_body = ChangedBrand,
    extensions(("x-permission" = json!("manage_brand"))),
    responses(
        (status = 200, description = "Changed", body = Brand, headers(("ETag" = String, description = "Its version"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::PreconditionFailed,
    ),
)]
pub async fn change_brand(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageBrand>,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    Body(ChangeFields(change)): Body<ChangeFields>,
) -> Result {
    let settings = app.change_brand_settings(&caller, &if_match, change).await?;
    let version = settings.version;
    Ok(web::with_etag(web::json_response(&shape(settings)), version, None))
}
