//! Settings of a brand, with its logo.

use domain::access::{BeSignedIn, ManageBrand};
use domain::locale::{DateFormat, Locale};
use domain::png::Png;
use domain::{BrandSettings, Change, Invalid, Logo, Name, Retention, Role, SettingValues, Span, TimeZone};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{Scope, SharedEmployeeId, Tx};

use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, FieldError, FreshCaller, IfMatch, unrestricted};

/// The maximum number of shared employee ids that a refusal names. It says how many more there are.
const MAX_NAMED_EMPLOYEE_IDS: i64 = 200;

/// The maximum number of people that a refusal names for one employee id. It says how many more there are.
const MAX_NAMED_OWNERS: i64 = 20;

#[derive(Clone, Debug, Default)]
pub struct BrandChange {
    pub name: Change<Name>,
    pub date_format: Change<DateFormat>,
    /// The time zone of facts without a worksite.
    pub time_zone: Change<TimeZone>,
    /// Language and region.
    pub locale: Change<Locale>,
    pub test_interval_days: Change<i64>,
    /// A battery at or below this level is low.
    pub low_battery_percent: Change<i64>,
    /// A battery at or below this level is critical.
    pub critical_battery_percent: Change<i64>,
    /// Hours without a sign of life after which a device counts as silent.
    pub silence_limit_hours: Change<i64>,
    /// Whether visits that last too long are closed automatically.
    pub closes_visits: Change<bool>,
    /// Minutes after the expected end at which a visit is closed.
    pub visit_limit_minutes: Change<i64>,
    pub viewers_see_names: Change<bool>,
    /// Whether an employee id belongs to one person only.
    pub unique_employee_ids: Change<bool>,
    /// Whether the language model that writes site reports gets names of people.
    pub ai_sees_names: Change<bool>,
    /// Whether alerts name people to plain addresses and webhooks.
    pub alerts_show_names: Change<bool>,
    /// The roles that must have a second factor.
    pub second_factor_required: Change<Vec<Role>>,
    /// Retention of incursions and their reviews, in days.
    pub keep_incursions_days: Change<Option<i64>>,
    pub keep_runtime_days: Change<Option<i64>>,
    /// Retention of positions, in days.
    pub keep_tracks_days: Change<Option<i64>>,
    /// Retention of alarms, logs, states and messages, in days.
    pub keep_events_days: Change<Option<i64>>,
    /// Retention of tag tests, in days; the last test of each tag stays.
    pub keep_tests_days: Change<Option<i64>>,
    /// Retention of video, in days since its upload.
    pub keep_video_days: Change<Option<i64>>,
}

#[macros::boxed]
impl App {
    pub async fn find_brand_settings(&self, caller: &Caller<ManageBrand>) -> Result<BrandSettings, Error> {
        Ok(self.store.read().await?.brand_settings(caller.scope()).await?)
    }

    pub async fn change_brand_settings(
        &self,
        caller: &FreshCaller<ManageBrand>,
        if_match: &IfMatch,
        change: BrandChange,
    ) -> Result<BrandSettings, Error> {
        caller.require_unrestricted(unrestricted::CHANGE_BRAND)?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        let before = tx.brand_settings(caller.scope()).await?;
        if_match.check(before.version)?;
        let stored = before.values.clone();
        let to = SettingValues {
            name: change.name.or(stored.name),
            date_format: change.date_format.or(stored.date_format),
            time_zone: change.time_zone.or(stored.time_zone),
            locale: change.locale.or(stored.locale),
            test_interval_days: change.test_interval_days.or(stored.test_interval_days),
            low_battery_percent: change.low_battery_percent.or(stored.low_battery_percent),
            critical_battery_percent: change.critical_battery_percent.or(stored.critical_battery_percent),
            silence_limit_hours: change.silence_limit_hours.or(stored.silence_limit_hours),
            closes_visits: change.closes_visits.or(stored.closes_visits),
            visit_limit_minutes: change.visit_limit_minutes.or(stored.visit_limit_minutes),
            viewers_see_names: change.viewers_see_names.or(stored.viewers_see_names),
            unique_employee_ids: change.unique_employee_ids.or(stored.unique_employee_ids),
            ai_sees_names: change.ai_sees_names.or(stored.ai_sees_names),
            alerts_show_names: change.alerts_show_names.or(stored.alerts_show_names),
            second_factor_required: change.second_factor_required.or(stored.second_factor_required),
            retention: Retention {
                incursions_days: change.keep_incursions_days.or(stored.retention.incursions_days),
                runtime_days: change.keep_runtime_days.or(stored.retention.runtime_days),
                tracks_days: change.keep_tracks_days.or(stored.retention.tracks_days),
                events_days: change.keep_events_days.or(stored.retention.events_days),
                tests_days: change.keep_tests_days.or(stored.retention.tests_days),
                video_days: change.keep_video_days.or(stored.retention.video_days),
            },
        };
        if to == before.values {
            return Ok(before);
        }
        if to.critical_battery_percent > to.low_battery_percent {
            let invalid = Invalid::new("out_of_range", "must not be above low_battery_percent");
            return Err(Error::invalid_field("critical_battery_percent", invalid));
        }
        if to.unique_employee_ids && !before.values.unique_employee_ids {
            refuse_shared_employee_ids(&mut tx, caller.scope()).await?;
        }
        let after = tx.update_brand_settings(caller.scope(), &to, self.clock.now()).await?;
        // Reports are not stored for longer than what they were computed from.
        if let Some(days) = after.values.retention.incursions_days
            && before.values.retention.incursions_days.is_none_or(|earlier| days < earlier)
        {
            let retention = Span::minutes(days * 24 * 60);
            tx.reports_of(caller.scope()).shorten_retention(retention, self.clock.now()).await?;
        }
        let entry = AuditEntry::by_caller(caller).on("brand.changed", "brand", before.id.0);
        let details = json!({ "before": audit_fields(&before.values), "after": audit_fields(&after.values) });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        // Sessions contain the brand's name, whether viewers see names, and which roles must have a second factor.
        self.commit_access_change(tx).await?;
        Ok(after)
    }

