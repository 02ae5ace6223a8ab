//! The result for a member in a sentence that can be read without its table, from the numbers of the test.

use app::insights::{Assessment, Comparison, ExposureUnit, MIN_PEERS, Outlier, OutlierBy, SkipReason};
use texts::console::outliers as t;
use texts::{Language, Text};

use crate::explore::labels;
use crate::frame::Frame;

/// From this factor on, two numbers are not about the same.
const DIFFERENT: f64 = 1.05;
/// The smallest probability that is written.
const SMALLEST: f64 = 0.0001;

/// Explains the result of one member.
pub fn explain(frame: &Frame, outlier: &Outlier) -> String {
    let outcome = &outlier.outcome;
    let who = name(frame, outlier);
    let tested = match outcome.assessment {
        Assessment::Tested(tested) => tested,
        Assessment::Skipped(reason) => return not_judged(frame, outlier, &who, reason),
    };
    let seen = match outlier.by {
        OutlierBy::Machine => t::SEEN_MACHINE,
        OutlierBy::Worksite => t::SEEN_WORKSITE,
        OutlierBy::Pedestrian => t::SEEN_PEDESTRIAN,
        OutlierBy::Operator => t::SEEN_OPERATOR,
    };
    let (times, exposure) = (times(frame, outcome.observed), exposure(frame, outlier, outcome.exposure));
    let seen = frame.fill(seen, &[("who", &who), ("times", &times), ("exposure", &exposure)]);
    let difference = |text: Text, times: f64| frame.fill(text, &[("times", &number(frame, times))]);
    let difference = match outcome.comparison() {
        Some(Comparison::More { times }) if times >= DIFFERENT => difference(t::TIMES_AS_MANY, times),
        Some(Comparison::Fewer { times }) if times >= DIFFERENT => difference(t::TIMES_FEWER, times),
        Some(Comparison::NoneObserved) | None => String::new(),
        Some(_) => frame.text(t::ABOUT_AS_MANY).to_owned(),
    };
    let compared = frame.fill(
        t::COMPARED,
        &[
            ("number", &whole(frame, outcome.peers)),
            ("peers", &peers(frame, outlier)),
            ("expected", &number(frame, tested.expected)),
            ("low", &whole(frame, tested.interval_low)),
            ("high", &whole(frame, tested.interval_high)),
            ("difference", &difference),
        ],
    );
    let chance = if outlier.stands_out() { t::UNLIKELY } else { t::MAY_BE_CHANCE };
    let chance = frame.fill(chance, &[("p", &probability(frame, tested.adjusted_p))]);
    format!("{seen} {compared} {chance}")
}

/// The name of a member.
pub fn name(frame: &Frame, outlier: &Outlier) -> String {
    labels::group(frame, outlier.by.dimension(), &outlier.part)
}

fn not_judged(frame: &Frame, outlier: &Outlier, who: &str, reason: SkipReason) -> String {
    match (reason, outlier.unit) {
        (SkipReason::TooLittleExposure, unit) => {
            let (exposed, least) = (
                exposure(frame, outlier, outlier.outcome.exposure),
                exposure(frame, outlier, unit.minimum()),
            );
            frame.fill(t::TOO_LITTLE, &[("who", who), ("exposure", &exposed), ("least", &least)])
        }
        (SkipReason::UnknownExposure, ExposureUnit::RuntimeHours) => {
            frame.fill(t::NO_RUNTIME, &[("who", who)])
        }
        (SkipReason::UnknownExposure, ExposureUnit::Days) => frame.fill(t::NO_DAYS, &[("who", who)]),
        (SkipReason::TooFewPeers, _) => frame.fill(
            t::TOO_FEW_PEERS,
            &[
                ("who", who),
                ("number", &whole(frame, outlier.outcome.peers)),
                ("peers", &peers(frame, outlier)),
                ("least", &whole(frame, MIN_PEERS)),
            ],
        ),
    }
}

/// Describes the peers.
fn peers(frame: &Frame, outlier: &Outlier) -> String {
    let kind = labels::group(frame, outlier.by.peer_dimension(), &outlier.peer_group);
    let kind = match frame.language {
        Language::English => kind.to_lowercase(),
        // Nouns keep their capital.
        Language::German => kind,
    };
    match (outlier.by, &outlier.peer_worksite) {
        (OutlierBy::Machine, _) => frame.fill(t::PEERS_MACHINE, &[("kind", &kind)]),
        (OutlierBy::Worksite, _) => frame.fill(t::PEERS_WORKSITE, &[("kind", &kind)]),
        (OutlierBy::Operator, _) => frame.fill(t::PEERS_OPERATOR, &[("kind", &kind)]),
        (OutlierBy::Pedestrian, None) => frame.fill(t::PEERS_PEDESTRIAN, &[("kind", &kind)]),
        (OutlierBy::Pedestrian, Some(site)) => {
            frame.fill(t::PEERS_PEDESTRIAN_AT, &[("kind", &kind), ("site", &site.label)])
        }
    }
}

/// Writes how long a member was exposed.
pub fn exposure(frame: &Frame, outlier: &Outlier, exposure: f64) -> String {
    let text = match outlier.unit {
        ExposureUnit::RuntimeHours if outlier.by == OutlierBy::Operator => t::HOURS_OF_DRIVING,
        ExposureUnit::RuntimeHours => t::HOURS_OF_RUNTIME,
        ExposureUnit::Days if exposure == 1.0 => return frame.text(t::ONE_DAY).to_owned(),
        ExposureUnit::Days => t::DAYS,
    };
    frame.fill(text, &[("number", &number(frame, exposure))])
}

fn times(frame: &Frame, count: u64) -> String {
    match count {
        0 => frame.text(t::NOT_ONCE).to_owned(),
        1 => frame.text(t::ONCE).to_owned(),
        count => frame.fill(t::TIMES, &[("n", &whole(frame, count))]),
    }
}

/// Writes a whole number.
pub fn whole(frame: &Frame, count: impl TryInto<i64>) -> String {
    frame.formats().integer(count.try_into().unwrap_or(i64::MAX))
}

/// Writes a number with one decimal below 10 and none above.
pub fn number(frame: &Frame, value: f64) -> String {
    let is_whole = (value * 10.0).round() % 10.0 == 0.0;
    frame.formats().decimal(value, usize::from(value < 10.0 && !is_whole))
}

/// Writes a probability with four decimals.
pub fn probability(frame: &Frame, p: f64) -> String {
    let number = |p: f64| frame.formats().decimal(p, 4);
    if p < SMALLEST { frame.fill(t::PROBABILITY_BELOW, &[("p", &number(SMALLEST))]) } else { number(p) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_readers_do() {
        let frame = crate::frame::sample(Language::German, "/outliers");
        assert_eq!(number(&frame, 2.96), "3");
        assert_eq!(number(&frame, 2.4), "2,4");
        assert_eq!(number(&frame, 104.2), "104");
        assert_eq!(probability(&frame, 0.0023), "0,0023");
        assert_eq!(probability(&frame, 0.000_01), "unter 0,0001");
        assert_eq!(
            (times(&frame, 0), times(&frame, 1_312)),
            ("kein einziges Mal".into(), "1.312-mal".into())
        );
    }
}
