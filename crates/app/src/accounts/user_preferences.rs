//! Users' display preferences. They change how results are shown, never what is counted.

use domain::access::ManageOwnPreferences;
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

impl PreferencesChange {
    /// Whether every preference is given, as in a document that was read and is sent back.
    fn is_complete(&self) -> bool {
        let Self { language, time_zone, date_format, units, first_day_of_week, dimensions, .. } = self;
        *language != Change::Keep
            && *time_zone != Change::Keep
            && *date_format != Change::Keep
            && *units != Change::Keep
            && *first_day_of_week != Change::Keep
            && *dimensions != Change::Keep
    }
}

#[macros::boxed]
impl App {
    /// Returns the caller's own preferences and the defaults for the others.
    pub async fn find_preferences(
        &self,
        caller: &Caller<ManageOwnPreferences>,
    ) -> Result<UserPreferences, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.preferences(caller.scope(), caller.identity.user).get().await?)
    }

    pub async fn change_preferences(
        &self,
        caller: &Caller<ManageOwnPreferences>,
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
        let (stored, in_effect, is_complete) = (before.own.clone(), before.effective(), change.is_complete());
        let to = PreferenceOverrides {
            language: choice(change.language, stored.language, &in_effect.language, is_complete),
            time_zone: choice(change.time_zone, stored.time_zone, &in_effect.time_zone, is_complete),
            date_format: choice(change.date_format, stored.date_format, &in_effect.date_format, is_complete),
            units: choice(change.units, stored.units, &in_effect.units, is_complete),
            first_day_of_week: choice(
                change.first_day_of_week,
                stored.first_day_of_week,
                &in_effect.first_day_of_week,
                is_complete,
            ),
            dimensions: choice(change.dimensions, stored.dimensions, &in_effect.dimensions, is_complete),
        };
        let default_view = match change.default_view {
            // What the user sees is sent back: a view that they cannot see now stays.
            Change::Set(view) if is_complete && view == before.default_view => before.stored_default_view,
            change => change.or(before.stored_default_view),
        };
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

/// Returns a user's own choice after a change. In a complete document, a value that is only in effect by default stays a default, so that
/// preferences can be sent back as they were read.
fn choice<T: PartialEq>(
    change: Change<Option<T>>,
    own: Option<T>,
    in_effect: &T,
    is_complete: bool,
) -> Option<T> {
    match change {
        Change::Set(Some(value)) if is_complete && own.is_none() && value == *in_effect => None,
        change => change.or(own),
    }
}

fn unknown_view() -> Error {
    Error::missing_relation("default_view_id", "unknown_saved_view", "is not a saved view that you see")
}
