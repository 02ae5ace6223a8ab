//! The charge of tag batteries: they run down day by day, and most wearers replace them.

use crate::primitives::chance::Chance;

const DAY_MS: f64 = 86_400_000.0;

/// How a tag's battery is treated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Battery {
    /// The charge that was used before the first day.
    used_percent: f64,
    drain_per_day: f64,
    /// The level at which it is replaced; none if it never is.
    replaced_at_percent: Option<f64>,
}

impl Battery {
    pub fn new(chance: &mut Chance) -> Self {
        let changed_at = (!chance.happens(0.06)).then(|| chance.between(4.0, 28.0));
        Self {
            used_percent: chance.between(0.0, 70.0),
            drain_per_day: chance.between(0.6, 2.4),
            replaced_at_percent: changed_at,
        }
    }

    /// Returns the level at a number of milliseconds after the first day began.
    pub fn percent_left(&self, since_ms: i64) -> f64 {
        let used = self.used_percent + self.drain_per_day * (since_ms.max(0) as f64 / DAY_MS);
        match self.replaced_at_percent {
            Some(level) => 100.0 - used % (100.0 - level),
            None => (100.0 - used).max(1.0),
        }
    }
}
