//! The track of a machine as images, one for each width of the window.

use domain::{MachineId, Period, PeriodBound, Span, Timestamp};
use texts::console::machines as t;

use crate::address::Address;
use crate::frame::Frame;

/// The height of the image in pixels.
const HEIGHT: u32 = 320;
/// Minimum widths of the window, and the width of half a panel there, in pixels.
const WIDTHS: [(u32, u32); 6] =
    [(1_900, 795), (1_440, 575), (1_280, 495), (1_101, 405), (900, 650), (721, 470)];
const SMALLEST: u32 = 310;
/// The longest picked period whose track is drawn: a week, and a day because midnights differ between time zones.
const MAX_PERIOD: Span = Span::minutes(8 * 24 * 60);

/// The track of a machine. `machines/track.html` shows it as the field `track` of a page.
pub struct Track {
    /// The picked period, if it is short enough; otherwise the track is that of the last 24 hours.
    pub period: (Option<PeriodBound>, Option<PeriodBound>),
    pub heading: &'static str,
    pub sources: Vec<TrackSource>,
    pub smallest: TrackSource,
    pub height: u32,
    pub alt: &'static str,
}

pub struct TrackSource {
    pub media: String,
    pub src: String,
    pub width: u32,
}

impl Track {
    /// The track in the picked period, or in the last 24 hours if the period is longer than a week.
    pub fn new(frame: &Frame, machine: MachineId, period: Option<Period>) -> Self {
        let picked = short_period(period, frame.now);
        let source = |(window, width): (u32, u32)| TrackSource {
            media: format!("(min-width: {window}px)"),
            src: address(machine, picked, width),
            width,
        };
        Self {
            period: picked.map_or((None, None), |(from, to)| (Some(from), to)),
            heading: frame.text(if picked.is_some() { t::TRACK_OF_PERIOD } else { t::TRACK }),
            sources: WIDTHS.map(source).into(),
            smallest: source((0, SMALLEST)),
            height: HEIGHT,
            alt: frame.text(t::TRACK_ALT),
        }
    }
}

/// Returns the bounds of a period that is short enough to be drawn.
fn short_period(period: Option<Period>, now: Timestamp) -> Option<(PeriodBound, Option<PeriodBound>)> {
    let Period { from, to } = period?;
    let from = from?;
    let end = to.unwrap_or(PeriodBound::Instant(now));
    let length = end.midnight_or_instant() - from.midnight_or_instant();
    (!from.is_after(end) && length <= MAX_PERIOD).then_some((from, to))
}

/// The address without the pickers, because a longer period than that of the track would be refused.
fn address(machine: MachineId, picked: Option<(PeriodBound, Option<PeriodBound>)>, width: u32) -> String {
    let mut address = Address::new(&format!("/charts/track/{machine}"));
    if let Some((from, to)) = picked {
        address = address.and("from", &from.to_string());
        if let Some(to) = to {
            address = address.and("to", &to.to_string());
        }
    }
    address = address.and("theme", "auto").and("width", &width.to_string());
    address.and("height", &HEIGHT.to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;
    use crate::frame;

    #[test]
    fn a_week_is_drawn_and_longer_periods_are_not() {
        let frame = frame::sample(Language::English, "/machines/7");
        let track = |from: &str, to: Option<&str>| {
            let bound = |text: &str| PeriodBound::parse(text).unwrap();
            let period = Period { from: Some(bound(from)), to: to.map(bound) };
            Track::new(&frame, MachineId(7), Some(period)).smallest.src
        };
        let day = track("2026-02-20", Some("2026-02-21"));
        assert_eq!(day, "/charts/track/7?from=2026-02-20&to=2026-02-21&theme=auto&width=310&height=320");
        assert!(track("2026-02-23", None).contains("from=2026-02-23&theme"));
        let last_day = "/charts/track/7?theme=auto&width=310&height=320";
        for (from, to) in [("2026-01-01", Some("2026-02-01")), ("2026-02-02", Some("2026-02-01"))] {
            assert_eq!(track(from, to), last_day);
        }
        assert_eq!(Track::new(&frame, MachineId(7), Some(Period::default())).smallest.src, last_day);
    }
}
