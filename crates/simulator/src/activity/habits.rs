//! Habits of operators with the button in the cab and of wearers with the test at the gate, and how they change over time.
//!
//! After a system is installed, people keep away, and come back within weeks as habits return. Operators press the button reliably at
//! first, and less and less from the fourth week on, some more than others.

use crate::primitives::chance::Chance;

/// The habit of an operator with the button.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcknowledgementHabit {
    /// The probability that it is pressed while the system is new.
    initial_probability: f64,
    /// The factor by which the common fatigue affects the operator.
    fatigue: f64,
    /// Typical seconds until it is pressed.
    delay_s: f64,
    /// The probability that the operator comes without their tag.
    pub forgets_tag_probability: f64,
}

impl AcknowledgementHabit {
    pub fn new(chance: &mut Chance) -> Self {
        Self {
            initial_probability: chance.between(0.72, 0.98),
            fatigue: chance.between(0.5, 1.5),
            delay_s: chance.between(1.2, 5.0),
            forgets_tag_probability: chance.between(0.0, 0.08),
        }
    }

    /// Returns the probability that it is pressed on a day, counted from the first.
    pub fn probability(&self, day: usize) -> f64 {
        self.initial_probability * (1.0 - self.fatigue * acknowledgement_fatigue(day))
    }

    /// Returns the milliseconds until it is pressed: about the typical delay, sometimes much longer.
    pub fn delay_ms(&self, chance: &mut Chance) -> i64 {
        let u = chance.unit();
        (self.delay_s * 1_000.0 * (0.35 + u / (1.02 - u))) as i64
    }
}

/// Returns the share of acknowledgements that is lost on a day: none for three weeks, then up to 0.32 in the thirteenth.
fn acknowledgement_fatigue(day: usize) -> f64 {
    ((day as f64 / 7.0 - 3.0) * 0.032).clamp(0.0, 0.32)
}

/// Returns the number of incursions on a day relative to a settled day: many at first, few after a month, and slowly more again.
pub(crate) fn novelty_factor(day: usize) -> f64 {
    let week = day as f64 / 7.0;
    if week < 4.0 { 1.5 - 0.18 * week } else { (0.78 + 0.03 * (week - 4.0)).min(1.05) }
}

/// The probability that a tag is tested at the gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestingHabit(f64);

impl TestingHabit {
    /// Most test every day, some about once a week, some much too seldom, and a few never.
    pub fn new(chance: &mut Chance) -> Self {
        Self([0.9, 0.9, 0.9, 0.85, 0.8, 0.6, 0.25, 0.2, 0.05, 0.0][chance.below(10)])
    }

    /// Returns the probability per working day.
    pub const fn probability(self) -> f64 {
        self.0
    }
}
