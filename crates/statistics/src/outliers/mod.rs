//! Who stands out among their peers: counts against exposure, each member judged by the others of its group.
//!
//! `fit` learns from the others how often things happen and how much members differ, `predictive` says from that which counts a
//! member like them would have, and here each count is held against its prediction.

mod fit;
mod formula;
mod predictive;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::false_discovery::benjamini_hochberg;
use fit::{Fit, Peer};
pub use formula::FORMULA;
use predictive::PredictiveDistribution;

/// How many peers a judgement takes at least: fewer cannot tell how much members differ.
pub const MIN_PEERS: usize = 5;

/// More peers than this teach nothing that would be worth the time: of larger groups so many are taken, evenly by exposure.
const MAX_PEERS: usize = 400;

/// Exposures that are taken for what they say, in whatever unit. Others are a mistake, and their products would overflow.
const CREDIBLE_EXPOSURE: std::ops::RangeInclusive<f64> = 1e-9..=1e15;

/// What one is judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<Key, Group> {
    /// Who it is.
    pub key: Key,
    /// Whom it is compared with: those of the same group.
    pub group: Group,
    /// What was counted.
    pub observed: u64,
    /// For how long it was looked at, or was in use: any unit, the same for the whole group.
    pub exposure: f64,
}

/// What came of one member.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberAssessment<Key, Group> {
    /// Who it is.
    pub key: Key,
    /// Whom it was compared with.
    pub group: Group,
    /// What was counted.
    pub observed: u64,
    /// Its exposure, as it was given.
    pub exposure: f64,
    /// Observed by unit of exposure, where there is a credible exposure.
    pub rate: Option<f64>,
    /// How many others of its group had enough exposure to be compared with.
    pub peers: usize,
    /// How it was judged, or why not.
    pub assessment: Assessment,
}

/// Whether a member was judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Assessment {
    /// It was, with this result.
    Tested(OutlierTest),
    /// It was not, for this reason.
    Skipped(SkipReason),
}

/// How a count compares with what the peers lead to expect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutlierTest {
    /// How many a member like its peers would have on average, with its exposure.
    pub expected: f64,
    /// The same by unit of exposure.
    pub peer_rate: f64,
    /// The fewest that would not surprise: with the most, a predictive interval of 95 %.
    pub interval_low: u64,
    /// The most that would not surprise.
    pub interval_high: u64,
    /// How surprising the count is, in standard deviations of a normal distribution; negative for fewer than expected.
    pub score: f64,
    /// The probability that a member like its peers is at least as far out, to either side.
    pub p: f64,
    /// The same, adjusted for how many were judged.
    pub adjusted_p: f64,
}

/// Why a member was not judged.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum SkipReason {
    /// Its exposure is below the minimum.
    TooLittleExposure,
    /// Its exposure is none, or no credible number.
    UnknownExposure,
    /// Fewer than [`MINIMUM_PEERS`] others of its group have enough exposure.
    TooFewPeers,
}

impl SkipReason {
    /// As it is written in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooLittleExposure => "too_little_exposure",
            Self::UnknownExposure => "unknown_exposure",
            Self::TooFewPeers => "too_few_peers",
        }
    }
}

/// What a sentence about a judged member is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    /// More than expected, so many times.
    More {
        /// Observed divided by expected.
        times: f64,
    },
    /// Fewer than expected, so many times.
    Fewer {
        /// Expected divided by observed.
        times: f64,
    },
    /// Nothing at all, where something was expected.
    NoneObserved,
}

impl<Key, Group> MemberAssessment<Key, Group> {
    /// The judgement, if there is one.
    pub fn outlier_test(&self) -> Option<&OutlierTest> {
        match &self.assessment {
            Assessment::Tested(judgement) => Some(judgement),
            Assessment::Skipped(_) => None,
        }
    }

    /// How the count compares with the expected one, if it was judged.
    pub fn comparison(&self) -> Option<Comparison> {
        let expected = self.outlier_test()?.expected;
        let observed = self.observed as f64;
        Some(if self.observed == 0 {
            Comparison::NoneObserved
        } else if observed >= expected {
            Comparison::More { times: observed / expected }
        } else {
            Comparison::Fewer { times: expected / observed }
        })
    }
}

/// Judges every member by the others of its group, as [`FORMULA`] says. The most remarkable come first, then those who were not
/// judged. The minimum exposure of a group is in the unit of its exposures; who has less is neither judged nor anyone's peer.
pub fn find_outliers<Key: Clone + Ord, Group: Clone + Ord>(
    members: &[Member<Key, Group>],
    min_exposure: impl Fn(&Group) -> f64,
) -> Vec<MemberAssessment<Key, Group>> {
    let mut groups: BTreeMap<&Group, Vec<&Member<Key, Group>>> = BTreeMap::new();
    for member in members {
        groups.entry(&member.group).or_default().push(member);
    }
    let mut outcomes: Vec<_> =
        groups.into_iter().flat_map(|(group, members)| assess_group(members, min_exposure(group))).collect();
    adjust_p_values(&mut outcomes);
    outcomes.sort_by(|left, right| {
        let place = |outcome: &MemberAssessment<Key, Group>| {
            outcome.outlier_test().map_or((2.0, 0.0), |judgement| (judgement.p, -judgement.score.abs()))
        };
        let ((left_p, left_score), (right_p, right_score)) = (place(left), place(right));
        let by_size = left_p.total_cmp(&right_p).then(left_score.total_cmp(&right_score));
        by_size.then_with(|| (&left.key, &left.group).cmp(&(&right.key, &right.group)))
    });
    outcomes
}

