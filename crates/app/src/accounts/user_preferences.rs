//! Users' display preferences. They change how results are shown, never what is counted.

use domain::access::BeSignedIn;
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::preferences::{DimensionList, PreferenceOverrides, Preferences};
use domain::{Change, Permission, SavedView, SavedViewId, TimeZone, UserPreferences};
use serde_json::json;

use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, IfMatch};

/// A change of a user's preferences. A preference that is set to `None` follows the brand again.
#[derive(Clone, Debug, Default)]
pub struct PreferencesChange {
    pub language: Change<Option<Locale>>,
    /// The time zone for results that cover several worksites.
    pub time_zone: Change<Option<TimeZone>>,
    pub date_format: Change<Option<DateFormat>>,
    /// The units of lengths.
    pub units: Change<Option<Units>>,
    pub first_day_of_week: Change<Option<FirstDayOfWeek>>,
    /// The dimensions of pivots, in order.
    pub dimensions: Change<Option<DimensionList>>,
    /// The saved view that is opened first.
    pub default_view: Change<Option<SavedViewId>>,
}

#[macros::boxed]
impl App {
    /// Returns the caller's own preferences and the defaults for the others.
    pub async fn find_preferences(&self, caller: &Caller<BeSignedIn>) -> Result<UserPreferences, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.preferences(caller.scope(), caller.identity.user).get().await?)
    }

    pub async fn change_preferences(
        &self,
        caller: &Caller<BeSignedIn>,
        if_match: &IfMatch,
        change: PreferencesChange,
    ) -> Result<UserPreferences, Error> {
        let (scope, user, now) = (caller.scope(), caller.identity.user, self.clock.now());
        let mut tx = self.store.begin().await?;
        if let Change::Set(Some(view)) = change.default_view {
            // Locked before the preferences, in the same order as when a view is deleted.
            tx.saved_views(scope, user).find_locked(view).await?.ok_or_else(unknown_view)?;
        }
        let before = tx.preferences(scope, user).get_locked(now).await?;
        if_match.check(before.version)?;
        let stored = before.own.clone();
        let to = PreferenceOverrides {
            language: change.language.or(stored.language),
            time_zone: change.time_zone.or(stored.time_zone),
            date_format: change.date_format.or(stored.date_format),
            units: change.units.or(stored.units),
            first_day_of_week: change.first_day_of_week.or(stored.first_day_of_week),
            dimensions: change.dimensions.or(stored.dimensions),
        };
        let default_view = change.default_view.or(before.stored_default_view);
        if (&to, default_view) == (&before.own, before.stored_default_view) {
            return Ok(before);
        }
        if to != before.own {
            tx.preferences(scope, user).set(&to, now).await?;
        }
        if default_view != before.stored_default_view {
            tx.preferences(scope, user).set_default_view(default_view, now).await?;
        }
        // The names of the overridden fields are enough to investigate an unexpected display; their values are personal.
        let entry = AuditEntry::by_caller(caller).on("user_preferences.changed", "user", user.0);
        self.record_audit(
            &mut tx,
            entry.with_details(
                json!({ "before": before.own.overridden_fields(), "after": to.overridden_fields() }),
            ),
        )
        .await?;
        let after = tx.preferences(scope, user).get().await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Returns the saved view that the caller starts with, if they have chosen one and can see it.
    pub async fn find_default_view<P: Permission>(
        &self,
        caller: &Caller<P>,
    ) -> Result<Option<SavedView>, Error> {
        let (scope, user) = (caller.scope(), caller.identity.user);
        let mut tx = self.store.read().await?;
        match tx.preferences(scope, user).get().await?.default_view {
            Some(view) => Ok(tx.saved_views(scope, user).find(view).await?),
            None => Ok(None),
        }
    }

    /// Returns the caller's effective preferences.
    pub(crate) async fn preferences_of<P: Permission>(
        &self,
        caller: &Caller<P>,
    ) -> Result<Preferences, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.preferences(caller.scope(), caller.identity.user).get().await?.effective())
    }
}

fn unknown_view() -> Error {
    Error::missing_relation("default_view_id", "unknown_saved_view", "is not a saved view that you see")
}
