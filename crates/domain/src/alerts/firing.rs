//! Firings: alarms from the crossing of a threshold to the clearing.

use crate::{
    AlertComparison, AlertFiringId, AlertLevel, AlertMetric, AlertRuleId, AlertScope, AlertSeverity,
    AlertSplit, BaseStationId, IncursionId, Invalid, MachineId, Measurement, PersonId, ProjectId, SplitKey,
    TagId, TimeZone, Timestamp, VisitId, WorksiteId,
};

/// Why a firing is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearReason {
    /// The value is on the good side again.
    Recovered,
    /// There was no value for a day.
    NoData,
    RuleChanged,
    RuleDisabled,
    RuleDeleted,
    /// What the rule is about was archived.
    ScopeArchived,
    /// The owner of the rule no longer sees what it was about, or nothing is expected there any more.
    ScopeChanged,
    PersonErased,
}

impl ClearReason {
    pub const ALL: [Self; 8] = [
        Self::Recovered,
        Self::NoData,
        Self::RuleChanged,
        Self::RuleDisabled,
        Self::RuleDeleted,
        Self::ScopeArchived,
        Self::ScopeChanged,
        Self::PersonErased,
    ];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recovered => "recovered",
            Self::NoData => "no_data",
            Self::RuleChanged => "rule_changed",
            Self::RuleDisabled => "rule_disabled",
            Self::RuleDeleted => "rule_deleted",
            Self::ScopeArchived => "scope_archived",
            Self::ScopeChanged => "scope_changed",
            Self::PersonErased => "person_erased",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_reason", format!("must be one of {words}"))
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FiringState {
    /// Fired outside active hours, and nobody has been notified yet.
    Held,
    Fired,
    Cleared,
}

impl FiringState {
    pub const ALL: [Self; 3] = [Self::Held, Self::Fired, Self::Cleared];

    /// Returns the value sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Fired => "fired",
            Self::Cleared => "cleared",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be one of held, fired, cleared"))
    }
}

/// What a firing is about, as far as its split and its evidence say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, macros::FromRow)]
pub struct FiringSubject {
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    #[row(column = "machine_id")]
    pub machine: Option<MachineId>,
    #[row(column = "base_station_id")]
    pub base_station: Option<BaseStationId>,
    #[row(column = "person_id")]
    pub person: Option<PersonId>,
    #[row(column = "tag_id")]
    pub tag: Option<TagId>,
    #[row(column = "visit_id")]
    pub visit: Option<VisitId>,
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct AlertFiring {
    pub id: AlertFiringId,
    #[row(column = "rule_id")]
    pub rule: AlertRuleId,
    pub rule_name: String,
    pub split_key: SplitKey,
    #[row(flatten)]
    pub subject: FiringSubject,
    /// The rule as it was then.
    pub metric: AlertMetric,
    pub comparison: AlertComparison,
    pub threshold: AlertLevel,
    pub severity: AlertSeverity,
    pub numerator: i64,
    pub denominator: i64,
    /// The value that was furthest beyond since.
    pub peak_numerator: i64,
    pub peak_denominator: i64,
    /// None for metrics without a window.
    pub window_from: Option<Timestamp>,
    pub window_to: Timestamp,
    /// The clock of the site concerned.
    pub time_zone: TimeZone,
    /// The last change of facts that went into it.
    pub seq: i64,
    /// Ids of incursions as a JSON list, newest first.
    pub incursions: String,
    /// What else explains the value, as a JSON object.
    pub details: String,
    /// Whether facts without a project went into it, or such as are not bound to projects.
    pub all_projects: bool,
    pub fired_at: Timestamp,
    /// Until when nothing is sent. None if it was sent at once, or never is.
    pub held_until: Option<Timestamp>,
    /// Whether anybody was notified, or will be.
    pub is_told: bool,
    pub no_data_since: Option<Timestamp>,
    pub cleared_at: Option<Timestamp>,
    pub clear_reason: Option<ClearReason>,
    /// The value on which it cleared. None while it is open, and if there was no value that whoever sees the firing may see.
    pub cleared_numerator: Option<i64>,
    pub cleared_denominator: Option<i64>,
    /// Rises with every change.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl AlertFiring {
    pub fn state(&self) -> FiringState {
        match (self.cleared_at, self.held_until) {
            (Some(_), _) => FiringState::Cleared,
            (None, Some(_)) => FiringState::Held,
            (None, None) => FiringState::Fired,
        }
    }

    /// Returns the value with which it fired.
    pub fn value(&self) -> Measurement {
        self.measurement(self.numerator, self.denominator)
    }

    /// Returns the value that was furthest beyond the threshold.
    pub fn peak(&self) -> Measurement {
        self.measurement(self.peak_numerator, self.peak_denominator)
    }

    /// Returns the value on which it cleared.
    pub fn cleared_value(&self) -> Option<Measurement> {
        let (numerator, denominator) = self.cleared_numerator.zip(self.cleared_denominator)?;
        Some(self.measurement(numerator, denominator))
    }

    fn measurement(&self, numerator: i64, denominator: i64) -> Measurement {
        Measurement { numerator, denominator, scale: self.metric.scale() }
    }

    /// Returns the incursions that are its evidence, newest first.
    pub fn incursion_ids(&self) -> Vec<IncursionId> {
        serde_json::from_str(&self.incursions).unwrap_or_default()
    }
}

/// What the rule of a firing was restricted to when it fired. It is not part of the firing, because few readers need it and it can be long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiringScope {
    pub scope: AlertScope,
    pub split_by: AlertSplit,
}