fn adjust_p_values<Key, Group>(outcomes: &mut [MemberAssessment<Key, Group>]) {
    let mut judgements: Vec<&mut OutlierTest> = outcomes
        .iter_mut()
        .filter_map(|outcome| match &mut outcome.assessment {
            Assessment::Tested(judgement) => Some(judgement),
            Assessment::Skipped(_) => None,
        })
        .collect();
    let probabilities: Vec<f64> = judgements.iter().map(|judgement| judgement.p).collect();
    for (judgement, adjusted_p) in judgements.iter_mut().zip(benjamini_hochberg(&probabilities)) {
        judgement.adjusted_p = adjusted_p;
    }
}

fn assess_group<Key: Clone, Group: Clone>(
    mut group: Vec<&Member<Key, Group>>,
    minimum_exposure: f64,
) -> Vec<MemberAssessment<Key, Group>> {
    // One order of summing, whatever the order given, so that the same members always get the same digits.
    group.sort_by(|left, right| {
        left.exposure.total_cmp(&right.exposure).then(left.observed.cmp(&right.observed))
    });
    let (eligible, rest): (Vec<_>, Vec<_>) =
        group.into_iter().partition(|member| skip_reason(member.exposure, minimum_exposure).is_none());
    let predictions = predictions(&eligible);
    let judged = eligible.iter().enumerate().map(|(index, member)| {
        let verdict = match predictions.get(index) {
            Some(predictive) => {
                Assessment::Tested(test_outlier(member.observed, member.exposure, predictive))
            }
            None => Assessment::Skipped(SkipReason::TooFewPeers),
        };
        member_assessment(member, eligible.len() - 1, verdict)
    });
    let not_judged = rest.iter().map(|member| {
        let reason = skip_reason(member.exposure, minimum_exposure).unwrap_or(SkipReason::UnknownExposure);
        member_assessment(member, eligible.len(), Assessment::Skipped(reason))
    });
    judged.chain(not_judged).collect()
}

fn skip_reason(exposure: f64, minimum_exposure: f64) -> Option<SkipReason> {
    if !CREDIBLE_EXPOSURE.contains(&exposure) {
        Some(SkipReason::UnknownExposure)
    } else if exposure < minimum_exposure {
        Some(SkipReason::TooLittleExposure)
    } else {
        None
    }
}

/// What is expected of each member, by all others; nothing if they are too few.
fn predictions<Key, Group>(members: &[&Member<Key, Group>]) -> Vec<PredictiveDistribution> {
    if members.len() <= MIN_PEERS {
        return Vec::new();
    }
    let peer =
        |index: usize| Peer { count: members[index].observed as f64, exposure: members[index].exposure };
    let taken = members.len().min(MAX_PEERS);
    let sample: Vec<usize> = (0..taken).map(|place| place * members.len() / taken).collect();
    let fit_without = |left_out: Option<usize>| {
        let peers: Vec<Peer> =
            sample.iter().filter(|index| Some(**index) != left_out).map(|index| peer(*index)).collect();
        Fit::from_peers(&peers)
    };
    // Who is not in the sample has the whole of it as peers.
    let of_all = if taken < members.len() { Some(fit_without(None)) } else { None };
    let predict = |index: usize| {
        let own = if sample.binary_search(&index).is_ok() { None } else { of_all.as_ref() };
        match own {
            Some(fit) => fit.predict(members[index].exposure),
            None => fit_without(Some(index)).predict(members[index].exposure),
        }
    };
    (0..members.len()).map(predict).collect()
}

fn test_outlier(observed: u64, exposure: f64, predictive: &PredictiveDistribution) -> OutlierTest {
    let tails = predictive.tails(observed as f64);
    let smaller = tails.at_most.min(tails.above + tails.exactly);
    let expected = predictive.mean();
    let (interval_low, interval_high) = predictive.interval();
    OutlierTest {
        expected,
        peer_rate: expected / exposure,
        interval_low,
        interval_high,
        score: tails.score(),
        p: (2.0 * smaller).clamp(0.0, 1.0),
        adjusted_p: 1.0,
    }
}

fn member_assessment<Key: Clone, Group: Clone>(
    member: &Member<Key, Group>,
    peers: usize,
    verdict: Assessment,
) -> MemberAssessment<Key, Group> {
    let credible = CREDIBLE_EXPOSURE.contains(&member.exposure);
    MemberAssessment {
        key: member.key.clone(),
        group: member.group.clone(),
        observed: member.observed,
        exposure: member.exposure,
        rate: credible.then(|| member.observed as f64 / member.exposure),
        peers,
        assessment: verdict,
    }
}
