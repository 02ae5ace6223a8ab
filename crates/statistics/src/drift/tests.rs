use proptest::prelude::*;

use super::*;

/// Parts with these counts in ten units of exposure each.
fn parts(counts: &[u64]) -> Vec<Part> {
    counts.iter().map(|count| (*count, 10.0)).collect()
}

fn measure(baseline: [u64; 4], since: &[&[u64]]) -> Result<Drift, NoDrift> {
    measure_drift(&parts(&baseline), &parts(&since.concat()), 40.0)
}

#[test]
fn a_climb_counts_between_two_bounds() {
    let found = measure([100; 4], &[&[20; 8], &[60; 4]]).unwrap();
    assert_eq!((found.baseline, found.lowest, found.lowest_at, found.now), (10.0, 2.0, 0, 6.0));
    // Twelve degrees of freedom and five windows: 2.18 and 2.67 standard deviations.
    assert!((found.now_interval.low - 5.21).abs() < 0.02, "{found:?}");
    assert!((found.lowest_high - 2.69).abs() < 0.02, "{found:?}");
    assert!((found.climbed - 34.5).abs() < 0.5, "{found:?}");
    // With a hundred times as many the bounds are near: 50 per cent of the way from 2 to 10.
    let many = measure([10_000; 4], &[&[2_000; 8], &[6_000; 4]]).unwrap();
    assert!((47.0..50.0).contains(&many.climbed), "{many:?}");
}

#[test]
fn the_baseline_is_a_median() {
    let found = measure([100, 110, 105, 95], &[&[20; 12]]).unwrap();
    assert_eq!((found.baseline, found.climbed), (10.25, 0.0));
}

#[test]
fn what_is_above_the_baseline_has_climbed_more_than_it_fell() {
    let found = measure([1_000; 4], &[&[200; 8], &[2_000; 4]]).unwrap();
    assert!(found.climbed > 200.0, "{found:?}");
}

#[test]
fn without_a_fall_beyond_chance_there_is_nothing_to_climb() {
    assert_eq!(measure([100; 4], &[&[100; 12]]), Err(NoDrift::NoFall));
    assert_eq!(measure([100; 4], &[&[120; 12]]), Err(NoDrift::NoFall));
    // Five per cent less is chance, and a fall now is none that anything has climbed from.
    assert_eq!(measure([100; 4], &[&[95; 8], &[100; 4]]), Err(NoDrift::NoFall));
    assert_eq!(measure([100; 4], &[&[100; 8], &[20; 4]]), Err(NoDrift::NoFall));
    // There is nothing between the baseline and now.
    assert_eq!(measure([100; 4], &[&[500; 4]]), Err(NoDrift::NoFall));
    assert_eq!(measure([0; 4], &[&[0; 12]]), Err(NoDrift::NoFall));
    // One part of the baseline has it all: the mean has fallen, the median has not.
    assert_eq!(measure([3, 3, 3, 4_000], &[&[100; 12]]), Err(NoDrift::NoFall));
}

#[test]
fn bursts_hide_a_fall_and_a_climb() {
    let steady = measure([50; 4], &[&[20; 8], &[60; 4]]).unwrap();
    assert!(steady.climbed > 50.0, "{steady:?}");
    let bursts = [5, 95, 5, 95];
    assert_eq!(measure(bursts, &[&[0, 40, 0, 40], &[40, 0, 40, 0], &[60; 4]]), Err(NoDrift::NoFall));
}

#[test]
fn too_little_exposure_says_nothing() {
    let baseline = parts(&[100; 4]);
    assert_eq!(measure_drift(&[], &parts(&[20; 12]), 40.0), Err(NoDrift::NoBaseline));
    let idle = [(100, 10.0), (0, 0.0), (100, 10.0), (100, 10.0)];
    assert_eq!(measure_drift(&idle, &parts(&[20; 12]), 40.0), Err(NoDrift::NoBaseline));
    assert_eq!(measure_drift(&baseline, &parts(&[20; 3]), 40.0), Err(NoDrift::TooLittleNow));
    assert_eq!(measure_drift(&baseline, &parts(&[20; 12]), 41.0), Err(NoDrift::TooLittleNow));
    // Windows with a pause are left out: the second one has a lower rate, but less exposure.
    let mut since = parts(&[50, 50, 1, 1, 0, 50, 50, 50, 50, 60, 60, 60, 60]);
    since[4] = (0, 0.0);
    assert_eq!(measure_drift(&baseline, &since, 40.0).map(|found| found.lowest), Ok(2.55));
}

proptest! {
    #[test]
    fn nothing_is_ever_not_a_number(
        baseline in prop::collection::vec((any::<u64>(), -1.0..1e300_f64), 0..6),
        since in prop::collection::vec((any::<u64>(), -1.0..1e300_f64), 0..30),
        least in 0.0..1e3_f64,
    ) {
        if let Ok(found) = measure_drift(&baseline, &since, least) {
            let numbers = [found.baseline, found.lowest, found.lowest_high, found.now, found.climbed];
            prop_assert!(numbers.into_iter().all(|number| number.is_finite() && number >= 0.0), "{found:?}");
        }
    }
}