/// Filters of a list of firings. Empty lists and `None` do not restrict.
#[derive(Clone, Debug, Default)]
pub struct AlertFiringFilter {
    pub ids: Option<Vec<i64>>,
    pub rules: Vec<AlertRuleId>,
    pub states: Vec<FiringState>,
    pub severities: Vec<AlertSeverity>,
    pub metrics: Vec<AlertMetric>,
    pub subject: FiringSubject,
    /// Fired at this time or later.
    pub from: Option<Timestamp>,
    /// Fired before this time.
    pub to: Option<Timestamp>,
}

/// An open firing as lists of other records show it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, macros::FromRow)]
pub struct OpenAlert {
    pub id: AlertFiringId,
    #[row(column = "rule_id")]
    pub rule: AlertRuleId,
    pub rule_name: String,
    pub metric: AlertMetric,
    pub severity: AlertSeverity,
    pub fired_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firing() -> AlertFiring {
        let at = Timestamp::from_seconds(1_770_000_000);
        AlertFiring {
            id: AlertFiringId(1),
            rule: AlertRuleId(2),
            rule_name: "Yard".to_owned(),
            split_key: SplitKey::new(vec![7]),
            subject: FiringSubject::default(),
            metric: AlertMetric::IncursionsPerRuntimeHour,
            comparison: AlertComparison::Above,
            threshold: AlertLevel::whole(3),
            severity: AlertSeverity::Warning,
            numerator: 7,
            denominator: 7_200_000,
            peak_numerator: 9,
            peak_denominator: 7_200_000,
            window_from: None,
            window_to: at,
            time_zone: TimeZone::utc(),
            seq: 1,
            incursions: "[31,30]".to_owned(),
            details: "{}".to_owned(),
            all_projects: false,
            fired_at: at,
            held_until: None,
            is_told: true,
            no_data_since: None,
            cleared_at: None,
            clear_reason: None,
            cleared_numerator: None,
            cleared_denominator: None,
            version: 1,
            created_at: at,
            updated_at: at,
        }
    }

    #[test]
    fn words_go_both_ways() {
        for reason in ClearReason::ALL {
            assert_eq!(ClearReason::parse(reason.as_str()), Ok(reason));
        }
        for state in FiringState::ALL {
            assert_eq!(FiringState::parse(state.as_str()), Ok(state));
        }
        assert!(ClearReason::parse("").is_err() && FiringState::parse("open").is_err());
    }

    #[test]
    fn values_are_in_the_unit_of_the_metric() {
        let firing = firing();
        assert_eq!((firing.value().as_f64(), firing.peak().as_f64()), (3.5, 4.5));
        assert_eq!(firing.cleared_value(), None);
        let (cleared_numerator, cleared_denominator) = (Some(2), Some(7_200_000));
        let cleared = AlertFiring { cleared_numerator, cleared_denominator, ..firing.clone() };
        assert_eq!(cleared.cleared_value().map(|value| value.as_f64()), Some(1.0));
        assert_eq!(firing.incursion_ids(), [IncursionId(31), IncursionId(30)]);
    }

    #[test]
    fn a_firing_is_held_until_it_is_told_or_clears() {
        let fired = firing();
        assert_eq!(fired.state(), FiringState::Fired);
        let held = AlertFiring { held_until: Some(fired.fired_at), is_told: false, ..fired };
        assert_eq!(held.state(), FiringState::Held);
        let cleared = AlertFiring { cleared_at: Some(held.fired_at), ..held };
        assert_eq!(cleared.state(), FiringState::Cleared);
    }
}
