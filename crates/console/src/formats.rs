//! Numbers, times and periods as the reader writes them.

use app::insights::{QueryResult, Totals};
use domain::insights::{Figure, Measure, Unit};
use domain::preferences::Preferences;
use domain::{Day, PeriodBound, TimeZone, Timestamp};
use texts::console::shell as t;
use texts::{Language, values};

use crate::parts::Plain;

/// Up to this many time zones are named.
const MAX_NAMED_ZONES: usize = 3;

/// How a reader writes numbers and times.
#[derive(Clone, Copy)]
pub struct Formats<'a> {
    pub language: Language,
    pub preferences: &'a Preferences,
    pub now: Timestamp,
}

/// A number as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The number with its unit; a dash if there is none.
    pub text: String,
    /// What it is a part of, such as `42,594 of 78,138`.
    pub of: Option<String>,
    /// Why there is none.
    pub reason: Option<String>,
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of years are far below 2^53")]
pub fn seconds_between(from: Timestamp, to: Timestamp) -> f64 {
    (to - from).micros() as f64 / 1_000_000.0
}

impl Shown {
    /// A number that needs no explanation.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), of: None, reason: None }
    }
}

/// How a number has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeMark {
    /// Such as `▲ 12.7 %`.
    pub text: String,
    pub tone: Tone,
    /// The same for those who hear it.
    pub spoken: String,
}

/// What a colour means. It is never the only sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
    Warning,
    Neutral,
}

impl Tone {
    /// Returns the class of the stylesheet.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Warning => "warn",
            Self::Neutral => "mut",
        }
    }
}

