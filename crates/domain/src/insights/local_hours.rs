//! Certain hours of the clocks of sites.

/// Hours of the clock of the site at which an incursion started. `None` does not restrict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalHours {
    /// A certain hour: the number of the day times 24, plus the hour.
    pub hour: Option<i64>,
    pub hour_of_day: Option<i64>,
    /// 0 for Monday.
    pub day_of_week: Option<i64>,
}

impl LocalHours {
    /// Whether every hour is among them.
    pub fn is_any(self) -> bool {
        self == Self::default()
    }
}
