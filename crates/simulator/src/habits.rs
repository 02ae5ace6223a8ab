//! Habits: of operators with the button in the cab, of wearers with the test at the gate, and how both fade.
//!
//! After a system is fitted people keep away, and within weeks come back as habits return. Operators press the button
//! faithfully at first, and less and less from the fourth week on, some more than others.

use crate::chance::Chance;

/// An operator and the button.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcknowledgementHabit {
    /// How often it is pressed while the system is new.
    initial_probability: f64,
    /// How much of the common fading is theirs.
    fatigue: f64,
    /// Typical seconds until it is pressed.
    delay_s: f64,
    /// How often the operator comes without their tag.
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

    /// How often it is pressed on a day, counted from the first.
    pub fn probability(&self, day: usize) -> f64 {
        self.initial_probability * (1.0 - self.fatigue * acknowledgement_fatigue(day))
    }

    /// Milliseconds until it is pressed: about the usual, at times much longer.
    pub fn delay_ms(&self, chance: &mut Chance) -> i64 {
        let u = chance.unit();
        (self.delay_s * 1_000.0 * (0.35 + u / (1.02 - u))) as i64
    }
}

/// The share of acknowledgements that is lost on a day: none for three weeks, then up to 0.32 in the thirteenth.
fn acknowledgement_fatigue(day: usize) -> f64 {
    ((day as f64 / 7.0 - 3.0) * 0.032).clamp(0.0, 0.32)
}

/// How many incursions there are on a day beside a settled one: many at first, few after a month, and slowly more again.
pub(crate) fn novelty_factor(day: usize) -> f64 {
    let week = day as f64 / 7.0;
    if week < 4.0 { 1.5 - 0.18 * week } else { (0.78 + 0.03 * (week - 4.0)).min(1.05) }
}

/// How often a tag is tested at the gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestingHabit(f64);

impl TestingHabit {
    /// Most test every day, some about once a week, some far too seldom, a few never.
    pub fn new(chance: &mut Chance) -> Self {
        Self([0.9, 0.9, 0.9, 0.85, 0.8, 0.6, 0.25, 0.2, 0.05, 0.0][chance.below(10)])
    }

    /// How often on a day of work.
    pub const fn probability(self) -> f64 {
        self.0
    }
}
