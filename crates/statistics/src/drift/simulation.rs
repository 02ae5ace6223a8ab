//! Simulated sites with fixed seeds, which are looked at every week for a year.

use super::*;
use crate::chance::Chance;

/// With so many sites, one in twenty is 10.
const SITES: u64 = 200;
const FEW: usize = 10;
const NEARLY_ALL: usize = 190;
const WEEKS: usize = 52;
/// Per cent of the fall.
const THRESHOLD: f64 = 30.0;

/// The weeks of a site: its hours, how many times more its counts vary than those of independent events, and the rate of each week.
fn weeks(seed: u64, hours: f64, dispersion: f64, rate: impl Fn(usize) -> f64) -> Vec<Part> {
    let mut chance = Chance::of(seed);
    let week = |number: usize| {
        let mean = rate(number) * hours;
        // A gamma-distributed mean with this shape makes the variance of the count `dispersion` times its mean.
        let noise = if dispersion > 1.0 { chance.gamma(mean / (dispersion - 1.0)) } else { 1.0 };
        (chance.poisson((mean * noise).max(1e-6)), hours)
    };
    (0..WEEKS).map(week).collect()
}

/// Whether any of the weekly looks finds that more than the threshold was climbed back.
fn is_found(weeks: &[Part]) -> bool {
    let (baseline, since) = weeks.split_at(4);
    let climbed = |known: usize| measure_drift(baseline, &since[..known], 40.0).map(|found| found.climbed);
    (4..=since.len()).any(|known| climbed(known).is_ok_and(|climbed| climbed >= THRESHOLD))
}

fn count_found(hours: f64, dispersion: f64, rate: impl Fn(usize) -> f64 + Copy) -> usize {
    (0..SITES).filter(|seed| is_found(&weeks(*seed, hours, dispersion, rate))).count()
}

#[test]
fn sites_that_do_not_climb_back_are_hardly_ever_found() {
    for (hours, dispersion) in [(10.0, 1.0), (10.0, 3.0), (40.0, 1.0), (40.0, 3.0)] {
        // The rate after the first four weeks, in which it is 1 per hour: unchanged, or a quarter or half less for good.
        for after in [1.0, 0.75, 0.5] {
            let found = count_found(hours, dispersion, |week| if week < 4 { 1.0 } else { after });
            println!("{hours} hours, dispersion {dispersion}, then {after}: {found} of {SITES}");
            assert!(found < FEW, "{hours} hours, dispersion {dispersion}, then {after}: {found}");
        }
    }
}

#[test]
fn sites_that_climb_back_are_found() {
    // The hours of a week, the dispersion, and the rates at first, since the fifth week, and since the 27th.
    for (hours, dispersion, rates) in [
        (10.0, 1.0, [5.0, 2.5, 5.0]),
        (40.0, 1.0, [2.0, 1.0, 2.0]),
        (40.0, 3.0, [2.0, 1.0, 2.0]),
        (40.0, 1.0, [2.0, 0.2, 1.1]),
        (200.0, 3.0, [2.0, 0.2, 1.1]),
    ] {
        let rate = |week: usize| rates[usize::from(week >= 4) + usize::from(week >= 26)];
        let found = count_found(hours, dispersion, rate);
        println!("{hours} hours, dispersion {dispersion}, {rates:?}: {found} of {SITES}");
        assert!(found >= NEARLY_ALL, "{hours} hours, dispersion {dispersion}, {rates:?}: {found}");
        let before = |week: usize| rates[usize::from(week >= 4)];
        assert!(count_found(hours, dispersion, before) < FEW, "{hours} hours, dispersion {dispersion}");
    }
}
