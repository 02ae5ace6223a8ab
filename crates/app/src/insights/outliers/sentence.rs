//! The result for an outlier in a sentence that can be read without its table.

use statistics::{Assessment, Comparison, MIN_PEERS, MemberAssessment, SkipReason};

use super::{ExposureUnit, OutlierBy, PeerGroup, stands_out};

/// Explains the result of one member.
pub(super) fn explain(
    outcome: &MemberAssessment<i64, PeerGroup>,
    who: &str,
    (kind, site): (&str, Option<&str>),
) -> String {
    let PeerGroup { by, unit, .. } = outcome.group;
    let peers = peers(by, kind, site);
    let exposure = exposure(by, unit, outcome.exposure);
    let judgement = match outcome.assessment {
        Assessment::Tested(judgement) => judgement,
        Assessment::Skipped(reason) => return not_judged(reason, outcome, who, &peers),
    };
    let seen = match by {
        OutlierBy::Machine => format!("{who} came close to people {} in {exposure}", times(outcome.observed)),
        OutlierBy::Worksite => {
            format!("At {who} people and machines came too close {} in {exposure}", times(outcome.observed))
        }
        OutlierBy::Pedestrian => {
            format!("{who} came close to machines {} in {exposure}", times(outcome.observed))
        }
        OutlierBy::Operator => {
            format!("{who} came close to people {} in {exposure}", times(outcome.observed))
        }
    };
    let compared = match outcome.comparison() {
        Some(Comparison::More { times }) if times >= 1.05 => {
            format!(", so this is {} times as many", format_number(times))
        }
        Some(Comparison::Fewer { times }) if times >= 1.05 => {
            format!(", so this is {} times fewer", format_number(times))
        }
        Some(Comparison::NoneObserved) | None => String::new(),
        Some(_) => ", so this is about as many".to_owned(),
    };
    let judged = if stands_out(&judgement) {
        "Chance alone is an unlikely explanation"
    } else {
        "Chance alone may explain it"
    };
    format!(
        "{seen}. Compared with {} {peers}, about {} would be expected and {} to {} would be usual{compared}. {judged} (adjusted p {}).",
        outcome.peers,
        format_number(judgement.expected),
        judgement.interval_low,
        judgement.interval_high,
        format_probability(judgement.adjusted_p),
    )
}

fn not_judged(
    reason: SkipReason,
    outcome: &MemberAssessment<i64, PeerGroup>,
    who: &str,
    peers: &str,
) -> String {
    let PeerGroup { by, unit, .. } = outcome.group;
    match reason {
        SkipReason::TooLittleExposure => format!(
            "{who} was not judged: there are {}, and at least {} are needed.",
            exposure(by, unit, outcome.exposure),
            exposure(by, unit, unit.minimum())
        ),
        SkipReason::UnknownExposure => match unit {
            ExposureUnit::RuntimeHours => format!("{who} was not judged: no runtime is known."),
            ExposureUnit::Days => format!("{who} was not judged: no days of presence are known."),
        },
        SkipReason::TooFewPeers => format!(
            "{who} was not judged: there are {} {peers} with enough exposure, and at least {MIN_PEERS} are needed.",
            outcome.peers
        ),
    }
}

/// Describes the peers.
fn peers(by: OutlierBy, kind: &str, site: Option<&str>) -> String {
    let kind = kind.to_lowercase();
    let at = site.map(|site| format!(" at {site}")).unwrap_or_default();
    match by {
        OutlierBy::Machine => format!("other machines of the kind {kind}"),
        OutlierBy::Worksite => format!("other worksites of the kind {kind}"),
        OutlierBy::Pedestrian => format!("others of the kind {kind}{at}"),
        OutlierBy::Operator => format!("others driving machines of the kind {kind}"),
    }
}

fn exposure(by: OutlierBy, unit: ExposureUnit, exposure: f64) -> String {
    match unit {
        ExposureUnit::RuntimeHours if by == OutlierBy::Operator => {
            format!("{} hours of driving", format_number(exposure))
        }
        ExposureUnit::RuntimeHours => format!("{} hours of runtime", format_number(exposure)),
        ExposureUnit::Days if exposure == 1.0 => "1 day".to_owned(),
        ExposureUnit::Days => format!("{} days", format_number(exposure)),
    }
}

fn times(count: u64) -> String {
    match count {
        0 => "not once".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Formats a number with one decimal below 10 and none above.
fn format_number(value: f64) -> String {
    let digits = if value < 10.0 { 1 } else { 0 };
    let text = format!("{value:.digits$}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Formats a probability with four decimals.
fn format_probability(p: f64) -> String {
    if p < 0.0001 { "below 0.0001".to_owned() } else { format!("{p:.4}") }
}
