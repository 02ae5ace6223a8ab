//! The settings of a brand and its logo.

use domain::locale::{DateFormat, Locale};
use domain::{BrandId, Name, Role, TimeZone, Timestamp};

use crate::engine::statement::sql;
use crate::registry::brands::unique_key;
use crate::{Error, Scope, Tx};

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

#[macros::boxed]
impl Tx {
    pub async fn brand_settings(&mut self, scope: &Scope) -> Result<BrandSettings, Error> {
        self.one(sql!(
            "select b.id, b.name, b.date_format, b.time_zone, b.locale, b.test_interval_days, b.low_battery_percent,
                 b.critical_battery_percent, b.silence_limit_hours, b.closes_visits, b.visit_limit_minutes,
                 b.viewers_see_names, b.second_factor_roles, b.keep_incursions_days, b.keep_runtime_days, b.keep_tracks_days, b.keep_events_days,
                 b.keep_tests_days, b.keep_video_days, l.updated_at as logo_updated_at, b.version, b.created_at, b.updated_at
             from brands b left join brand_logos l on l.brand_id = b.id where b.id = $1",
            scope.brand()
        ))
        .await
    }

    pub async fn update_brand_settings(
        &mut self,
        scope: &Scope,
        to: &SettingValues,
        now: Timestamp,
    ) -> Result<BrandSettings, Error> {
        self.execute(sql!(
            "update brands set name = $2, name_key = $3, date_format = $4, time_zone = $5, locale = $6,
                 test_interval_days = $7, low_battery_percent = $8, critical_battery_percent = $9,
                 silence_limit_hours = $10, closes_visits = $11, visit_limit_minutes = $12, viewers_see_names = $13,
                 keep_incursions_days = $14, keep_runtime_days = $15, keep_tracks_days = $16, keep_events_days = $17,
                 keep_tests_days = $18, keep_video_days = $19, second_factor_roles = $20, version = version + 1, updated_at = $21
             where id = $1",
            scope.brand(),
            to.name.as_str(),
            unique_key(&to.name, Some(scope.brand())),
            to.date_format.as_str(),
            to.time_zone.as_str(),
            to.locale.as_str(),
            to.test_interval_days,
            to.low_battery_percent,
            to.critical_battery_percent,
            to.silence_limit_hours,
            to.closes_visits,
            to.visit_limit_minutes,
            to.viewers_see_names,
            to.retention.incursions_days,
            to.retention.runtime_days,
            to.retention.tracks_days,
            to.retention.events_days,
            to.retention.tests_days,
            to.retention.video_days,
            Role::write_list(&to.second_factor_required),
            now
        ))
        .await?;
        self.brand_settings(scope).await
    }

    pub async fn logo(&mut self, scope: &Scope) -> Result<Option<Logo>, Error> {
        self.optional(sql!(
            "select content_type, bytes, hash from brand_logos where brand_id = $1",
            scope.brand()
        ))
        .await
    }

    /// Sets or replaces the logo.
    pub async fn set_logo(&mut self, scope: &Scope, logo: &Logo, now: Timestamp) -> Result<(), Error> {
        self.execute(sql!(
            "insert into brand_logos (brand_id, content_type, bytes, hash, updated_at) values ($1, $2, $3, $4, $5)
             on conflict (brand_id) do update set content_type = excluded.content_type, bytes = excluded.bytes,
                 hash = excluded.hash, updated_at = excluded.updated_at",
            scope.brand(),
            logo.content_type.as_str(),
            logo.bytes.as_slice(),
            logo.hash.as_slice(),
            now
        ))
        .await?;
        self.touch_brand(scope, now).await
    }

    /// Removes the logo and returns whether there was one.
    pub async fn remove_logo(&mut self, scope: &Scope, now: Timestamp) -> Result<bool, Error> {
        let removed =
            self.execute(sql!("delete from brand_logos where brand_id = $1", scope.brand())).await? > 0;
        if removed {
            self.touch_brand(scope, now).await?;
        }
        Ok(removed)
    }

    async fn touch_brand(&mut self, scope: &Scope, now: Timestamp) -> Result<(), Error> {
        self.execute(sql!(
            "update brands set version = version + 1, updated_at = $2 where id = $1",
            scope.brand(),
            now
        ))
        .await?;
        Ok(())
    }
}
