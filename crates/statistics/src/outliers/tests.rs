use proptest::prelude::*;

use super::*;

/// Tests all members and returns all of them.
pub(super) fn find_all<Key: Clone + Ord, Group: Clone + Ord>(
    members: &[Member<Key, Group>],
    min_exposure: impl Fn(&Group) -> f64,
) -> Vec<MemberAssessment<Key, Group>> {
    let selection = MemberSelection { max_adjusted_p: None, limit: members.len() };
    find_outliers(members, min_exposure, &selection).members
}

fn member(key: usize, observed: u64, exposure: f64) -> Member<usize, &'static str> {
    Member { key, group: "excavators", observed, exposure }
}

/// Twelve similar members with about one event in two hours.
fn alike() -> Vec<Member<usize, &'static str>> {
    let counts = [52, 47, 61, 40, 55, 49, 44, 58, 50, 53, 46, 57];
    counts.into_iter().enumerate().map(|(key, observed)| member(key, observed, 100.0)).collect()
}

fn of<Group>(outcomes: &[MemberAssessment<usize, Group>], key: usize) -> &MemberAssessment<usize, Group> {
    outcomes.iter().find(|outcome| outcome.key == key).unwrap()
}

#[test]
fn a_selection_has_the_first_of_all_members() {
    let mut members = alike();
    members.extend(alike().into_iter().map(|one| Member { key: one.key + 20, ..one }));
    members.extend([member(12, 90, 50.0), member(13, 1, 100.0), member(14, 5, 2.0)]);
    let all = find_all(&members, |_| 8.0);
    let select =
        |max_adjusted_p, limit| find_outliers(&members, |_| 8.0, &MemberSelection { max_adjusted_p, limit });
    let found = select(None, 4);
    assert_eq!((&found.members[..], found.more), (&all[..4], 23));
    assert_eq!((found.tested, found.skipped), (26, 1));
    let outliers = select(Some(0.05), 10);
    let is_outlier = |outcome: &&MemberAssessment<usize, &str>| {
        outcome.outlier_test().is_some_and(|judgement| judgement.adjusted_p <= 0.05)
    };
    let expected: Vec<_> = all.iter().filter(is_outlier).cloned().collect();
    assert!(expected.len() >= 2, "{all:?}");
    assert_eq!((&outliers.members, outliers.more), (&expected, 0));
    assert_eq!((outliers.tested, outliers.skipped), (26, 1));
    let one = select(Some(0.05), 1);
    assert_eq!((&one.members[..], one.more), (&expected[..1], expected.len() - 1));
}

#[test]
fn three_times_the_rate_of_the_peers_comes_first_and_is_named() {
    let mut members = alike();
    members.push(member(12, 75, 50.0));
    let outcomes = find_all(&members, |_| 8.0);
    let first = &outcomes[0];
    let judgement = first.outlier_test().unwrap();
    assert_eq!((first.key, first.peers, first.rate), (12, 12, Some(1.5)));
    assert!(judgement.adjusted_p < 0.001 && judgement.score > 4.0, "{judgement:?}");
    assert!((25.0..26.5).contains(&judgement.expected));
    assert!(judgement.interval_low > 8 && judgement.interval_high < 50);
    let Some(Comparison::More { times }) = first.comparison() else { panic!("{first:?}") };
    assert!((2.8..3.0).contains(&times));
    assert!(outcomes[1..].iter().all(|outcome| outcome.outlier_test().unwrap().adjusted_p > 0.05));
}

/// The expected values come from an implementation of the formula in scipy, with 4,001 dispersions instead of about thirty.
#[test]
fn judgements_are_what_the_formula_makes_of_them_elsewhere() {
    let twelve: Vec<(u64, f64)> = alike().iter().map(|member| (member.observed, member.exposure)).collect();
    let five = vec![(3, 10.0), (0, 4.0), (9, 22.0), (2, 9.0), (5, 31.0)];
    let seven =
        vec![(120, 40.0), (310, 100.0), (95, 50.0), (240, 60.0), (180, 90.0), (60, 30.0), (400, 110.0)];
    let cases = [
        (twelve, (75, 50.0), (25.520_833_333, 1.409_479_605e-6, 4.838_967_330), (15, 37)),
        (five.clone(), (14, 12.0), (3.029_163_205, 0.018_922_753_6, 2.385_592_434), (0, 10)),
        (five, (0, 40.0), (10.097_210_683, 0.122_416_105_4, -1.871_989_525), (0, 30)),
        (seven, (20, 70.0), (197.049_634_032, 0.008_096_176_2, -2.659_105_979), (59, 393)),
    ];
    for (peers, (observed, exposure), (expected, p, score), interval) in cases {
        let peers =
            peers.iter().enumerate().map(|(key, (observed, exposure))| member(key, *observed, *exposure));
        let members: Vec<_> = peers.chain([member(99, observed, exposure)]).collect();
        let found = *of(&find_all(&members, |_| 0.0), 99).outlier_test().unwrap();
        assert!((found.expected / expected - 1.0).abs() < 1e-4, "{found:?}");
        assert!((found.p / p - 1.0).abs() < 3e-3, "{found:?}");
        assert!((found.score - score).abs() < 1e-3, "{found:?}");
        assert_eq!((found.interval_low, found.interval_high), interval);
    }
}

