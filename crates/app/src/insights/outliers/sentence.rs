//! What came of someone, in a sentence that needs no table beside it.

use statistics::{Assessment, Comparison, MIN_PEERS, MemberAssessment, SkipReason};

use super::{ExposureUnit, OutlierBy, PeerGroup, stands_out};

/// What came of someone.
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
            format!(", {} times as many", format_number(times))
        }
        Some(Comparison::Fewer { times }) if times >= 1.05 => {
            format!(", {} times as few", format_number(times))
        }
        Some(Comparison::NoneObserved) | None => String::new(),
        Some(_) => ", about as many".to_owned(),
    };
    let judged = if stands_out(&judgement) {
        "chance alone is no good explanation"
    } else {
        "chance alone may explain it"
    };
    format!(
        "{seen}; by {} {peers} about {} would be expected, and {} to {} would surprise nobody{compared}: {judged} (adjusted p {}).",
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
            "{who} was not judged: there are {}, and it takes {}.",
            exposure(by, unit, outcome.exposure),
            exposure(by, unit, unit.minimum())
        ),
        SkipReason::UnknownExposure => match unit {
            ExposureUnit::RuntimeHours => format!("{who} was not judged: no runtime is known."),
            ExposureUnit::Days => format!("{who} was not judged: seen on no day."),
        },
        SkipReason::TooFewPeers => format!(
            "{who} was not judged: there are {} {peers} with enough exposure, and it takes {MIN_PEERS}.",
            outcome.peers
        ),
    }
}

/// Those someone is compared with.
fn peers(by: OutlierBy, kind: &str, site: Option<&str>) -> String {
    let kind = kind.to_lowercase();
    let at = site.map(|site| format!(" at {site}")).unwrap_or_default();
    match by {
        OutlierBy::Machine => format!("other machines of the kind {kind}"),
        OutlierBy::Worksite => format!("other sites of the kind {kind}"),
        OutlierBy::Pedestrian => format!("others of the kind {kind}{at}"),
        OutlierBy::Operator => format!("others driving machines of the kind {kind}"),
    }
}

fn exposure(by: OutlierBy, unit: ExposureUnit, exposure: f64) -> String {
    match unit {
        ExposureUnit::RuntimeHours if by == OutlierBy::Operator => {
            format!("{} hours of driving", format_number(exposure))
        }
        ExposureUnit::RuntimeHours => format!("{} hours of running", format_number(exposure)),
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

/// A number with as many digits as anyone wants to read.
fn format_number(value: f64) -> String {
    let digits = if value < 10.0 { 1 } else { 0 };
    let text = format!("{value:.digits$}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// A probability, as small as it is worth telling.
fn format_probability(p: f64) -> String {
    if p < 0.0001 { "below 0.0001".to_owned() } else { format!("{p:.4}") }
}
