//! The settings of a brand and its logo.

use domain::{BrandSettings, Logo, Role, SettingValues, Timestamp};

use crate::engine::statement::sql;
use crate::registry::brands::unique_key;
use crate::{Error, Scope, Tx};

#[macros::boxed]
impl Tx {
    pub async fn brand_settings(&mut self, scope: &Scope) -> Result<BrandSettings, Error> {
        self.one(sql!(
            "select b.id, b.name, b.date_format, b.time_zone, b.locale, b.test_interval_days, b.low_battery_percent,
                 b.critical_battery_percent, b.silence_limit_hours, b.closes_visits, b.visit_limit_minutes,
                 b.viewers_see_names, b.unique_employee_ids, b.ai_sees_names, b.alerts_show_names, b.second_factor_roles,
                 b.keep_incursions_days, b.keep_runtime_days, b.keep_tracks_days, b.keep_events_days, b.keep_tests_days,
                 b.keep_video_days, l.updated_at as logo_updated_at, b.version, b.created_at, b.updated_at
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
                 keep_tests_days = $18, keep_video_days = $19, second_factor_roles = $20, unique_employee_ids = $21,
                 ai_sees_names = $22, alerts_show_names = $23, version = version + 1, updated_at = $24
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
            to.unique_employee_ids,
            to.ai_sees_names,
            to.alerts_show_names,
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
