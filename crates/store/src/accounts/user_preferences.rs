//! Display preferences of users, which override the defaults of their brand.

use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::preferences::{BrandDefaults, DimensionList, PreferenceOverrides};
use domain::row::FromRow;
use domain::{SavedViewId, TimeZone, Timestamp, UserId, UserPreferences};

use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

impl FromRow<Row> for UserPreferences {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let dimensions: Option<String> = row.get("dimensions")?;
        let dimensions = dimensions.map(|text| serde_json::from_str::<DimensionList>(&text)).transpose();
        let invalid =
            |error| Error::Unusable(format!("column dimensions is not a list of dimensions: {error}"));
        Ok(Self {
            own: PreferenceOverrides {
                language: row.get("language")?,
                time_zone: row.get("time_zone")?,
                date_format: row.get("date_format")?,
                units: row.get("units")?,
                first_day_of_week: row.get("first_day_of_week")?,
                dimensions: dimensions.map_err(invalid)?,
            },
            brand: BrandDefaults {
                language: row.get("brand_locale")?,
                time_zone: row.get("brand_time_zone")?,
                date_format: row.parse("brand_date_format", DateFormat::parse_for_brand)?,
            },
            default_view: row.get("default_view")?,
            stored_default_view: row.get("default_view_id")?,
            version: row.get("version")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        })
    }
}

/// The display preferences of one user.
pub struct PreferencesOfUser<'a>(&'a mut Tx, &'a Scope, UserId);

impl Tx {
    pub fn preferences<'a>(&'a mut self, scope: &'a Scope, user: UserId) -> PreferencesOfUser<'a> {
        PreferencesOfUser(self, scope, user)
    }

    /// Removes a view from the preferences of all users who have it as their default.
    pub(crate) async fn clear_default_view(
        &mut self,
        scope: &Scope,
        view: SavedViewId,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.execute(sql!(
            "update user_preferences set default_view_id = null, version = version + 1, updated_at = $3
             where brand_id = $1 and default_view_id = $2",
            scope.brand(),
            view,
            now
        ))
        .await?;
        Ok(())
    }
}

#[macros::boxed]
impl PreferencesOfUser<'_> {
    pub async fn get(&mut self) -> Result<UserPreferences, Error> {
        self.0
            .one(sql!(
                "select p.language, p.time_zone, p.date_format, p.units, p.first_day_of_week, p.dimensions,
                     coalesce(p.version, 0) as version, b.locale as brand_locale, b.time_zone as brand_time_zone,
                     b.date_format as brand_date_format, p.default_view_id, v.id as default_view, u.created_at,
                     case when p.version > 0 then p.updated_at else u.created_at end as updated_at
                 from brands b join users u on u.brand_id = b.id and u.id = $2
                     left join user_preferences p on p.brand_id = b.id and p.user_id = $2
                     left join saved_views v on v.brand_id = b.id and v.id = p.default_view_id
                         and (v.owner_id = $2 or v.shared)
                 where b.id = $1",
                self.1.brand(),
                self.2
            ))
            .await
    }

    /// The same for a caller that changes them: concurrent changes wait until the transaction ends.
    pub async fn get_locked(&mut self, now: Timestamp) -> Result<UserPreferences, Error> {
        self.0
            .execute(sql!(
                "insert into user_preferences (brand_id, user_id, version, updated_at) values ($1, $2, 0, $3)
                 on conflict (brand_id, user_id) do update set version = user_preferences.version",
                self.1.brand(),
                self.2,
                now
            ))
            .await?;
        self.get().await
    }

    /// Sets the default view, in preferences that were locked before.
    pub async fn set_default_view(&mut self, view: Option<SavedViewId>, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update user_preferences set default_view_id = $3, version = version + 1, updated_at = $4
                 where brand_id = $1 and user_id = $2",
                self.1.brand(),
                self.2,
                view,
                now
            ))
            .await?;
        Ok(())
    }

    /// Replaces the user's own choices, in preferences that were locked before.
    pub async fn set(&mut self, own: &PreferenceOverrides, now: Timestamp) -> Result<(), Error> {
        let dimensions = own.dimensions.as_ref().map(serde_json::to_string).transpose();
        let dimensions = dimensions.map_err(|error| Error::Unusable(error.to_string()))?;
        self.0
            .execute(sql!(
                "update user_preferences set language = $3, time_zone = $4, date_format = $5, units = $6,
                     first_day_of_week = $7, dimensions = $8, version = version + 1, updated_at = $9
                 where brand_id = $1 and user_id = $2",
                self.1.brand(),
                self.2,
                own.language.as_ref().map(Locale::as_str),
                own.time_zone.as_ref().map(TimeZone::as_str),
                own.date_format.map(DateFormat::as_str),
                own.units.map(Units::as_str),
                own.first_day_of_week.map(FirstDayOfWeek::as_str),
                dimensions,
                now
            ))
            .await?;
        Ok(())
    }
}
