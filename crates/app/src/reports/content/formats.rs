//! Numbers, dates and changes as the reader of a report writes them.

use documents::{MetricChange, Tone, Trend};
use domain::insights::{Figure, Measure, Unit};
use domain::locale::Units;
use domain::preferences::Preferences;
use domain::{Day, LocalTime, PeriodBound, Span, TimeZone, Timestamp};
use texts::{Language, reports};

use crate::reports::thresholds::{MIN_CHANGE, MIN_INCURSIONS};

/// Shown in place of a value that there is none of.
pub(super) const NO_VALUE: &str = "–";

/// The direction in which a number is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    Less,
    More,
    Neither,
}

/// Two numbers of incursions that a change rests on.
pub(super) type Counts = (i64, i64);

#[derive(Clone, Copy, Debug)]
pub(super) struct Formats<'a> {
    pub language: Language,
    pub preferences: &'a Preferences,
}

impl Formats<'_> {
    pub fn count(self, number: i64) -> String {
        texts::integer(self.language, number)
    }

    pub fn unsigned(self, number: u64) -> String {
        self.count(i64::try_from(number).unwrap_or(i64::MAX))
    }

    pub fn decimal(self, number: f64, digits: usize) -> String {
        texts::decimal(self.language, number, digits)
    }

    /// Writes a part of a whole as a percentage.
    pub fn share(self, part: i64, whole: i64) -> String {
        match whole {
            0 => NO_VALUE.to_owned(),
            whole => self.ratio(part as f64 / whole as f64),
        }
    }

    /// Writes a ratio as a percentage.
    pub fn ratio(self, ratio: f64) -> String {
        texts::share(self.language, ratio)
    }

    pub fn hours(self, hours: f64) -> String {
        let digits = usize::from(hours < 99.95);
        format!("{}\u{a0}h", self.decimal(hours, digits))
    }

    /// Writes the value of a figure in the unit of its measure.
    pub fn value(self, measure: Measure, figure: Figure) -> String {
        figure.value(measure).map_or_else(|_| NO_VALUE.to_owned(), |value| self.number(measure, value))
    }

    pub fn number(self, measure: Measure, value: f64) -> String {
        match measure.unit() {
            Unit::Count => self.count(value.round() as i64),
            Unit::Ratio => self.ratio(value),
            Unit::Seconds => texts::seconds(self.language, value),
            Unit::Hours => self.hours(value),
            Unit::PerHour => self.decimal(value, if value < 0.0995 { 3 } else { 2 }),
        }
    }

    pub fn span(self, span: Span) -> String {
        texts::seconds(self.language, span.micros() as f64 / 1e6)
    }

    /// Writes a distance in metres or feet.
    pub fn distance(self, centimetres: i64) -> String {
        const FOOT_CM: f64 = 30.48;
        let centimetres = centimetres as f64;
        match self.preferences.units {
            Units::Metric => format!("{}\u{a0}m", self.decimal(centimetres / 100.0, 1)),
            Units::Imperial => format!("{}\u{a0}ft", self.decimal(centimetres / FOOT_CM, 1)),
        }
    }

    pub fn day(self, day: Day) -> String {
        self.preferences.date_format.format_day(day)
    }

    /// Writes a time to the minute, by a clock that is ahead of UTC by so many seconds.
    pub fn minute(self, at: Timestamp, offset_s: i32) -> String {
        let seconds = at.seconds() + i64::from(offset_s);
        let local = LocalTime { day: seconds.div_euclid(86_400), second_of_day: seconds.rem_euclid(86_400) };
        self.preferences.date_format.format_minute(local)
    }

    /// Writes a time to the minute with its zone, which is the only one of the report or else the reader's.
    pub fn minute_in(self, at: Timestamp, zones: &[TimeZone]) -> String {
        let zone = if let [zone] = zones { zone } else { &self.preferences.time_zone };
        format!("{} {zone}", self.preferences.date_format.format_minute(zone.local(at)))
    }

    /// Writes a period; the end of one that ends with a day is its last day. An empty one ends with its start, never on the day before.
    pub fn period(self, (from, to): (PeriodBound, PeriodBound), zones: &[TimeZone]) -> String {
        if let (PeriodBound::Day(day), PeriodBound::Day(end)) = (from, to)
            && end <= day
        {
            let values = [("period", self.day(day)), ("end", "00:00".to_owned())];
            let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
            return texts::charts::PERIOD_UNTIL.fill(self.language, &values);
        }
        let first = match from {
            PeriodBound::Day(day) => self.day(day),
            PeriodBound::Instant(at) => self.minute_in(at, zones),
        };
        let last = match to {
            PeriodBound::Day(day) => self.day(Day::from_number(day.number() - 1)),
            PeriodBound::Instant(at) => self.minute_in(at, zones),
        };
        if first == last {
            return first;
        }
        texts::documents::PERIOD.fill(self.language, &[("from", &first), ("to", &last)])
    }

    /// Writes a list with "and" before its last part.
    pub fn list(self, parts: &[String]) -> String {
        match parts {
            [] => NO_VALUE.to_owned(),
            [one] => one.clone(),
            [others @ .., last] => {
                reports::LIST.fill(self.language, &[("others", &others.join(", ")), ("last", last)])
            }
        }
    }

    /// Describes a change by its share, and judges it.
    pub fn change(
        self,
        (now, before): (f64, f64),
        (count_now, count_before): Counts,
        better: Better,
    ) -> Option<MetricChange> {
        if count_now.max(count_before) < MIN_INCURSIONS {
            let text = reports::TOO_FEW.get(self.language).to_owned();
            return Some(MetricChange { text, trend: Trend::Level, tone: Tone::Plain });
        }
        if before == 0.0 {
            return None;
        }
        let change = now / before - 1.0;
        Some(judge(texts::signed_percent(self.language, change, 0), change, better))
    }

    /// Describes a change of a ratio by its percentage points, and judges it like any other. A share of a share would be misread.
    pub fn change_of_ratio(
        self,
        (now, before): (f64, f64),
        counts: Counts,
        better: Better,
    ) -> Option<MetricChange> {
        let change = self.change((now, before), counts, better)?;
        if counts.0.max(counts.1) < MIN_INCURSIONS {
            return Some(change);
        }
        let points = 100.0 * (now - before);
        let points = texts::signed_decimal(self.language, points, usize::from(points.abs() < 9.95));
        Some(MetricChange { text: reports::POINTS.fill(self.language, &[("n", &points)]), ..change })
    }
}

