//! The status of a rule, from what its splits are.

use domain::{AlertMetric, AlertStatus, Judgement};

use super::measure::unmeasured_reason;
use super::{LoadedRule, Measured};

/// The firings of a rule that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenFirings {
    None,
    Some,
    /// As many as a rule may have, and more has crossed the threshold.
    TooMany,
}

/// Returns the status of a rule, and why it has no value or does not fire further, if so.
pub(super) fn status_of(
    rule: &LoadedRule,
    measured: &[Measured],
    open: OpenFirings,
) -> (AlertStatus, Option<&'static str>) {
    if let Some(reason) = rule.stopped {
        return (AlertStatus::Stopped, Some(reason));
    }
    match open {
        OpenFirings::TooMany => return (AlertStatus::Firing, Some("too_many")),
        OpenFirings::Some => return (AlertStatus::Firing, unmeasured_reason(measured)),
        OpenFirings::None => {}
    }
    let mut reasons: Vec<&'static str> = Vec::new();
    for measured in measured {
        match measured.judgement {
            Judgement::Value(_) => return (AlertStatus::Ok, None),
            Judgement::NoData(reason) => reasons.push(reason),
        }
    }
    // Without any split, there may be no facts at all.
    match reasons.first().copied().or_else(|| reason_of_nothing(rule.rule.terms.metric)) {
        Some(reason) => (AlertStatus::NoData, Some(reason)),
        None => (AlertStatus::Ok, None),
    }
}

/// Returns why a metric has no value without any facts; none if that is a value, too.
pub(crate) fn reason_of_nothing(metric: AlertMetric) -> Option<&'static str> {
    match metric {
        AlertMetric::AcknowledgementRate => Some("no_incursions"),
        AlertMetric::IncursionsPerRuntimeHour | AlertMetric::Drift => Some("no_runtime"),
        _ => None,
    }
}
