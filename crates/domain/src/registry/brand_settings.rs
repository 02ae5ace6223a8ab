//! Settings of a brand.

use crate::values::locale::{DateFormat, Locale};
use crate::{BrandId, Name, Role, TimeZone, Timestamp};

#[derive(Clone, Debug, macros::FromRow)]
pub struct BrandSettings {
    pub id: BrandId,
    #[row(flatten)]
    pub values: SettingValues,
    /// Time at which the logo was last set; none without a logo.
    pub logo_updated_at: Option<Timestamp>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The values that a brand can set.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct SettingValues {
    pub name: Name,
    #[row(parse = DateFormat::parse_for_brand)]
    pub date_format: DateFormat,
    /// Used for everything that has no worksite.
    pub time_zone: TimeZone,
    pub locale: Locale,
    /// Maximum number of days between two tests of a tag.
    pub test_interval_days: i64,
    /// A battery at or below this is low.
    pub low_battery_percent: i64,
    /// A battery at or below this is critical; not above `low_battery_percent`.
    pub critical_battery_percent: i64,
    /// Hours without contact after which a device is silent.
    pub silence_limit_hours: i64,
    /// True if overdue visits are closed automatically.
    pub closes_visits: bool,
    /// Minutes after the expected end at which a visit is closed.
    pub visit_limit_minutes: i64,
    /// True if users with the role viewer see the names of people.
    pub viewers_see_names: bool,
    /// True if an employee id belongs to one person only, among those who are not archived.
    pub unique_employee_ids: bool,
    /// True if the language model that writes site reports gets names of people, and not only roles.
    pub ai_sees_names: bool,
    /// True if alerts name people to plain addresses and webhooks, which have no user's rights, and not only as "Person 7".
    pub alerts_show_names: bool,
    /// The roles that need a second factor, each once and in order.
    #[row(column = "second_factor_roles")]
    pub second_factor_required: Vec<Role>,
    #[row(flatten)]
    pub retention: Retention,
}

/// Days for which each kind of fact is stored; none means for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct Retention {
    /// Incursions with their history and reviews.
    #[row(column = "keep_incursions_days")]
    pub incursions_days: Option<i64>,
    #[row(column = "keep_runtime_days")]
    pub runtime_days: Option<i64>,
    /// GPS tracks.
    #[row(column = "keep_tracks_days")]
    pub tracks_days: Option<i64>,
    /// Device events and messages.
    #[row(column = "keep_events_days")]
    pub events_days: Option<i64>,
    /// Tag tests, except the last one of each tag.
    #[row(column = "keep_tests_days")]
    pub tests_days: Option<i64>,
    /// Video, counted from the day of its upload.
    #[row(column = "keep_video_days")]
    pub video_days: Option<i64>,
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct Logo {
    pub content_type: String,
    pub bytes: Vec<u8>,
    /// SHA-256 of the bytes.
    pub hash: Vec<u8>,
}