#[test]
fn too_few_are_remarkable_too() {
    let mut members = alike();
    members.push(member(12, 12, 100.0));
    members.push(member(13, 0, 120.0));
    let outcomes = find_all(&members, |_| 8.0);
    assert_eq!((outcomes[0].key, outcomes[1].key), (13, 12));
    assert_eq!(outcomes[0].comparison(), Some(Comparison::NoneObserved));
    assert!(outcomes[0].outlier_test().unwrap().score < -3.0);
    let Some(Comparison::Fewer { times }) = outcomes[1].comparison() else { panic!("{:?}", outcomes[1]) };
    assert!((3.0..5.0).contains(&times));
}

#[test]
fn one_count_does_not_change_what_is_expected_of_its_member() {
    let judged = |observed| {
        let mut members = alike();
        members[3].observed = observed;
        *of(&find_all(&members, |_| 0.0), 3).outlier_test().unwrap()
    };
    let (few, many) = (judged(0), judged(1_000_000));
    assert_eq!(few.expected, many.expected);
    assert_eq!((few.interval_low, few.interval_high), (many.interval_low, many.interval_high));
}

#[test]
fn who_is_not_judged_is_told_why_and_is_nobodys_peer() {
    let mut members = alike();
    members.push(member(12, 900, 7.9));
    members.push(member(13, 4, 0.0));
    members.push(member(14, 4, f64::NAN));
    members.extend((0..5).map(|key| Member { group: "cranes", ..member(20 + key, 5, 50.0) }));
    let outcomes = find_all(&members, |_| 8.0);
    let reason = |key| match of(&outcomes, key).assessment {
        Assessment::Skipped(reason) => reason.as_str(),
        Assessment::Tested(_) => "judged",
    };
    let reasons = [0, 12, 13, 14, 20].map(reason);
    assert_eq!(
        reasons,
        ["judged", "too_little_exposure", "unknown_exposure", "unknown_exposure", "too_few_peers"]
    );
    assert_eq!([0, 12, 20].map(|key| of(&outcomes, key).peers), [11, 12, 4]);
    assert_eq!(of(&outcomes, 0).assessment, of(&find_all(&alike(), |_| 0.0), 0).assessment);
    assert_eq!(outcomes.iter().rposition(|outcome| outcome.outlier_test().is_some()), Some(11));
}

#[test]
fn with_five_peers_of_no_events_at_all_one_event_is_no_surprise_but_many_are() {
    let judged = |observed| {
        let mut members: Vec<_> = (0..5).map(|key| member(key, 0, 100.0)).collect();
        members.push(member(5, observed, 100.0));
        *of(&find_all(&members, |_| 0.0), 5).outlier_test().unwrap()
    };
    assert!(judged(0).p == 1.0);
    assert!(judged(1).p > 0.05);
    assert!(judged(40).p < 0.001);
}

#[test]
fn what_is_expected_of_poisson_counts_with_many_peers_is_a_poisson_count() {
    let members: Vec<_> = (0..400).map(|key| member(key, 90 + (key as u64 * 7919) % 21, 10.0)).collect();
    let judgement = *find_all(&members, |_| 0.0)[0].outlier_test().unwrap();
    assert!((judgement.expected - 100.0).abs() < 0.5);
    // Poisson(100): 81 to 120.
    assert!((79..=82).contains(&judgement.interval_low), "{judgement:?}");
    assert!((119..=122).contains(&judgement.interval_high), "{judgement:?}");
}

#[test]
fn thousands_of_members_are_judged_by_a_sample_of_them() {
    let members: Vec<_> =
        (0..3_000).map(|key| member(key, (key as u64 * 7919) % 11, 20.0 + (key % 13) as f64)).collect();
    let outcomes = find_all(&members, |_| 0.0);
    assert!(outcomes.iter().all(|outcome| outcome.peers == 2_999 && outcome.outlier_test().is_some()));
    let expected: f64 = outcomes.iter().map(|outcome| outcome.outlier_test().unwrap().expected).sum();
    let observed: f64 = members.iter().map(|member| member.observed as f64).sum();
    assert!((expected / observed - 1.0).abs() < 0.1);
}