    /// Returns the brand's logo, for every signed-in user.
    pub async fn find_logo(&self, caller: &Caller<BeSignedIn>) -> Result<Logo, Error> {
        let found = self.store.read().await?.logo(caller.scope()).await?;
        found.ok_or_else(|| Error::not_found("logo"))
    }

    /// Sets or replaces the logo. It is decoded first, because reports show it.
    pub async fn set_logo(&self, caller: &Caller<ManageBrand>, png: &Png) -> Result<BrandSettings, Error> {
        caller.require_unrestricted(unrestricted::CHANGE_BRAND)?;
        let bytes = png.bytes().to_vec();
        let decoded = self.compute(move || documents::Picture::from_png(&bytes).map(drop)).await?;
        decoded.map_err(|reason| {
            let invalid = Invalid::new("invalid_picture", format!("cannot be decoded: {reason}"));
            Error::invalid_field("logo", invalid)
        })?;
        let logo = Logo {
            content_type: "image/png".to_owned(),
            bytes: png.bytes().to_vec(),
            hash: Sha256::digest(png.bytes()).to_vec(),
        };
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        tx.set_logo(caller.scope(), &logo, self.clock.now()).await?;
        let after = tx.brand_settings(caller.scope()).await?;
        let entry = AuditEntry::by_caller(caller).on("brand.logo_changed", "brand", after.id.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "bytes": logo.bytes.len() }))).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Removes the logo. It is fine if there is none.
    pub async fn remove_logo(&self, caller: &Caller<ManageBrand>) -> Result<BrandSettings, Error> {
        caller.require_unrestricted(unrestricted::CHANGE_BRAND)?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        let removed = tx.remove_logo(caller.scope(), self.clock.now()).await?;
        let after = tx.brand_settings(caller.scope()).await?;
        if removed {
            self.record_audit(
                &mut tx,
                AuditEntry::by_caller(caller).on("brand.logo_removed", "brand", after.id.0),
            )
            .await?;
            tx.commit().await?;
        }
        Ok(after)
    }
}

/// Refuses to make employee ids unique while people share some. There is an entry for each employee id, which names the people, and one
/// that counts the employee ids that are not named.
async fn refuse_shared_employee_ids(tx: &mut Tx, scope: &Scope) -> Result<(), Error> {
    let shared = tx.people(scope).shared_employee_ids(MAX_NAMED_EMPLOYEE_IDS, MAX_NAMED_OWNERS).await?;
    let owners = shared.chunk_by(|left, right| left.employee_key == right.employee_key);
    let mut texts: Vec<String> = owners.map(describe_owners).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let unnamed = tx.people(scope).count_shared_employee_ids().await? - texts.len() as i64;
    if unnamed > 0 {
        texts.push(format!("several people have the same employee id in {unnamed} more cases"));
    }
    let fault = |text: String| FieldError {
        field: "unique_employee_ids".to_owned(),
        invalid: Invalid::new("employee_id_shared", text),
    };
    Err(Error::invalid(texts.into_iter().map(fault).collect()))
}

/// Names the people who have the same employee id.
fn describe_owners(owners: &[SharedEmployeeId]) -> String {
    let Some(SharedEmployeeId { employee_id, owners: count, .. }) = owners.first() else {
        return String::new();
    };
    let ids: Vec<String> = owners.iter().map(|one| one.person.to_string()).collect();
    let unnamed = match count - owners.len() as i64 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("people {}{unnamed} have the employee id {employee_id:?}", ids.join(", "))
}

/// Returns what the audit log stores of settings.
fn audit_fields(values: &SettingValues) -> Value {
    json!({
        "name": values.name,
        "date_format": values.date_format,
        "time_zone": values.time_zone,
        "locale": values.locale.as_str(),
        "test_interval_days": values.test_interval_days,
        "low_battery_percent": values.low_battery_percent,
        "critical_battery_percent": values.critical_battery_percent,
        "silence_limit_hours": values.silence_limit_hours,
        "closes_visits": values.closes_visits,
        "visit_limit_minutes": values.visit_limit_minutes,
        "viewers_see_names": values.viewers_see_names,
        "unique_employee_ids": values.unique_employee_ids,
        "ai_sees_names": values.ai_sees_names,
        "alerts_show_names": values.alerts_show_names,
        "second_factor_required": values.second_factor_required,
        "keep_incursions_days": values.retention.incursions_days,
        "keep_runtime_days": values.retention.runtime_days,
        "keep_tracks_days": values.retention.tracks_days,
        "keep_events_days": values.retention.events_days,
        "keep_tests_days": values.retention.tests_days,
        "keep_video_days": values.retention.video_days,
    })
}
