//! Estimates from a member's peers their mean rate, how much rates differ, and the uncertainty of both.

use super::predictive::{Component, PredictiveDistribution};
use crate::gamma::ln_gamma;

/// The range of the squared coefficient of variation of rates. No peers are more alike than to a thousandth; if they differ
/// threefold on average, no count is remarkable.
const DISPERSION_RANGE: (f64, f64) = (1e-6, 10.0);

/// The scale of the half-Cauchy prior over the coefficient of variation of the peers' rates. It is wide on purpose: with 0.5,
/// groups of five peers whose rates vary by 60 % and more produced twice as many false positives as promised.
const PRIOR_SCALE: f64 = 2.0;

/// Number of dispersions on the grid.
const GRID_POINTS: usize = 33;

/// Dispersions whose log weight is this far below the best one are dropped.
const NEGLIGIBLE_LOG_WEIGHT: f64 = 23.0;

/// A member that another one is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    pub(super) count: f64,
    pub(super) exposure: f64,
}

/// The estimate from a group of peers.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    grid: Vec<GridPoint>,
}

/// The estimate for one value of the dispersion.
#[derive(Clone, Copy, Debug)]
struct GridPoint {
    /// The log weight, up to a constant; after normalisation, the weight itself.
    weight: f64,
    dispersion: f64,
    rate: Rate,
}

/// The peers' mean rate.
#[derive(Clone, Copy, Debug)]
struct Rate {
    log: f64,
    /// The information about the logarithm, which is the inverse of its variance.
    information: f64,
}

impl Fit {
    /// Fits the model. There must be at least one peer, with a positive exposure.
    pub(super) fn from_peers(peers: &[Peer]) -> Self {
        let (mut low, mut high) = (DISPERSION_RANGE.0.ln(), DISPERSION_RANGE.1.ln());
        let mut places = build_grid(peers, low, high);
        // With many peers only a narrow range of dispersions has weight: refine the grid there until it is resolved.
        for _ in 0..6 {
            let best = places.iter().map(|place| place.weight).fold(f64::NEG_INFINITY, f64::max);
            let probable = |place: &GridPoint| place.weight > best - NEGLIGIBLE_LOG_WEIGHT;
            let first = places.iter().position(probable).unwrap_or(0).saturating_sub(1);
            let last =
                (places.iter().rposition(probable).unwrap_or(GRID_POINTS - 1) + 1).min(GRID_POINTS - 1);
            if last - first > GRID_POINTS / 2 {
                break;
            }
            (low, high) = (places[first].dispersion.ln(), places[last].dispersion.ln());
            places = build_grid(peers, low, high);
        }
        Self { grid: normalise_weights(places) }
    }

    /// Returns the distribution of the count of a member like the peers, with this exposure.
    pub(super) fn predict(&self, exposure: f64) -> PredictiveDistribution {
        let component = |place: &GridPoint| {
            // The mean rate is uncertain too: the product of two gamma distributions is approximated by one with the same
            // variance.
            let uncertainty = 1.0 / place.rate.information;
            let dispersion = place.dispersion + uncertainty + place.dispersion * uncertainty;
            Component { weight: place.weight, mean: place.rate.log.exp() * exposure, dispersion }
        };
        PredictiveDistribution::new(self.grid.iter().map(component).collect())
    }
}

fn build_grid(peers: &[Peer], low: f64, high: f64) -> Vec<GridPoint> {
    let counts: f64 = peers.iter().map(|peer| peer.count).sum();
    let exposure: f64 = peers.iter().map(|peer| peer.exposure).sum();
    let mut start = ((counts + 0.5) / exposure).ln();
    let mut places = Vec::with_capacity(GRID_POINTS);
    for index in 0..GRID_POINTS {
        let dispersion = (low + (high - low) * index as f64 / (GRID_POINTS - 1) as f64).exp();
        let rate = mean_rate(peers, dispersion, start);
        start = rate.log;
        let weight =
            ln_prior(dispersion) + ln_likelihood(peers, dispersion, rate.log) - 0.5 * rate.information.ln();
        places.push(GridPoint { weight, dispersion, rate });
    }
    places
}

/// The log density of the prior over the logarithm of the dispersion, up to a constant.
fn ln_prior(dispersion: f64) -> f64 {
    0.5 * dispersion.ln() - (dispersion / (PRIOR_SCALE * PRIOR_SCALE)).ln_1p()
}

/// The log likelihood of the peers' counts, up to terms that depend on neither rate nor dispersion.
fn ln_likelihood(peers: &[Peer], dispersion: f64, log_rate: f64) -> f64 {
    let shape = 1.0 / dispersion;
    let ln_gamma_shape = ln_gamma(shape);
    let rate = log_rate.exp();
    let of_one = |peer: &Peer| {
        let relative = dispersion * rate * peer.exposure;
        let none = -(peer.count + shape) * relative.ln_1p();
        if peer.count == 0.0 {
            return none;
        }
        ln_gamma(peer.count + shape) - ln_gamma_shape + peer.count * relative.ln() + none
    };
    peers.iter().map(of_one).sum()
}

/// Finds the most probable mean rate with Newton steps inside a bracket. It maximises the likelihood with Firth's correction,
/// which adds up to half an event, so that peers without any event have a positive rate.
fn mean_rate(peers: &[Peer], dispersion: f64, start: f64) -> Rate {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut log = start;
    let mut information = 1.0;
    for _ in 0..100 {
        let rate = log.exp();
        let (mut score, mut expected, mut expected_slope) = (0.0, 0.0, 0.0);
        information = 0.0;
        for peer in peers {
            let mean = rate * peer.exposure;
            let weight = 1.0 / (1.0 + dispersion * mean);
            score += (peer.count - mean) * weight;
            information += mean * (1.0 + dispersion * peer.count) * weight * weight;
            expected += mean * weight;
            expected_slope += mean * weight * weight;
        }
        score += 0.5 * expected_slope / expected;
        if score > 0.0 {
            low = log;
        } else {
            high = log;
        }
        // A step of more than a factor of 20 leads off the edge of a plateau.
        let step = (score / information).clamp(-3.0, 3.0);
        if step.abs() < 1e-10 {
            break;
        }
        let next = log + step;
        log = if next > low && next < high { next } else { 0.5 * (low + high) };
    }
    Rate { log, information }
}

/// Turns log weights into probabilities by the trapezoidal rule and drops negligible ones.
fn normalise_weights(mut places: Vec<GridPoint>) -> Vec<GridPoint> {
    let best = places.iter().map(|place| place.weight).fold(f64::NEG_INFINITY, f64::max);
    for place in &mut places {
        place.weight = (place.weight - best).exp();
    }
    for end in [0, GRID_POINTS - 1] {
        places[end].weight *= 0.5;
    }
    places.retain(|place| place.weight > (-NEGLIGIBLE_LOG_WEIGHT).exp());
    let sum: f64 = places.iter().map(|place| place.weight).sum();
    for place in &mut places {
        place.weight /= sum;
    }
    places
}
