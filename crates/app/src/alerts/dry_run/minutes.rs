//! Whole minutes: when time alone changes a value, it is looked at every minute.

use domain::{Span, Timestamp};

const MINUTE: i64 = Span::minutes(1).micros();

/// Returns the first whole minute at an instant or after it.
pub(super) fn minute_from(at: Timestamp) -> Timestamp {
    Timestamp::from_micros(at.micros().saturating_add(MINUTE - 1).div_euclid(MINUTE) * MINUTE)
}

/// Returns the first whole minute after an instant.
pub(super) fn minute_after(at: Timestamp) -> Timestamp {
    minute_from(at + Span::from_micros(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_minute_is_its_own_and_not_after_itself() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        for (instant, from, after) in [
            ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", "2026-03-01T12:01:00Z"),
            ("2026-03-01T12:00:00.000001Z", "2026-03-01T12:01:00Z", "2026-03-01T12:01:00Z"),
            ("2026-03-01T12:00:59.999999Z", "2026-03-01T12:01:00Z", "2026-03-01T12:01:00Z"),
            ("1969-12-31T23:59:30Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ] {
            let found = (minute_from(at(instant)), minute_after(at(instant)));
            assert_eq!(found, (at(from), at(after)), "{instant}");
        }
    }
}
