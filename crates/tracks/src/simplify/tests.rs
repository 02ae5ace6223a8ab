use std::f64::consts::TAU;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn fix(index: usize, lat: f64, lon: f64) -> Fix {
    // Wraps around at the antimeridian.
    let lon = (lon + 180.0).rem_euclid(360.0) - 180.0;
    let (lat_e6, lon_e6) = ((lat * 1e6).round() as i32, (lon * 1e6).round() as i32);
    Fix { at_ms: index as i64, lat_e6, lon_e6, speed_half_kmh: None, heading_5deg: None, accuracy_m: None }
}

/// Fixes at offsets from a position, in metres to the north and east.
fn around(lat: f64, lon: f64, offsets: impl IntoIterator<Item = (f64, f64)>) -> Vec<Fix> {
    let degree = RADIUS_M.to_radians();
    let across = degree * lat.to_radians().cos();
    let offsets = offsets.into_iter().enumerate();
    offsets.map(|(index, (north, east))| fix(index, lat + north / degree, lon + east / across)).collect()
}

/// Latitude and longitude in radians.
fn radians(fix: &Fix) -> (f64, f64) {
    ((f64::from(fix.lat_e6) / 1e6).to_radians(), (f64::from(fix.lon_e6) / 1e6).to_radians())
}

/// The angle between two fixes, by haversines.
fn haversine(a: &Fix, b: &Fix) -> f64 {
    let ((lat_a, lon_a), (lat_b, lon_b)) = (radians(a), radians(b));
    let half = |x: f64| (x / 2.0).sin().powi(2);
    let h = half(lat_b - lat_a) + lat_a.cos() * lat_b.cos() * half(lon_b - lon_a);
    2.0 * h.sqrt().min(1.0).asin()
}

/// The bearing from one fix to another.
fn bearing(a: &Fix, b: &Fix) -> f64 {
    let ((lat_a, lon_a), (lat_b, lon_b)) = (radians(a), radians(b));
    // The difference of two sines as a product, because close fixes would lose precision.
    let north =
        (lat_b - lat_a).sin() + 2.0 * lat_a.sin() * lat_b.cos() * ((lon_b - lon_a) / 2.0).sin().powi(2);
    ((lon_b - lon_a).sin() * lat_b.cos()).atan2(north)
}

/// Metres from a fix to the great circle between two others, from bearings and haversines, independent of the code under test.
fn cross_track_m(a: &Fix, b: &Fix, fix: &Fix) -> f64 {
    let (length, away) = (haversine(a, b), haversine(a, fix));
    let ends = away.min(haversine(b, fix));
    let off = bearing(a, fix) - bearing(a, b);
    let across = (away.sin() * off.sin()).asin().abs();
    let along = (away.sin() * off.cos()).atan2(away.cos());
    let nearest = if length > 0.0 && (0.0..=length).contains(&along) { across } else { ends };
    nearest * RADIUS_M
}

