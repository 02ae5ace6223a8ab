use proptest::prelude::*;

use super::*;

/// A line with a wave, and every seventh point far off it.
fn wild(count: usize) -> Vec<(f64, f64)> {
    (0..count)
        .map(|index| {
            let x = (index * index % 97) as f64 / 4.0 + index as f64;
            let wave = (index as f64 * 1.7).sin() * 5.0;
            let far = if index % 7 == 3 { 400.0 } else { 0.0 };
            (x, 0.25 * x - 3.0 + wave + far)
        })
        .collect()
}

fn trend_of(points: &[(f64, f64)]) -> Trend {
    theil_sen(points.iter().map(|(x, y)| (*x, Some(*y)))).unwrap()
}

#[test]
fn trends_are_what_they_are_elsewhere() {
    for (count, slope, intercept, low, high) in TRENDS {
        let found = trend_of(&wild(count));
        let interval = found.slope_interval.unwrap();
        for (found, expected) in
            [(found.slope, slope), (found.intercept, intercept), (interval.low, low), (interval.high, high)]
        {
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                "{count}: {found} {expected}"
            );
        }
    }
}

#[test]
fn a_few_wild_points_do_not_turn_the_line() {
    let points =
        (0..40).map(|day| (f64::from(day), Some(if day == 39 { 1e6 } else { 2.0 * f64::from(day) + 1.0 })));
    let found = theil_sen(points).unwrap();
    assert_eq!((found.slope, found.intercept), (2.0, 1.0));
    assert_eq!(found.at(10.0), 21.0);
}

#[test]
fn gaps_are_left_out() {
    let points =
        [(0.0, Some(1.0)), (1.0, None), (2.0, Some(5.0)), (3.0, Some(f64::NAN)), (f64::INFINITY, Some(1.0))];
    let found = theil_sen(points).unwrap();
    assert_eq!((found.slope, found.intercept, found.points), (2.0, 1.0, 2));
    assert_eq!(found.slope_interval, None);
}

#[test]
fn without_two_places_there_is_no_line() {
    assert_eq!(theil_sen([]), None);
    assert_eq!(theil_sen([(1.0, Some(2.0))]), None);
    assert_eq!(theil_sen([(1.0, Some(2.0)), (1.0, Some(3.0)), (2.0, None)]), None);
    assert_eq!(theil_sen([(-f64::MAX, Some(-f64::MAX)), (-f64::MAX * 0.999, Some(f64::MAX))]), None);
}

#[test]
fn counting_finds_the_slopes_that_listing_does() {
    let mut points = wild(700);
    // Days with several values, and repeated values.
    points.extend((0..200).map(|index| (f64::from(index % 20), f64::from(index % 11))));
    points.sort_by(|left, right| left.partial_cmp(right).unwrap());
    let (mut listed, mut counted) = (Slopes::listed(&points), Slopes::counted(&points));
    assert_eq!(listed.len(), counted.len());
    for rank in
        [0, 1, listed.len() / 10, listed.len() / 3, listed.len() / 2, listed.len() - 2, listed.len() - 1]
    {
        let (listed, counted) = (listed.nth(rank), counted.nth(rank));
        assert!((listed - counted).abs() <= 1e-9 * listed.abs().max(1.0), "{rank}: {listed} {counted}");
    }
}

proptest! {
    #[test]
    fn counting_agrees_with_listing(
        mut points in prop::collection::vec((0..30_i32, -50..50_i32), 2..80), share in 0.0..1.0_f64,
    ) {
        points.sort();
        let points: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (f64::from(x), f64::from(y) / 8.0)).collect();
        let (mut listed, mut counted) = (Slopes::listed(&points), Slopes::counted(&points));
        prop_assert_eq!(listed.len(), counted.len());
        if listed.len() > 0 {
            let rank = (share * listed.len() as f64) as usize;
            prop_assert!((listed.nth(rank) - counted.nth(rank)).abs() < 1e-9);
        }
    }

    #[test]
    fn the_line_follows_its_points(
        points in prop::collection::vec((-1e4..1e4_f64, -1e4..1e4_f64), 3..50), shift in -1e4..1e4_f64, tilt in -10.0..10.0_f64,
    ) {
        let first = trend_of(&points);
        let moved: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, y + tilt * x + shift)).collect();
        let second = trend_of(&moved);
        prop_assert!((first.slope + tilt - second.slope).abs() < 1e-6 * (1.0 + first.slope.abs()));
        if let Some(interval) = first.slope_interval {
            prop_assert!(interval.low <= first.slope && first.slope <= interval.high);
        }
    }

    #[test]
    fn no_points_make_it_fail(points in prop::collection::vec((any::<f64>(), any::<Option<f64>>()), 0..30)) {
        if let Some(found) = theil_sen(points) {
            prop_assert!(found.slope.is_finite() && found.intercept.is_finite());
        }
    }
}

/// Number of points, and slope, intercept and ends of the interval by scipy.stats.theilslopes(…, method="joint").
const TRENDS: [(usize, f64, f64, f64, f64); 3] = [
    (12, 0.14858734006758978, 1.1159456019141951, -0.5739009899458165, 0.55882084446163),
    (500, 0.24986985209708362, -1.65867015607747, 0.24772286593215845, 0.25197659600321215),
    (3000, 0.25000138369798575, -1.6813486767992742, 0.24988265457314748, 0.2501220423343007),
];
