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

/// Changes to a brand. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedBrand {
    /// Name of the brand.
    #[schema(min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Format in which dates are displayed.
    #[schema(value_type = Option<enum_schemas::BrandDateFormat>, example = "DD/MM/YYYY", nullable = false)]
    date_format: Option<String>,
    /// Time zone for everything that has no worksite, as a name of the IANA database.
    #[schema(example = "Europe/London", nullable = false)]
    time_zone: Option<String>,
    /// Language, optionally with a region, as a BCP 47 tag.
    #[schema(example = "en-GB", nullable = false)]
    locale: Option<String>,
    /// Number of days within which each tag must be tested again.
    #[schema(example = 7, minimum = 1, maximum = 365, nullable = false)]
    test_interval_days: Option<i64>,
    /// Battery level, in percent, at or below which a battery is low.
    #[schema(example = 20, minimum = 0, maximum = 100, nullable = false)]
    low_battery_percent: Option<i64>,
    /// Battery level, in percent, at or below which a battery is critical. It must not exceed `low_battery_percent`.
    #[schema(example = 10, minimum = 0, maximum = 100, nullable = false)]
    critical_battery_percent: Option<i64>,
    /// Number of hours without contact after which a device counts as silent.
    #[schema(example = 24, minimum = 1, maximum = 8760, nullable = false)]
    silence_limit_hours: Option<i64>,
    /// Whether overdue visits are closed automatically.
    #[schema(example = true, nullable = false)]
    closes_visits: Option<bool>,
    /// Number of minutes after the expected end at which a visit is closed automatically.
    #[schema(example = 60, minimum = 0, maximum = 43200, nullable = false)]
    visit_limit_minutes: Option<i64>,
    /// Whether viewers may see the names of people.
    #[schema(example = false, nullable = false)]
    viewers_see_names: Option<bool>,
    /// Roles that must use a second factor. Without one, their sessions can do nothing but add it. The change takes effect immediately.
    #[schema(value_type = Option<Vec<enum_schemas::Role>>, example = json!([]), max_items = 3, nullable = false)]
    second_factor_required: Option<Vec<String>>,
    /// Number of days to retain incursions and their history. Null retains them forever.
    #[schema(example = 1825, minimum = 1, maximum = 36500)]
    keep_incursions_days: Option<i64>,
    /// Number of days to retain runtime. Null retains it forever.
    #[schema(example = 1825, minimum = 1, maximum = 36500)]
    keep_runtime_days: Option<i64>,
    /// Number of days to retain positions. Null retains them forever.
    #[schema(example = 400, minimum = 1, maximum = 36500)]
    keep_tracks_days: Option<i64>,
    /// Number of days to retain alarms, logs, states and messages. Null retains them forever.
    #[schema(example = 400, minimum = 1, maximum = 36500)]
    keep_events_days: Option<i64>,
    /// Number of days to retain tag tests; the last test of each tag is always retained. Null retains them forever.
    #[schema(example = 1825, minimum = 1, maximum = 36500)]
    keep_tests_days: Option<i64>,
    /// Number of days to retain video, counted from its upload. Null retains it forever.
    #[schema(example = 90, minimum = 1, maximum = 36500)]
    keep_video_days: Option<i64>,
}

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

/// Reads a list of roles, sorted and without duplicates.
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

/// Change the brand and its settings
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    patch, path = "/api/v1/admin/brand", tag = "admin", operation_id = "change_brand", security(("session" = ["fresh_proof"])),
    params(("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since")),
    request_body = ChangedBrand,
    extensions(("x-permission" = json!("manage_brand"))),
    responses(
        (status = 200, description = "The changed brand", body = Brand, headers(("ETag" = String, description = "Version of the resource"))),
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
