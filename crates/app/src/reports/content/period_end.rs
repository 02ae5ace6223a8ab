//! Periods that were not over when the figures were computed, and what their comparison means then.

use documents::{Block, Text};
use domain::{PeriodBound, ReportKind, TimeZone, Timestamp};
use texts::reports;

use super::composer::Composer;

/// How much of its period a report knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeriodEnd {
    /// The period was over at every worksite.
    Reached,
    /// It had begun everywhere and was over nowhere. The previous period ends at the same local time, so that both are equally long.
    Ahead,
    /// It had begun or was over in some time zones only, so that the previous period has another length in the others.
    AheadInPart,
    /// It had not begun.
    NotBegun,
}

impl PeriodEnd {
    pub fn of(composer: &Composer<'_>) -> Self {
        let Some(now) = composer.figures_at() else { return Self::Reached };
        Self::at(now, composer.content.request.period(), &zones_of(composer))
    }

    fn at(now: Timestamp, (from, to): (PeriodBound, PeriodBound), zones: &[TimeZone]) -> Self {
        let count = |bound: PeriodBound| zones.iter().filter(|zone| bound.instant_in(zone) > now).count();
        match (count(from), count(to)) {
            (_, 0) => Self::Reached,
            (0, all) if all == zones.len() => Self::Ahead,
            (all, _) if all == zones.len() => Self::NotBegun,
            _ => Self::AheadInPart,
        }
    }

    /// Returns whether a change against the previous period compares periods of equal length.
    pub fn is_comparable(self) -> bool {
        self != Self::AheadInPart
    }
}

impl Composer<'_> {
    /// Returns whether the previous period is as long as what is known of the period.
    pub fn is_comparable(&self) -> bool {
        PeriodEnd::of(self).is_comparable()
    }

    /// Returns whether changes against an answer about the previous period mean anything: something was recorded in it.
    pub fn is_comparable_with(&self, previous: &str) -> bool {
        self.is_comparable() && self.figures().has_data_before(previous)
    }
}

/// Returns the time zones whose days a report counts. Tests of tags are counted by the days of the tags, incursions beside them by those
/// of worksites.
fn zones_of(composer: &Composer<'_>) -> Vec<TimeZone> {
    let mut zones = composer.time_zones();
    if zones.is_empty() || composer.content.request.kind == ReportKind::TagTestCompliance {
        let of_tags = composer.figures().zone_of_tags(&composer.content.brand.values.time_zone);
        if !zones.contains(&of_tags) {
            zones.push(of_tags);
        }
    }
    zones
}

/// Says that the period is not over, and what it is compared with; nothing if it is over.
pub(super) fn notice(composer: &Composer<'_>) -> Option<String> {
    let is_compared = composer.figures().previous.is_some();
    let (text, comparison) = match PeriodEnd::of(composer) {
        PeriodEnd::Reached => return None,
        PeriodEnd::NotBegun => return Some(composer.text(reports::PERIOD_NOT_BEGUN)),
        PeriodEnd::Ahead => (reports::PERIOD_NOT_OVER, reports::COMPARED_WITH_SAME_PART),
        PeriodEnd::AheadInPart => (reports::PERIOD_NOT_OVER_EVERYWHERE, reports::NO_CHANGE_GIVEN),
    };
    let zones = composer.time_zones();
    let until = composer.figures_at().map(|at| composer.formats.minute_in(at, &zones)).unwrap_or_default();
    let said = composer.fill(text, &[("until", &until)]);
    Some(if is_compared { format!("{said} {}", composer.text(comparison)) } else { said })
}

/// Returns the notice as the first block of a document.
pub(super) fn block(composer: &Composer<'_>) -> Option<Block> {
    notice(composer).map(|notice| Block::Paragraph(Text::default().and_bold(notice)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the end of a period for time zones that are separated by blanks.
    fn end(now: &str, (from, to): (&str, &str), zones: &str) -> PeriodEnd {
        let bound = |text: &str| PeriodBound::parse(text).unwrap();
        let zones: Vec<TimeZone> = zones.split(' ').map(|zone| TimeZone::parse(zone).unwrap()).collect();
        PeriodEnd::at(Timestamp::parse(now).unwrap(), (bound(from), bound(to)), &zones)
    }

    #[test]
    fn a_period_is_over_when_its_last_day_is_over_everywhere() {
        let both = "America/Denver Pacific/Auckland";
        for (now, zones, expected) in [
            ("2026-11-16T21:34:00Z", "America/Denver", PeriodEnd::Ahead),
            ("2026-11-17T06:59:00Z", "America/Denver", PeriodEnd::Ahead),
            ("2026-11-17T07:00:00Z", "America/Denver", PeriodEnd::Reached),
            ("2026-11-17T07:00:00Z", both, PeriodEnd::Reached),
            // Over in Auckland since 11:00.
            ("2026-11-16T21:34:00Z", both, PeriodEnd::AheadInPart),
            ("2026-11-17T04:00:00Z", "America/Denver UTC", PeriodEnd::AheadInPart),
            ("2026-11-16T10:00:00Z", both, PeriodEnd::Ahead),
            // In Denver, the day begins at 07:00.
            ("2026-11-16T03:00:00Z", both, PeriodEnd::AheadInPart),
            ("2026-11-15T10:00:00Z", both, PeriodEnd::NotBegun),
        ] {
            assert_eq!(end(now, ("2026-11-16", "2026-11-17"), zones), expected, "{now} {zones}");
        }
        // An instant is the same everywhere.
        let until_noon = ("2026-11-16", "2026-11-16T12:00:00Z");
        assert_eq!(end("2026-11-16T12:00:00Z", until_noon, both), PeriodEnd::Reached);
        assert_eq!(end("2026-11-16T10:59:00Z", until_noon, both), PeriodEnd::Ahead);
    }

    #[test]
    fn only_periods_of_equal_length_are_compared() {
        assert!(PeriodEnd::Reached.is_comparable() && PeriodEnd::Ahead.is_comparable());
        assert!(!PeriodEnd::AheadInPart.is_comparable());
    }
}