impl Formats<'_> {
    pub fn integer(&self, number: i64) -> String {
        texts::integer(self.language, number)
    }

    pub fn decimal(&self, number: f64, digits: usize) -> String {
        texts::decimal(self.language, number, digits)
    }

    /// Writes a part of a whole as a percentage.
    pub fn share(&self, ratio: f64) -> String {
        texts::share(self.language, ratio)
    }

    pub fn seconds(&self, seconds: f64) -> String {
        texts::seconds(self.language, seconds)
    }

    pub fn day(&self, day: Day) -> String {
        self.preferences.date_format.format_day(day)
    }

    /// Writes a time in a time zone that is named elsewhere.
    pub fn minute(&self, at: Timestamp, zone: &TimeZone) -> String {
        self.preferences.date_format.format_minute(zone.local(at))
    }

    /// Writes a time with the name of its time zone.
    pub fn instant(&self, at: Timestamp, zone: &TimeZone) -> String {
        format!("{} {zone}", self.minute(at, zone))
    }

    /// Writes a time in the reader's own time zone, with its name.
    pub fn own(&self, at: Timestamp) -> String {
        self.instant(at, &self.preferences.time_zone)
    }

    /// Writes how long ago it was. A time that is still to come is written as it is.
    pub fn ago(&self, at: Timestamp) -> String {
        let seconds = self.now.seconds() - at.seconds();
        let (text, number) = match seconds {
            ..-60 => return self.own(at),
            -60..60 => return t::JUST_NOW.get(self.language).to_owned(),
            60..3_600 => (t::MINUTES_AGO, seconds / 60),
            3_600..172_800 => (t::HOURS_AGO, seconds / 3_600),
            _ => (t::DAYS_AGO, seconds / 86_400),
        };
        text.of(self.language, number, &[])
    }

    /// Writes the period of a result and the time zones by which its days are counted.
    pub fn period(&self, result: &QueryResult) -> String {
        let zones = &result.time_zones;
        let place = if let [zone] = zones.as_slice() { zone } else { &self.preferences.time_zone };
        let from = self.bound(result.from, 0, place);
        // The end is exclusive, so that the last day shown is the one before it.
        let to = self.bound(result.to, 1, place);
        let period = if from == to { from } else { format!("{from} – {to}") };
        let named = match zones.len() {
            0 => return period,
            1..=MAX_NAMED_ZONES => zones.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            many => t::MANY_ZONES.of(self.language, i64::try_from(many).unwrap_or(i64::MAX), &[]),
        };
        format!("{period} · {named}")
    }

    fn bound(&self, bound: PeriodBound, days_before: i64, zone: &TimeZone) -> String {
        match bound {
            PeriodBound::Day(day) => self.day(Day::from_number(day.number() - days_before)),
            PeriodBound::Instant(at) => self.minute(at, zone),
        }
    }

    /// Writes a figure with what it is a part of, or says why there is none.
    pub fn figure(&self, measure: Measure, figure: Figure) -> Shown {
        let value = match figure.value(measure) {
            Ok(value) => value,
            Err(reason) => {
                let reason = values::reason(self.language, reason.as_str()).to_owned();
                return Shown { text: "–".to_owned(), of: None, reason: Some(reason) };
            }
        };
        let text = match measure.unit() {
            Unit::Count => self.decimal(value, 0),
            // Very small and very large shares are never written as nothing or everything.
            Unit::Ratio if (0.0005..0.9995).contains(&value) => texts::percent(self.language, value, 1),
            Unit::Ratio => self.share(value),
            // Minutes say little beside many hours.
            Unit::Seconds if value >= 36_000.0 => self.hours(value / 3_600.0),
            Unit::Seconds => self.seconds(value),
            Unit::Hours => self.hours(value),
            Unit::PerHour => self.decimal(value, 2),
        };
        Shown { text, of: self.whole(measure, figure), reason: None }
    }

    /// Writes a figure for programs: shares from 0 to 1, lengths in seconds. Nothing if there is none.
    pub fn plain(&self, measure: Measure, figure: Figure) -> Plain {
        let unit = match measure.unit() {
            Unit::Count => None,
            Unit::Ratio => Some("0–1"),
            Unit::Seconds => Some("s"),
            Unit::Hours => Some("h"),
            Unit::PerHour => Some("1/h"),
        };
        figure.value(measure).map_or_else(|_| Plain::nothing(), |value| Plain::number(value, unit))
    }

    /// Writes hours with a decimal where whole ones would say too little.
    pub fn hours(&self, hours: f64) -> String {
        format!("{}\u{a0}h", self.decimal(hours, usize::from(hours.abs() < 99.95)))
    }

    /// Returns what a figure is a part of.
    fn whole(&self, measure: Measure, figure: Figure) -> Option<String> {
        let whole = figure.denominator?;
        let number = self.integer(whole);
        Some(match measure {
            Measure::AcknowledgementRate => {
                let part = self.integer(figure.numerator.unwrap_or(0));
                t::PART_OF.fill(self.language, &[("part", &part), ("whole", &number)])
            }
            Measure::IncursionsPerRuntimeHour => {
                let part = self.integer(figure.numerator.unwrap_or(0));
                let hours = self.hours(figure.display_denominator(measure)?);
                t::IN_HOURS.fill(self.language, &[("part", &part), ("hours", &hours)])
            }
            Measure::AverageDuration | Measure::AverageAckTime => {
                t::MEAN_OF.fill(self.language, &[("whole", &number)])
            }
            Measure::MedianDuration | Measure::P95Duration | Measure::LongestDuration => {
                t::AMONG.fill(self.language, &[("whole", &number)])
            }
            _ => return None,
        })
    }

    /// Writes how a figure of totals has changed since the previous period, or that this is not known as long as that is being loaded.
    pub fn change_since(&self, totals: &Totals, measure: Measure) -> Option<ChangeMark> {
        if totals.awaits_history {
            let text = t::NOT_LOADED.get(self.language).to_owned();
            return Some(ChangeMark { spoken: text.clone(), text, tone: Tone::Neutral });
        }
        let (_, before) = totals.previous.as_ref()?;
        self.change(measure, totals.figures.of(measure), before.of(measure))
    }

    /// Writes how a figure has changed: in points for shares, in percent for all others. There is no change from nothing.
    pub fn change(&self, measure: Measure, now: Figure, before: Figure) -> Option<ChangeMark> {
        let (now, before) = (now.value(measure).ok()?, before.value(measure).ok()?);
        let (difference, size) = match measure.unit() {
            Unit::Ratio => {
                let points = (now - before) * 100.0;
                let size = self.decimal(points.abs(), 1);
                (points, t::POINTS.fill(self.language, &[("size", &size)]))
            }
            _ if before == 0.0 => return None,
            _ => {
                let ratio = (now - before) / before;
                (ratio * 100.0, texts::percent(self.language, ratio.abs(), 1))
            }
        };
        // What is rounded to zero has no direction.
        let (sign, spoken, is_more) = if difference.abs() < 0.05 {
            ("=", t::SPOKEN_SAME, None)
        } else if difference > 0.0 {
            ("▲", t::SPOKEN_UP, Some(true))
        } else {
            ("▼", t::SPOKEN_DOWN, Some(false))
        };
        let tone = match (is_more, is_more_worse(measure)) {
            (Some(is_more), Some(is_worse)) if is_more == is_worse => Tone::Bad,
            (Some(_), Some(_)) => Tone::Good,
            _ => Tone::Neutral,
        };
        let spoken = spoken.fill(self.language, &[("size", &size)]);
        Some(ChangeMark { text: format!("{sign}\u{a0}{size}"), tone, spoken })
    }
}

