//! /api/v1/admin/brand: what the brand sets for itself.

mod change;
mod get;
mod logo;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(get::get_brand, change::change_brand))
        .routes(routes!(logo::put_logo, logo::delete_logo))
}

/// The brand and what it has set for itself.
#[derive(Serialize, ToSchema)]
pub struct Brand {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// What it is called.
    #[schema(example = "Acme")]
    name: String,
    /// How dates are written.
    #[schema(value_type = enum_schemas::BrandDateFormat, example = "DD/MM/YYYY")]
    date_format: &'static str,
    /// The zone of what has no worksite.
    #[schema(example = "Europe/London")]
    time_zone: String,
    /// Language and region.
    #[schema(example = "en-GB")]
    locale: String,
    /// How often a tag is to be tested.
    #[schema(example = 7)]
    test_interval_days: i64,
    /// From where on a battery is low.
    #[schema(example = 20)]
    low_battery_percent: i64,
    /// From where on a battery is critical.
    #[schema(example = 10)]
    critical_battery_percent: i64,
    /// How long a device may say nothing before it counts as silent.
    #[schema(example = 24)]
    silence_limit_hours: i64,
    /// Whether visits that last too long close by themselves: past the expected end and the limit below, or past the
    /// site's midnight.
    #[schema(example = true)]
    closes_visits: bool,
    /// How long after the expected end a visit is closed.
    #[schema(example = 60)]
    visit_limit_minutes: i64,
    /// Whether viewers see people's names.
    #[schema(example = false)]
    viewers_see_names: bool,
    /// The roles that must have a second factor: without one, their sessions open nothing but adding it.
    #[schema(value_type = Vec<enum_schemas::Role>, example = json!(["admin"]))]
    second_factor_required: Vec<&'static str>,
    /// For how many days are kept: incursions and what became of them. Null is for ever.
    #[schema(example = 1825)]
    keep_incursions_days: Option<i64>,
    /// For how many days are kept: runtime. Null is for ever.
    #[schema(example = 1825)]
    keep_runtime_days: Option<i64>,
    /// For how many days are kept: positions. Null is for ever.
    #[schema(example = 400)]
    keep_tracks_days: Option<i64>,
    /// For how many days are kept: alarms, logs, states and messages. Null is for ever.
    #[schema(example = 400)]
    keep_events_days: Option<i64>,
    /// For how many days are kept: tests of tags; the last one of each tag stays. Null is for ever.
    #[schema(example = 1825)]
    keep_tests_days: Option<i64>,
    /// For how many days are kept: video, from the day it came. Null is for ever.
    #[schema(example = 90)]
    keep_video_days: Option<i64>,
    /// When the logo was last put there; null without one. `GET /api/v1/brand/logo` gives it.
    #[schema(value_type = Option<String>, format = DateTime)]
    logo_updated_at: Option<Timestamp>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(settings: store::BrandSettings) -> Brand {
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
