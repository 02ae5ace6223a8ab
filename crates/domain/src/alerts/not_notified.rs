//! Why nobody is notified of a firing.

use crate::AlertFiring;

/// Why nobody was notified of a firing, and nobody will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotNotifiedReason {
    /// It fired outside the active hours of a rule that drops such alarms.
    OutsideHours,
    /// It was held until active hours begin, and had cleared by then.
    ClearedWhileHeld,
}

impl NotNotifiedReason {
    pub const ALL: [Self; 2] = [Self::OutsideHours, Self::ClearedWhileHeld];

    /// Returns the value sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OutsideHours => "outside_hours",
            Self::ClearedWhileHeld => "cleared_while_held",
        }
    }
}

impl AlertFiring {
    /// Returns why nobody is notified of it; none if somebody was, or will be.
    pub fn not_notified_reason(&self) -> Option<NotNotifiedReason> {
        match (self.is_told, self.held_until, self.cleared_at) {
            (false, _, _) => Some(NotNotifiedReason::OutsideHours),
            (true, Some(_), Some(_)) => Some(NotNotifiedReason::ClearedWhileHeld),
            (true, None, _) | (true, Some(_), None) => None,
        }
    }
}
