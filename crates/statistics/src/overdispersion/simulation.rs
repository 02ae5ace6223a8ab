//! Simulated sites with fixed seeds, at which nothing changes: differences that are called unlikely there are false.

use super::*;
use crate::chance::Chance;
use crate::false_discovery::adjust_for_choice;

/// With so many seeds, one in twenty is 15; more than twice as many are no chance.
const SEEDS: u64 = 300;
const MANY: usize = 30;

/// Four weeks of working days with four to twelve hours of runtime, and five incursions an hour on average. The rate of each day is
/// multiplied by independent noise with a mean of 1 and this variation.
fn period(variation: f64, chance: &mut Chance) -> Vec<(u64, f64)> {
    let day = |_| {
        let hours = 4.0 + 8.0 * chance.share();
        let noise = if variation > 0.0 { chance.gamma(1.0 / (variation * variation)) } else { 1.0 };
        (chance.poisson(5.0 * hours * noise.max(1e-6)), hours)
    };
    (0..20).map(day).collect()
}

fn total(days: &[(u64, f64)]) -> (u64, f64) {
    days.iter().fold((0, 0.0), |sum, day| (sum.0 + day.0, sum.1 + day.1))
}

/// Counts the seeds for which a difference is called unlikely: by the factor of the days, and as if events were independent.
fn false_differences(variation: f64) -> (usize, usize) {
    let independent = Overdispersion { factor: 1.0, degrees: 1e6 };
    let (mut found, mut naive) = (0, 0);
    for seed in 0..SEEDS {
        let mut chance = Chance::of(seed);
        let (now, before) = (period(variation, &mut chance), period(variation, &mut chance));
        let (one, other) = (total(&now), total(&before));
        let is_unlikely = |spread: Overdispersion| spread.rate_difference_p(one, other).unwrap() < 0.05;
        found += usize::from(is_unlikely(Overdispersion::of_counts(&[now, before], 0).unwrap()));
        naive += usize::from(is_unlikely(independent));
    }
    (found, naive)
}

#[test]
fn noise_is_hardly_ever_called_a_difference() {
    for variation in [0.0, 0.3, 0.7, 1.0] {
        let (found, naive) = false_differences(variation);
        println!("variation {variation}: {found} of {SEEDS} differ by days, {naive} as independent events");
        assert!(found <= MANY, "{variation}: {found}");
        // Without the days, every third would be.
        assert!(variation == 0.0 || naive >= 75, "{variation}: {naive}");
    }
}

/// Twenty days with twelve working hours, in each of which three bursts begin on average; a burst has a geometric size with this mean.
fn hours_of_days(size: f64, chance: &mut Chance) -> Vec<[u64; 12]> {
    let burst = |chance: &mut Chance| match size > 1.0 {
        true => 1 + (chance.share().ln() / (1.0 - 1.0 / size).ln()) as u64,
        false => 1,
    };
    let mut hour = || -> u64 {
        let bursts = chance.poisson(3.0);
        (0..bursts).map(|_| burst(chance)).sum()
    };
    (0..20).map(|_| std::array::from_fn(|_| hour())).collect()
}

#[test]
fn the_most_of_many_windows_is_hardly_ever_called_more_than_its_share() {
    for size in [1.0, 3.0, 8.0] {
        let (mut found, mut without_choice) = (0, 0);
        for seed in 0..SEEDS {
            let days = hours_of_days(size, &mut Chance::of(seed));
            let within = |from: usize| -> Vec<(u64, u64)> {
                days.iter().map(|day| (day[from..from + 3].iter().sum(), day.iter().sum())).collect()
            };
            let sum = |shares: &[(u64, u64)]| {
                shares.iter().fold((0, 0), |sum: (u64, u64), day| (sum.0 + day.0, sum.1 + day.1))
            };
            let most = (0..10).map(within).max_by_key(|shares| sum(shares).0).unwrap();
            let counts = sum(&most);
            let p = Overdispersion::of_shares(&[most]).unwrap().share_p(counts, 0.25).unwrap();
            without_choice += usize::from(p < 0.05);
            found += usize::from(adjust_for_choice(p, 10) < 0.05);
        }
        println!("bursts of {size}: {found} of {SEEDS}, {without_choice} if the choice is left out");
        assert!(found <= MANY && without_choice > found, "{size}: {found} {without_choice}");
    }
}
