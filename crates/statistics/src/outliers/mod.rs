//! Finds outliers among peers: the count of each member, relative to its exposure, is tested against the others of its group.
//!
//! `fit` estimates the rates of the peers and how much they differ, `predictive` derives the distribution of the count of a
//! member like them, and this module compares each count with its prediction.

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

/// The minimum number of peers for a test; fewer do not show how much members differ.
pub const MIN_PEERS: usize = 5;

/// The maximum number of peers used. From larger groups this many are sampled evenly by exposure, since more would cost time
/// without changing the result noticeably.
const MAX_PEERS: usize = 400;

/// Plausible exposures, in any unit. Others are errors in the data, and their products would overflow.
const CREDIBLE_EXPOSURE: std::ops::RangeInclusive<f64> = 1e-9..=1e15;

/// A member with its count and exposure.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<Key, Group> {
    pub key: Key,
    /// The members with the same group are its peers.
    pub group: Group,
    /// The count.
    pub observed: u64,
    /// The time observed or in use, in any unit that is the same for the whole group.
    pub exposure: f64,
}

/// The result for one member.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberAssessment<Key, Group> {
    pub key: Key,
    pub group: Group,
    pub observed: u64,
    /// The exposure as it was given.
    pub exposure: f64,
    /// Count per unit of exposure, if the exposure is plausible.
    pub rate: Option<f64>,
    /// Number of other members of its group with enough exposure.
    pub peers: usize,
    pub assessment: Assessment,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Assessment {
    Tested(OutlierTest),
    Skipped(SkipReason),
}

/// The comparison of a count with the prediction from the peers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutlierTest {
    /// The mean count of a member like its peers, with this exposure.
    pub expected: f64,
    /// The same per unit of exposure.
    pub peer_rate: f64,
    /// Lower end of the 95 % prediction interval.
    pub interval_low: u64,
    /// Upper end of the 95 % prediction interval.
    pub interval_high: u64,
    /// How unusual the count is, in standard deviations of a normal distribution; negative for fewer than expected.
    pub score: f64,
    /// The two-sided p-value: the probability that a member like its peers is at least as far out.
    pub p: f64,
    /// The p-value adjusted for the number of members tested.
    pub adjusted_p: f64,
}

/// The reason why a member was not tested.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum SkipReason {
    /// Its exposure is below the minimum.
    TooLittleExposure,
    /// Its exposure is missing or not plausible.
    UnknownExposure,
    /// Fewer than [`MIN_PEERS`] other members of its group have enough exposure.
    TooFewPeers,
}

impl SkipReason {
    pub const ALL: [Self; 3] = [Self::TooLittleExposure, Self::UnknownExposure, Self::TooFewPeers];

    /// Returns the value sent in API responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooLittleExposure => "too_little_exposure",
            Self::UnknownExposure => "unknown_exposure",
            Self::TooFewPeers => "too_few_peers",
        }
    }
}

/// The direction and size of a difference, for sentences about a tested member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    More {
        /// Observed divided by expected.
        times: f64,
    },
    Fewer {
        /// Expected divided by observed.
        times: f64,
    },
    /// Nothing was observed although something was expected.
    NoneObserved,
}

impl<Key, Group> MemberAssessment<Key, Group> {
    pub fn outlier_test(&self) -> Option<&OutlierTest> {
        match &self.assessment {
            Assessment::Tested(judgement) => Some(judgement),
            Assessment::Skipped(_) => None,
        }
    }

    /// Compares the count with the expected one, if the member was tested.
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

/// The members to return.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemberSelection {
    /// Only tested members with at most this adjusted p-value; all members if it is none.
    pub max_adjusted_p: Option<f64>,
    /// Maximum number of members.
    pub limit: usize,
}

/// The selected members of all that were given.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedMembers<Key, Group> {
    /// The most unusual come first, members that were not tested last.
    pub members: Vec<MemberAssessment<Key, Group>>,
    /// Number of members that match the selection beyond its limit.
    pub more: usize,
    /// Number of all members that were tested.
    pub tested: usize,
    /// Number of all members that were not tested.
    pub skipped: usize,
}

/// The result for a member, and the prediction it was tested against. Its prediction interval is not known yet.
struct Assessed<Key, Group> {
    outcome: MemberAssessment<Key, Group>,
    predictive: Option<PredictiveDistribution>,
}