fn judge(text: String, change: f64, better: Better) -> MetricChange {
    if change.abs() < MIN_CHANGE {
        return MetricChange { text, trend: Trend::Level, tone: Tone::Plain };
    }
    let trend = if change > 0.0 { Trend::Up } else { Trend::Down };
    let tone = match (trend, better) {
        (_, Better::Neither) | (Trend::Level, _) => Tone::Plain,
        (Trend::Down, Better::Less) | (Trend::Up, Better::More) => Tone::Good,
        (Trend::Up, Better::Less) | (Trend::Down, Better::More) => Tone::Danger,
    };
    MetricChange { text, trend, tone }
}

#[cfg(test)]
mod tests {
    use domain::locale::{DateFormat, Locale};
    use domain::preferences::{BrandDefaults, PreferenceOverrides};

    use super::*;

    fn preferences(units: Units) -> Preferences {
        let brand = BrandDefaults {
            language: Locale::parse("de").unwrap(),
            time_zone: TimeZone::utc(),
            date_format: DateFormat::DayMonthYear,
        };
        Preferences::resolve(
            PreferenceOverrides { units: Some(units), ..PreferenceOverrides::default() },
            brand,
        )
    }

    fn written([one, other]: [&str; 2]) -> (String, String) {
        (format!("{one}\u{a0}%"), format!("{other}\u{a0}%"))
    }

    #[test]
    fn numbers_have_the_form_of_the_reader() {
        let preferences = preferences(Units::Imperial);
        let german = Formats { language: Language::German, preferences: &preferences };
        assert_eq!(german.share(1, 3), "33\u{a0}%");
        assert_eq!(german.share(1, 30), "3,3\u{a0}%");
        assert_eq!(german.share(1, 0), NO_VALUE);
        assert_eq!((german.share(9_999, 10_000), german.share(3, 10_000)), written([">99,9", "<0,1"]));
        assert_eq!(german.distance(305), "10,0\u{a0}ft");
        assert_eq!(german.number(Measure::IncursionsPerRuntimeHour, 0.0123), "0,012");
        assert_eq!(german.value(Measure::RuntimeHours, Figure::default()), NO_VALUE);
        let cut = |text| PeriodBound::parse(text).unwrap();
        assert_eq!(german.period((cut("2026-02-01"), cut("2026-02-02")), &[]), "01/02/2026");
        assert_eq!(german.period((cut("2026-02-01"), cut("2026-02-01")), &[]), "01/02/2026, bis 00:00");
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!((german.list(&names).as_str(), german.list(&names[..1]).as_str()), ("a, b und c", "a"));
    }

    #[test]
    fn a_ratio_changes_by_points() {
        let preferences = preferences(Units::Metric);
        let formats = Formats { language: Language::English, preferences: &preferences };
        let text = |now, before| {
            formats.change_of_ratio((now, before), (20, 20), Better::More).map(|change| change.text)
        };
        assert_eq!(text(0.444, 0.5).unwrap(), "\u{2212}5.6\u{a0}points");
        assert_eq!(text(0.9, 0.5).unwrap(), "+40\u{a0}points");
        assert_eq!(text(0.5003, 0.5).unwrap(), "0.0\u{a0}points");
        assert_eq!(text(0.4997, 0.5).unwrap(), "0.0\u{a0}points");
        assert_eq!(text(0.9, 0.0), None);
    }

    #[test]
    fn a_change_is_judged_by_its_direction_and_size() {
        let preferences = preferences(Units::Metric);
        let formats = Formats { language: Language::English, preferences: &preferences };
        let judged = |now, before, counts, better| {
            formats.change((now, before), counts, better).map(|change| (change.trend, change.tone))
        };
        for (now, before, counts, better, expected) in [
            (30.0, 20.0, (30, 20), Better::Less, Some((Trend::Up, Tone::Danger))),
            (20.0, 30.0, (20, 30), Better::Less, Some((Trend::Down, Tone::Good))),
            (0.5, 0.9, (20, 30), Better::More, Some((Trend::Down, Tone::Danger))),
            (0.5, 0.9, (20, 30), Better::Neither, Some((Trend::Down, Tone::Plain))),
            (20.5, 20.0, (20, 20), Better::Less, Some((Trend::Level, Tone::Plain))),
            (9.0, 2.0, (9, 2), Better::Less, Some((Trend::Level, Tone::Plain))),
            (30.0, 0.0, (30, 0), Better::Less, None),
        ] {
            assert_eq!(judged(now, before, counts, better), expected, "{now} after {before}");
        }
    }
}
