//! How users want things shown. Preferences change how things are shown, never what is counted.

use domain::access::BeSignedIn;
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::preferences::{DimensionList, PreferenceOverrides, Preferences};
use domain::{Change, Invalid, Permission, SavedViewId, TimeZone};
use serde_json::json;
use store::{SavedView, UserPreferences};

use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, IfMatch};

/// What to change of someone's preferences; what is set to none is as the brand has it again.
#[derive(Clone, Debug, Default)]
pub struct PreferencesChange {
    /// The language they read.
    pub language: Change<Option<Locale>>,
    /// The clock of what is of several sites.
    pub time_zone: Change<Option<TimeZone>>,
    /// How dates are written.
    pub date_format: Change<Option<DateFormat>>,
    /// What lengths are told in.
    pub units: Change<Option<Units>>,
    /// With which day a week begins.
    pub first_day_of_week: Change<Option<FirstDayOfWeek>>,
    /// The dimensions of pivots, in their order.
    pub dimensions: Change<Option<DimensionList>>,
    /// The view they begin with.
    pub default_view: Change<Option<SavedViewId>>,
}

impl App {
    /// What the caller chose, and what holds where they chose nothing.
    pub async fn find_preferences(&self, caller: &Caller<BeSignedIn>) -> Result<UserPreferences, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.preferences(caller.scope(), caller.identity.user).get().await?)
    }

    /// Changes what the caller chose.
    pub async fn change_preferences(
        &self,
        caller: &Caller<BeSignedIn>,
        if_match: &IfMatch,
        change: PreferencesChange,
    ) -> Result<UserPreferences, Error> {
        let (scope, user, now) = (caller.scope(), caller.identity.user, self.clock.now());
        let mut tx = self.store.begin().await?;
        if let Change::Set(Some(view)) = change.default_view {
            // Before the preferences, as whoever deletes a view locks it before those who begin with it.
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
        // Which of them are their own tells whoever looks into a file that looks odd enough; the rest is personal.
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

    /// The view that the caller begins with, if they have one and see it.
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

    /// How things are shown to the caller.
    pub(crate) async fn preferences_of<P: Permission>(
        &self,
        caller: &Caller<P>,
    ) -> Result<Preferences, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.preferences(caller.scope(), caller.identity.user).get().await?.effective())
    }
}

fn unknown_view() -> Error {
    let invalid = Invalid::new("unknown_saved_view", "is not a saved view that you see");
    Error::invalid_field("default_view_id", invalid)
}
