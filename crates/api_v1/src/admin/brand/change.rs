//! PATCH /api/v1/admin/brand

use std::sync::Arc;

use app::{App, BrandChange};
use axum::extract::State;
use domain::access::ManageBrand;
use domain::locale::{DateFormat, Locale};
use domain::{Change, Invalid, Name, Role, TimeZone};
use serde_json::Value;
use web::{
    DeferredBody, FixedMembers, FreshCaller, IfMatchHeader, NoParams, Result, enum_schemas, problem, text,
};

use super::{Brand, shape};

/// Changes to a brand. Fields that are left out keep their values.
#[web::body(into = BrandChange, of = Brand)]
pub struct ChangedBrand {
    /// Name of the brand.
    #[schema(min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Format in which dates are displayed.
    #[schema(value_type = Option<enum_schemas::BrandDateFormat>, example = "DD/MM/YYYY")]
    #[field(parse = DateFormat::parse_for_brand)]
    date_format: Change<DateFormat>,
    /// Time zone for everything that has no worksite, as a name of the IANA database.
    #[schema(example = "Europe/London")]
    time_zone: Change<TimeZone>,
    /// Language, optionally with a region, as a BCP 47 tag.
    #[schema(example = "en-GB")]
    locale: Change<Locale>,
    /// Number of days within which each tag must be tested again.
    #[schema(example = 7)]
    #[field(range = 1..=365)]
    test_interval_days: Change<i64>,
    /// Battery level, in percent, at or below which a battery is low.
    #[schema(example = 20)]
    #[field(range = 0..=100)]
    low_battery_percent: Change<i64>,
    /// Battery level, in percent, at or below which a battery is critical. It must not exceed `low_battery_percent`.
    #[schema(example = 10)]
    #[field(range = 0..=100)]
    critical_battery_percent: Change<i64>,
    /// Number of hours without contact after which a device counts as silent.
    #[schema(example = 24)]
    #[field(range = 1..=8_760)]
    silence_limit_hours: Change<i64>,
    /// Whether overdue visits are closed automatically.
    #[schema(example = true)]
    closes_visits: Change<bool>,
    /// Number of minutes after the expected end at which a visit is closed automatically.
    #[schema(example = 60)]
    #[field(range = 0..=43_200)]
    visit_limit_minutes: Change<i64>,
    /// Whether viewers may see the names of people.
    #[schema(example = false)]
    viewers_see_names: Change<bool>,
    /// Whether an employee id belongs to one person only, among those who are not archived. It cannot be turned on while people share
    /// employee ids; the answer then names them.
    #[schema(example = true)]
    unique_employee_ids: Change<bool>,
    /// Whether names of people are sent to the language model that writes site reports; otherwise it gets roles such as `operator A`.
    #[schema(example = false)]
    ai_sees_names: Change<bool>,
    /// Whether alerts name people in mails to plain addresses and in calls of webhooks; otherwise they say `Person 7`. Mails to users show
    /// what the user may see.
    #[schema(example = false)]
    alerts_show_names: Change<bool>,
    /// Roles that must use a second factor. Without one, their sessions can do nothing but add it. The change takes effect immediately.
    #[schema(value_type = Option<Vec<enum_schemas::Role>>, example = json!([]), max_items = 3)]
    #[field(with = roles)]
    second_factor_required: Change<Vec<Role>>,
    /// Number of days to retain incursions and their history. Null retains them forever.
    #[schema(example = 1825)]
    #[field(range = 1..=36_500)]
    keep_incursions_days: Change<Option<i64>>,
    /// Number of days to retain runtime. Null retains it forever.
    #[schema(example = 1825)]
    #[field(range = 1..=36_500)]
    keep_runtime_days: Change<Option<i64>>,
    /// Number of days to retain positions. Null retains them forever.
    #[schema(example = 400)]
    #[field(range = 1..=36_500)]
    keep_tracks_days: Change<Option<i64>>,
    /// Number of days to retain alarms, logs, states and messages. Null retains them forever.
    #[schema(example = 400)]
    #[field(range = 1..=36_500)]
    keep_events_days: Change<Option<i64>>,
    /// Number of days to retain tag tests; the last test of each tag is always retained. Null retains them forever.
    #[schema(example = 1825)]
    #[field(range = 1..=36_500)]
    keep_tests_days: Change<Option<i64>>,
    /// Number of days to retain video, counted from its upload. Null retains it forever.
    #[schema(example = 90)]
    #[field(range = 1..=36_500)]
    keep_video_days: Change<Option<i64>>,
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
#[web::operation(
    patch, path = "/api/v1/admin/brand", tag = "admin", operation_id = "change_brand",
    params(("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since")),
    request_body = ChangedBrand,
    responses(
        (status = 200, description = "The changed brand", body = Brand, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::PreconditionFailed,
    ),
)]
pub async fn change_brand(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageBrand>,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let stored = app.find_brand_settings(&caller).await?;
    let fixed = FixedMembers::new(stored.id.0, stored.created_at);
    let change = body.read_change::<ChangedBrand>(&fixed).await?;
    let settings = app.change_brand_settings(&caller, &if_match, change.into()).await?;
    let version = settings.version;
    Ok(web::with_etag(web::json_response(&shape(settings)), version, None))
}
