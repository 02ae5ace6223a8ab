//! What is said of reports, of schedules and of written site reports alike: states, periods, formats, sizes, authors.

use domain::access::ManageBrand;
use domain::{Actor, Day, PeriodBound, Report, ReportState};
use texts::console::reports as t;

use crate::frame::Frame;
use crate::parts::{Badge, Cell, Shown, Tone};

pub fn state_text(frame: &Frame, state: ReportState, percent: i64) -> String {
    match state {
        ReportState::Queued => frame.text(t::STATE_QUEUED).to_owned(),
        ReportState::Running => {
            frame.fill(t::STATE_RUNNING, &[("percent", &frame.formats().integer(percent))])
        }
        ReportState::Ready => frame.text(t::STATE_READY).to_owned(),
        ReportState::Failed => frame.text(t::STATE_FAILED).to_owned(),
        ReportState::Expired => frame.text(t::STATE_EXPIRED).to_owned(),
    }
}

pub fn state_badge(frame: &Frame, state: ReportState, percent: i64) -> Badge {
    let (sign, tone) = match state {
        ReportState::Queued | ReportState::Running => ("○", Tone::Neutral),
        ReportState::Ready => ("✓", Tone::Good),
        ReportState::Failed => ("✕", Tone::Bad),
        ReportState::Expired => ("–", Tone::Neutral),
    };
    Badge { word: state_text(frame, state, percent), sign, tone }
}

/// The state as a cell of a list: a bar while it is being made, otherwise a word with its reason.
pub fn state_cell(frame: &Frame, state: ReportState, percent: i64, reason: Option<&str>) -> Cell {
    if state == ReportState::Running {
        let done = u8::try_from(percent).map_or(0.0, f64::from);
        return Cell::bar(&Shown::plain(state_text(frame, state, percent)), done, 100.0, None);
    }
    let cell = Cell::badge(state_badge(frame, state, percent));
    match reason {
        Some(reason) => cell.note(reason),
        None => cell,
    }
}

/// Writes a period, whose end is exclusive: the last day is the one before it.
pub fn period(frame: &Frame, from: &str, to: &str) -> String {
    let bound = |text: &str, days_before: i64| match PeriodBound::parse(text) {
        Ok(PeriodBound::Day(day)) => frame.formats().day(Day::from_number(day.number() - days_before)),
        Ok(PeriodBound::Instant(at)) => frame.formats().own(at),
        Err(_) => text.to_owned(),
    };
    frame.fill(t::DAYS, &[("from", &bound(from, 0)), ("to", &bound(to, 1))])
}

/// Writes the size of a file.
pub fn size(frame: &Frame, bytes: i64) -> String {
    let kilobytes = u32::try_from(bytes / 100).map_or(f64::from(u32::MAX), f64::from) / 10.0;
    let (number, unit) = if kilobytes < 1_000.0 { (kilobytes, "kB") } else { (kilobytes / 1_000.0, "MB") };
    format!("{}\u{a0}{unit}", frame.formats().decimal(number, 1))
}

/// Whether the reader may delete what this author has ordered, or have it made again.
pub fn may_change(frame: &Frame, author: &Actor) -> bool {
    let is_author = frame.identity().is_some_and(|identity| author.id == Some(identity.user.0));
    is_author || frame.may::<ManageBrand>()
}

/// Whether files can be downloaded. A report that is being made again has its files until there are new ones.
pub fn has_files(report: &Report) -> bool {
    match report.state {
        ReportState::Ready => true,
        ReportState::Queued | ReportState::Running => report.content.is_some(),
        ReportState::Failed | ReportState::Expired => false,
    }
}

/// Reads the stored list of time zones.
pub fn zones(list: Option<&str>) -> Option<String> {
    let zones: Vec<String> = serde_json::from_str(list?).ok()?;
    (!zones.is_empty()).then(|| zones.join(", "))
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn the_last_day_of_a_period_is_the_one_before_its_end() {
        let frame = crate::frame::sample(Language::English, "/reports");
        assert_eq!(period(&frame, "2026-02-01", "2026-03-01"), "01/02/2026 to 28/02/2026");
        assert_eq!(
            period(&frame, "2026-02-01", "2026-03-01T08:00:00Z"),
            "01/02/2026 to 01/03/2026 08:00 UTC"
        );
    }

    #[test]
    fn sizes_and_zones_are_written_for_people() {
        let frame = crate::frame::sample(Language::German, "/reports");
        assert_eq!(size(&frame, 184_320), "184,3\u{a0}kB");
        assert_eq!(size(&frame, 2_500_000), "2,5\u{a0}MB");
        assert_eq!(zones(Some("[\"Europe/Berlin\",\"UTC\"]")).as_deref(), Some("Europe/Berlin, UTC"));
        assert_eq!(zones(Some("[]")), None);
    }
}
