//! /api/v1/admin/brand: the brand, its settings and its logo.

mod change;
mod get;
mod logo;

use domain::Timestamp;
use web::{OperationRouter, enum_schemas, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(get::get_brand, change::change_brand))
        .routes(routes!(logo::put_logo, logo::delete_logo))
}

/// The brand and its settings.
#[web::answer(record)]
pub struct Brand {
    /// Identifier of the brand.
    #[schema(example = 1)]
    id: i64,
    /// Name of the brand.
    #[schema(example = "Acme")]
    name: String,
    /// Format in which dates are displayed.
    #[schema(value_type = enum_schemas::BrandDateFormat, example = "DD/MM/YYYY")]
    date_format: &'static str,
    /// Time zone for everything that has no worksite, as a name of the IANA database.
    #[schema(example = "Europe/London")]
    time_zone: String,
    /// Language, optionally with a region, as a BCP 47 tag.
    #[schema(example = "en-GB")]
    locale: String,
    /// Number of days within which each tag must be tested again.
    #[schema(example = 7)]
    test_interval_days: i64,
    /// Battery level, in percent, at or below which a battery is low.
    #[schema(example = 20)]
    low_battery_percent: i64,
    /// Battery level, in percent, at or below which a battery is critical.
    #[schema(example = 10)]
    critical_battery_percent: i64,
    /// Number of hours without contact after which a device counts as silent.
    #[schema(example = 24)]
    silence_limit_hours: i64,
    /// Whether overdue visits are closed automatically: `visit_limit_minutes` after their expected end, or at midnight of the worksite.
    #[schema(example = true)]
    closes_visits: bool,
    /// Number of minutes after the expected end at which a visit is closed automatically.
    #[schema(example = 60)]
    visit_limit_minutes: i64,
    /// Whether viewers may see the names of people.
    #[schema(example = false)]
    viewers_see_names: bool,
    /// Whether an employee id belongs to one person only, among those who are not archived.
    #[schema(example = true)]
    unique_employee_ids: bool,
    /// Whether names of people are sent to the language model that writes site reports; otherwise it gets roles such as `operator A`.
    #[schema(example = false)]
    ai_sees_names: bool,
    /// Whether alerts name people in mails to plain addresses and in calls of webhooks; otherwise they say `Person 7`. Mails to users show
    /// what the user may see.
    #[schema(example = false)]
    alerts_show_names: bool,
    /// Roles that must use a second factor. Without one, their sessions can do nothing but add it.
    #[schema(value_type = Vec<enum_schemas::Role>, example = json!(["admin"]))]
    second_factor_required: Vec<&'static str>,
    /// Number of days for which incursions and their history are retained. Null means forever.
    #[schema(example = 1825)]
    keep_incursions_days: Option<i64>,
    /// Number of days for which runtime is retained. Null means forever.
    #[schema(example = 1825)]
    keep_runtime_days: Option<i64>,
    /// Number of days for which positions are retained. Null means forever.
    #[schema(example = 400)]
    keep_tracks_days: Option<i64>,
    /// Number of days for which alarms, logs, states and messages are retained. Null means forever.
    #[schema(example = 400)]
    keep_events_days: Option<i64>,
    /// Number of days for which tag tests are retained; the last test of each tag is always retained. Null means forever.
    #[schema(example = 1825)]
    keep_tests_days: Option<i64>,
    /// Number of days for which video is retained, counted from its upload. Null means forever.
    #[schema(example = 90)]
    keep_video_days: Option<i64>,
    /// Time at which the logo was last uploaded, RFC 3339 in UTC; null without a logo. `GET /api/v1/brand/logo` returns the logo.
    #[schema(value_type = Option<String>, format = DateTime)]
    logo_updated_at: Option<Timestamp>,
    /// Time at which the brand was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the brand was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(settings: domain::BrandSettings) -> Brand {
    let values = settings.values;
    Brand {
        id: settings.id.0,
        name: values.name.as_str().to_owned(),
        date_format: values.date_format.as_str(),
        time_zone: values.time_zone.as_str().to_owned(),
        locale: values.locale.as_str().to_owned(),
        test_interval_days: values.test_interval_days,
        low_battery_percent: values.low_battery_percent,
        critical_battery_percent: values.critical_battery_percent,
        silence_limit_hours: values.silence_limit_hours,
        closes_visits: values.closes_visits,
        visit_limit_minutes: values.visit_limit_minutes,
        viewers_see_names: values.viewers_see_names,
        unique_employee_ids: values.unique_employee_ids,
        ai_sees_names: values.ai_sees_names,
        alerts_show_names: values.alerts_show_names,
        second_factor_required: values.second_factor_required.iter().map(|role| role.as_str()).collect(),
        keep_incursions_days: values.retention.incursions_days,
        keep_runtime_days: values.retention.runtime_days,
        keep_tracks_days: values.retention.tracks_days,
        keep_events_days: values.retention.events_days,
        keep_tests_days: values.retention.tests_days,
        keep_video_days: values.retention.video_days,
        logo_updated_at: settings.logo_updated_at,
        created_at: settings.created_at,
        updated_at: settings.updated_at,
    }
}