/// Whether a higher value means more danger; none for what is neither good nor bad.
const fn is_more_worse(measure: Measure) -> Option<bool> {
    match measure {
        Measure::Incursions
        | Measure::Unacknowledged
        | Measure::AverageDuration
        | Measure::Exposure
        | Measure::AverageAckTime
        | Measure::MedianDuration
        | Measure::P95Duration
        | Measure::LongestDuration
        | Measure::IncursionsPerRuntimeHour => Some(true),
        Measure::AcknowledgementRate => Some(false),
        Measure::Acknowledged
        | Measure::Machines
        | Measure::Pedestrians
        | Measure::Operators
        | Measure::RuntimeHours => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;

    fn figure(numerator: i64, denominator: Option<i64>) -> Figure {
        Figure { numerator: Some(numerator), denominator, incursions: 10 }
    }

    #[test]
    fn a_figure_has_its_denominator_or_its_reason() {
        let frame = frame::sample(Language::English, "/");
        let formats = frame.formats();
        let rate = formats.figure(Measure::AcknowledgementRate, figure(42_594, Some(78_138)));
        assert_eq!((rate.text.as_str(), rate.of.as_deref()), ("54.5\u{a0}%", Some("42,594 of 78,138")));
        let hours = formats.figure(Measure::IncursionsPerRuntimeHour, figure(30, Some(5_400_000)));
        assert_eq!((hours.text.as_str(), hours.of.as_deref()), ("20.00", Some("30 in 1.5\u{a0}h")));
        let none = formats.figure(Measure::AcknowledgementRate, Figure::default());
        assert_eq!((none.text.as_str(), none.reason.as_deref()), ("–", Some("no incursions")));
        assert_eq!(formats.figure(Measure::AcknowledgementRate, figure(10, Some(10))).text, "100\u{a0}%");
    }

    #[test]
    fn a_change_has_a_sign_and_its_meaning() {
        let frame = frame::sample(Language::German, "/");
        let change = |measure, now, before| frame.formats().change(measure, now, before);
        let more = change(Measure::Incursions, figure(115, None), figure(100, None)).unwrap();
        assert_eq!((more.text.as_str(), more.tone), ("▲\u{a0}15,0\u{a0}%", Tone::Bad));
        let rate = |part| figure(part, Some(1_000));
        let less = change(Measure::AcknowledgementRate, rate(545), rate(639)).unwrap();
        assert_eq!((less.text.as_str(), less.tone), ("▼\u{a0}9,4\u{a0}Punkte", Tone::Bad));
        let same = change(Measure::Incursions, figure(100, None), figure(100, None)).unwrap();
        assert_eq!((same.text.as_str(), same.tone), ("=\u{a0}0,0\u{a0}%", Tone::Neutral));
        assert_eq!(change(Measure::Incursions, figure(5, None), figure(0, None)), None);
    }

    #[test]
    fn times_that_are_over_are_written_by_their_distance() {
        let frame = frame::sample(Language::English, "/");
        let before = |seconds| frame.formats().ago(Timestamp::from_seconds(frame.now.seconds() - seconds));
        assert_eq!(before(5), "just now");
        assert_eq!(before(90), "1 minute ago");
        assert_eq!(before(7_300), "2 hours ago");
        assert_eq!(before(4 * 86_400), "4 days ago");
        assert_eq!(before(-3_600), "01/03/2026 13:00 UTC");
    }
}