#[test]
fn no_members_are_no_outcomes() {
    assert!(find_all::<u8, u8>(&[], |_| 1.0).is_empty());
}

fn any_members(counts: std::ops::Range<u64>) -> impl Strategy<Value = Vec<Member<usize, u8>>> {
    let parts = (0..3_u8, counts, -3.0..7.0_f64);
    prop::collection::vec(parts, 0..24).prop_map(|parts| {
        let member = |(key, (group, observed, exposure)): (usize, (u8, u64, f64))| Member {
            key,
            group,
            observed,
            exposure: 10_f64.powf(exposure),
        };
        parts.into_iter().enumerate().map(member).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_judgement_is_made_of_numbers(members in any_members(0..10_000_001)) {
        for outcome in find_all(&members, |_| 0.01) {
            let Some(judgement) = outcome.outlier_test() else { continue };
            prop_assert!((0.0..=1.0).contains(&judgement.p));
            prop_assert!((judgement.p..=1.0).contains(&judgement.adjusted_p));
            prop_assert!(judgement.score.is_finite());
            prop_assert!(judgement.expected.is_finite() && judgement.expected > 0.0);
            prop_assert!(judgement.interval_low <= judgement.interval_high);
            let inside = (judgement.interval_low..=judgement.interval_high).contains(&outcome.observed);
            prop_assert!(inside == (judgement.p > 0.05) || (judgement.p - 0.05).abs() < 1e-9);
        }
    }

    #[test]
    fn nothing_makes_it_fail(
        parts in prop::collection::vec((any::<u64>(), any::<f64>()), 0..12), minimum in any::<f64>(),
    ) {
        let members: Vec<_> = parts.iter().enumerate().map(|(key, part)| member(key, part.0, part.1)).collect();
        for outcome in find_all(&members, |_| minimum) {
            if let Some(judgement) = outcome.outlier_test() {
                prop_assert!(judgement.p >= 0.0 && judgement.score.is_finite() && judgement.expected.is_finite());
            }
        }
    }

    #[test]
    fn the_largest_counts_and_credible_exposures_do_not_make_it_fail(
        parts in prop::collection::vec((any::<u64>(), -9.0..15.0_f64), 6..10),
    ) {
        let members: Vec<_> =
            parts.iter().enumerate().map(|(key, part)| member(key, part.0, 10_f64.powf(part.1))).collect();
        for outcome in find_all(&members, |_| 0.0) {
            if let Some(judgement) = outcome.outlier_test() {
                prop_assert!((0.0..=1.0).contains(&judgement.p) && judgement.score.is_finite());
                prop_assert!(judgement.expected.is_finite() && judgement.peer_rate.is_finite());
            }
        }
    }

    #[test]
    fn the_order_given_does_not_matter(members in any_members(0..2_000), turn in 0..24_usize) {
        let mut turned = members.clone();
        turned.rotate_left(turn % members.len().max(1));
        turned.reverse();
        prop_assert_eq!(find_all(&members, |_| 0.01), find_all(&turned, |_| 0.01));
    }

    #[test]
    fn the_unit_of_exposure_does_not_matter(members in any_members(0..2_000)) {
        let in_days: Vec<_> =
            members.iter().map(|member| Member { exposure: member.exposure / 24.0, ..*member }).collect();
        let (hours, days) = (find_all(&members, |_| 0.0), find_all(&in_days, |_| 0.0));
        for outcome in &hours {
            let same = of(&days, outcome.key);
            if let (Some(hours), Some(days)) = (outcome.outlier_test(), same.outlier_test()) {
                prop_assert!((hours.p - days.p).abs() < 1e-7, "{} {}", hours.p, days.p);
                prop_assert!((hours.expected / days.expected - 1.0).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn more_events_never_make_more_events_less_surprising(members in any_members(0..2_000), more in 1..500_u64) {
        let mut raised = members.clone();
        let Some(first) = raised.first_mut() else { return Ok(()) };
        first.observed += more;
        let (before, after) = (find_all(&members, |_| 0.0), find_all(&raised, |_| 0.0));
        if let (Some(before), Some(after)) = (of(&before, 0).outlier_test(), of(&after, 0).outlier_test()) {
            prop_assert!(after.score >= before.score - 1e-9);
        }
    }
}