impl<Key, Group> Assessed<Key, Group> {
    fn with_interval(mut self) -> MemberAssessment<Key, Group> {
        if let (Assessment::Tested(judgement), Some(predictive)) =
            (&mut self.outcome.assessment, &self.predictive)
        {
            (judgement.interval_low, judgement.interval_high) = predictive.interval();
        }
        self.outcome
    }
}

/// Tests every member against the others of its group, as described in [`FORMULA`]. The minimum exposure of a group is in the unit
/// of its exposures; members below it are neither tested nor used as peers. Prediction intervals take most of the time, and are
/// computed for the selected members only.
pub fn find_outliers<Key: Clone + Ord, Group: Clone + Ord>(
    members: &[Member<Key, Group>],
    min_exposure: impl Fn(&Group) -> f64,
    selection: &MemberSelection,
) -> SelectedMembers<Key, Group> {
    let mut groups: BTreeMap<&Group, Vec<&Member<Key, Group>>> = BTreeMap::new();
    for member in members {
        groups.entry(&member.group).or_default().push(member);
    }
    let mut outcomes: Vec<_> =
        groups.into_iter().flat_map(|(group, members)| assess_group(members, min_exposure(group))).collect();
    adjust_p_values(&mut outcomes);
    outcomes.sort_by(|left, right| {
        let (left, right) = (&left.outcome, &right.outcome);
        let place = |outcome: &MemberAssessment<Key, Group>| {
            outcome.outlier_test().map_or((2.0, 0.0), |judgement| (judgement.p, -judgement.score.abs()))
        };
        let ((left_p, left_score), (right_p, right_score)) = (place(left), place(right));
        let by_size = left_p.total_cmp(&right_p).then(left_score.total_cmp(&right_score));
        by_size.then_with(|| (&left.key, &left.group).cmp(&(&right.key, &right.group)))
    });
    let all = outcomes.len();
    let tested = outcomes.iter().filter(|assessed| assessed.outcome.outlier_test().is_some()).count();
    if let Some(max) = selection.max_adjusted_p {
        outcomes.retain(|assessed| {
            assessed.outcome.outlier_test().is_some_and(|judgement| judgement.adjusted_p <= max)
        });
    }
    let more = outcomes.len().saturating_sub(selection.limit);
    outcomes.truncate(selection.limit);
    let members = outcomes.into_iter().map(Assessed::with_interval).collect();
    SelectedMembers { members, more, tested, skipped: all - tested }
}

fn adjust_p_values<Key, Group>(outcomes: &mut [Assessed<Key, Group>]) {
    let mut judgements: Vec<&mut OutlierTest> = outcomes
        .iter_mut()
        .filter_map(|assessed| match &mut assessed.outcome.assessment {
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
) -> Vec<Assessed<Key, Group>> {
    // A fixed order of summation makes the result independent of the order of the input, to the last digit.
    group.sort_by(|left, right| {
        left.exposure.total_cmp(&right.exposure).then(left.observed.cmp(&right.observed))
    });
    let (eligible, rest): (Vec<_>, Vec<_>) =
        group.into_iter().partition(|member| skip_reason(member.exposure, minimum_exposure).is_none());
    let mut predictions = predictions(&eligible).into_iter();
    let judged = eligible.iter().map(|member| {
        let predictive = predictions.next();
        let verdict = match &predictive {
            Some(predictive) => {
                Assessment::Tested(test_outlier(member.observed, member.exposure, predictive))
            }
            None => Assessment::Skipped(SkipReason::TooFewPeers),
        };
        Assessed { outcome: member_assessment(member, eligible.len() - 1, verdict), predictive }
    });
    let not_judged = rest.iter().map(|member| {
        let reason = skip_reason(member.exposure, minimum_exposure).unwrap_or(SkipReason::UnknownExposure);
        let outcome = member_assessment(member, eligible.len(), Assessment::Skipped(reason));
        Assessed { outcome, predictive: None }
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

/// Returns the prediction for each member from all others; empty if there are too few.
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
    // Members outside the sample have all of it as peers.
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

/// Tests a count. The prediction interval is left empty.
fn test_outlier(observed: u64, exposure: f64, predictive: &PredictiveDistribution) -> OutlierTest {
    let tails = predictive.tails(observed as f64);
    let smaller = tails.at_most.min(tails.above + tails.exactly);
    let expected = predictive.mean();
    OutlierTest {
        expected,
        peer_rate: expected / exposure,
        interval_low: 0,
        interval_high: 0,
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