/// Checks all guarantees of a simplified track.
fn check(fixes: &[Fix], tolerance_m: f64) -> Result<usize, TestCaseError> {
    let simple = simplify(fixes, tolerance_m);
    prop_assert_eq!((simple.first(), simple.last()), (fixes.first(), fixes.last()));
    let mut kept = simple.iter().peekable();
    let mut around = None;
    for fix in fixes {
        // Times are unique here, so equal fixes are the same fix.
        if kept.peek() == Some(&fix) {
            around = kept.next().zip(kept.peek().copied());
            continue;
        }
        let (a, b) = around.expect("a dropped fix lies between two that stay");
        let off = cross_track_m(a, b, fix);
        prop_assert!(off <= tolerance_m + 1e-4, "{} m off with a tolerance of {}", off, tolerance_m);
    }
    prop_assert!(kept.next().is_none(), "what stays is out of order");
    Ok(simple.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_dropped_fix_is_farther_off_than_the_tolerance(
        lat in -89.0..89.0,
        lon in prop_oneof![Just(180.0), Just(-180.0), -180.0..180.0],
        steps in vec((-30.0..30.0, -30.0..30.0), 0..300),
        drift in (-20.0..20.0, -20.0..20.0),
        tolerance_m in prop_oneof![0.01..2.0, 2.0..100.0],
    ) {
        let walk = steps.into_iter().scan((0.0, 0.0), |at, step| {
            *at = (at.0 + step.0 + drift.0, at.1 + step.1 + drift.1);
            Some(*at)
        });
        check(&around(lat, lon, walk), tolerance_m)?;
    }

    #[test]
    fn nor_when_fixes_lie_anywhere(
        places in vec((-90.0..=90.0, -180.0..=180.0), 0..60),
        tolerance_m in prop_oneof![1.0..1e4, 1e4..3e7],
    ) {
        let places = places.into_iter().enumerate();
        check(&places.map(|(index, (lat, lon))| fix(index, lat, lon)).collect::<Vec<_>>(), tolerance_m)?;
    }

    #[test]
    fn nor_when_a_machine_stands_and_returns(
        offsets in vec((-3_i32..3, -3_i32..3), 3..200),
        tolerance_m in 0.01..4.0,
    ) {
        let offsets = offsets.into_iter().map(|(north, east)| (f64::from(north), f64::from(east)));
        check(&around(48.0, 11.0, offsets), tolerance_m)?;
    }
}

#[test]
fn a_straight_line_is_its_ends_and_a_corner_stays() {
    let line: Vec<_> = (0..100).map(|step| (f64::from(step) * 3.0, 0.0)).collect();
    let track = around(52.0, 13.0, line.clone());
    assert_eq!(simplify(&track, 0.2), [track[0], track[99]]);
    let corner = line.into_iter().chain((1..100).map(|step| (297.0, f64::from(step) * 3.0)));
    let track = around(52.0, 13.0, corner);
    assert_eq!(simplify(&track, 0.2), [track[0], track[99], track[198]]);
}

#[test]
fn a_line_over_the_antimeridian_is_its_ends() {
    let track = around(-17.0, 179.999, (0..100).map(|step| (0.0, f64::from(step) * 5.0)));
    assert!(track[0].lon_e6 > 0 && track[99].lon_e6 < 0);
    assert_eq!(simplify(&track, 0.2), [track[0], track[99]]);
}

#[test]
fn a_way_there_and_back_keeps_where_it_turned() {
    // The turn lies on the line through both ends, but far beyond them.
    let there = (0..=50).chain((1..50).rev()).map(|step| (f64::from(step) * 4.0, 0.0));
    let track = around(40.0, -3.0, there);
    assert!(simplify(&track, 1.0).contains(&track[50]));
}

#[test]
fn tolerances_that_are_none_keep_all_and_an_endless_one_keeps_the_ends() {
    let track = around(1.0, 1.0, (0..20).map(|step| (f64::from(step), f64::from(step % 3))));
    for tolerance_m in [0.0, -0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        assert_eq!(simplify(&track, tolerance_m), track);
    }
    assert_eq!(simplify(&track, f64::INFINITY), [track[0], track[19]]);
    for short in 0..3 {
        assert_eq!(simplify(&track[..short], f64::INFINITY), track[..short]);
    }
}

#[test]
fn a_million_fixes_are_simplified_also_when_each_split_is_lopsided() {
    // A growing zigzag: the farthest fix is always next to the end, so that splitting only there would take quadratic time.
    let zigzag = (0..1_000_000).map(|step: i32| {
        let out = if step % 2 == 0 { 1.0 } else { -1.0 };
        (f64::from(step) * 0.12, out * f64::from(step) * 0.001)
    });
    let track = around(10.0, 20.0, zigzag);
    let kept = check(&track, 1.0).unwrap();
    assert!((500_000..1_000_000).contains(&kept), "{kept} stay");
    // A wide circle, driven many times.
    let circle = (0..1_000_000).map(|step| {
        let (sin, cos) = (f64::from(step) * TAU / 5_000.0).sin_cos();
        (cos * 800.0, sin * 800.0)
    });
    let kept = check(&around(10.0, 20.0, circle), 5.0).unwrap();
    assert!(kept < 20_000, "{kept} stay");
}
