//! Reads numbers as each language writes them, in digits and in words.

use texts::Language;

use crate::FactUnit;

/// A written number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numeral {
    pub value: f64,
    /// The unit of its last digit: 0.1 for a number with one decimal.
    pub step: f64,
    /// The unit, if the number has it within itself, as "half" and "1 min" have.
    pub unit: Option<FactUnit>,
}

impl Numeral {
    fn whole(&self) -> Option<u32> {
        let is_whole = self.unit.is_none() && self.step >= 1.0 && (0.0..10_000.0).contains(&self.value);
        is_whole.then_some(self.value as u32)
    }

    /// Returns the minutes since midnight, if it can be an hour of the clock.
    pub fn whole_hour(&self) -> Option<u32> {
        self.whole().filter(|hour| *hour <= 24).map(|hour| hour * 60)
    }

    pub fn day_of_month(&self) -> Option<i64> {
        self.whole().filter(|day| (1..=31).contains(day)).map(i64::from)
    }

    pub fn year(&self) -> Option<i64> {
        self.whole().filter(|year| (1_900..2_200).contains(year)).map(i64::from)
    }
}

/// Parses digits with the separators of a language; none if they are misplaced.
pub(super) fn parse(text: &str, language: Language) -> Option<Numeral> {
    let (thousands, decimal) = match language {
        Language::English => (',', '.'),
        Language::German => ('.', ','),
    };
    let (whole, decimals) = text.split_once(decimal).unwrap_or((text, ""));
    let groups: Vec<&str> = whole.split(thousands).collect();
    let is_grouped = match &groups[..] {
        [_] => true,
        [first, others @ ..] => (1..=3).contains(&first.len()) && others.iter().all(|group| group.len() == 3),
        [] => false,
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_grouped
        || !groups.iter().all(|group| is_digits(group))
        || !is_digits(decimals)
        || decimals.len() > 6
    {
        return None;
    }
    let value = format!("{}.{decimals}0", groups.concat()).parse().ok()?;
    let step = (0..decimals.len()).fold(1.0, |step: f64, _| step / 10.0);
    Some(Numeral { value, step, unit: None })
}

/// Parses a word for a number. A part of a longer number that is written in words has no value, so it equals nothing.
pub(super) fn parse_word(word: &str, language: Language) -> Option<Numeral> {
    let (words, parts): (&[NumberWord], &[&str]) = match language {
        Language::English => (&ENGLISH, &[]),
        Language::German => (&GERMAN, &GERMAN_PARTS),
    };
    let found = words.iter().find(|(known, ..)| *known == word);
    let of = |value: f64, unit| Numeral {
        value,
        step: if unit == Some(FactUnit::Times) { 0.1 } else { 1.0 },
        unit,
    };
    match found {
        Some((_, value, unit)) => Some(of(*value, *unit)),
        None => parts.iter().any(|part| word.contains(part)).then(|| of(f64::NAN, None)),
    }
}

/// A word, its value, and its unit if it has one.
type NumberWord = (&'static str, f64, Option<FactUnit>);

const PERCENT: Option<FactUnit> = Some(FactUnit::Percent);
const TIMES: Option<FactUnit> = Some(FactUnit::Times);

/// "One" and "second" have other meanings, too, but a sentence can do without them.
const ENGLISH: [NumberWord; 58] = [
    ("zero", 0.0, None),
    ("one", 1.0, None),
    ("once", 1.0, None),
    ("two", 2.0, None),
    ("three", 3.0, None),
    ("four", 4.0, None),
    ("five", 5.0, None),
    ("six", 6.0, None),
    ("seven", 7.0, None),
    ("eight", 8.0, None),
    ("nine", 9.0, None),
    ("ten", 10.0, None),
    ("eleven", 11.0, None),
    ("twelve", 12.0, None),
    ("thirteen", 13.0, None),
    ("fourteen", 14.0, None),
    ("fifteen", 15.0, None),
    ("sixteen", 16.0, None),
    ("seventeen", 17.0, None),
    ("eighteen", 18.0, None),
    ("nineteen", 19.0, None),
    ("twenty", 20.0, None),
    ("thirty", 30.0, None),
    ("forty", 40.0, None),
    ("fifty", 50.0, None),
    ("sixty", 60.0, None),
    ("seventy", 70.0, None),
    ("eighty", 80.0, None),
    ("ninety", 90.0, None),
    ("hundred", f64::NAN, None),
    ("hundreds", f64::NAN, None),
    ("thousand", f64::NAN, None),
    ("thousands", f64::NAN, None),
    ("million", f64::NAN, None),
    ("dozen", 12.0, None),
    ("dozens", f64::NAN, None),
    ("couple", 2.0, None),
    ("pair", 2.0, None),
    ("both", 2.0, None),
    ("half", 50.0, PERCENT),
    ("halved", 0.5, TIMES),
    ("third", 33.0, PERCENT),
    ("thirds", 67.0, PERCENT),
    ("quarter", 25.0, PERCENT),
    ("quarters", 75.0, PERCENT),
    ("fifth", 20.0, PERCENT),
    ("tenth", 10.0, PERCENT),
    ("twice", 2.0, TIMES),
    ("double", 2.0, TIMES),
    ("doubled", 2.0, TIMES),
    ("doubling", 2.0, TIMES),
    ("thrice", 3.0, TIMES),
    ("triple", 3.0, TIMES),
    ("tripled", 3.0, TIMES),
    ("tripling", 3.0, TIMES),
    ("quadrupled", 4.0, TIMES),
    ("tenfold", 10.0, TIMES),
    ("twofold", 2.0, TIMES),
];

/// "Ein" is also the article, so it is no number.
const GERMAN: [NumberWord; 43] = [
    ("null", 0.0, None),
    ("eins", 1.0, None),
    ("einmal", 1.0, None),
    ("zwei", 2.0, None),
    ("zweimal", 2.0, None),
    ("drei", 3.0, None),
    ("dreimal", 3.0, None),
    ("vier", 4.0, None),
    ("fünf", 5.0, None),
    ("sechs", 6.0, None),
    ("sieben", 7.0, None),
    ("acht", 8.0, None),
    ("neun", 9.0, None),
    ("zehn", 10.0, None),
    ("elf", 11.0, None),
    ("zwölf", 12.0, None),
    ("dreizehn", 13.0, None),
    ("vierzehn", 14.0, None),
    ("fünfzehn", 15.0, None),
    ("sechzehn", 16.0, None),
    ("siebzehn", 17.0, None),
    ("achtzehn", 18.0, None),
    ("neunzehn", 19.0, None),
    ("zwanzig", 20.0, None),
    ("dutzend", 12.0, None),
    ("beide", 2.0, None),
    ("beiden", 2.0, None),
    ("hälfte", 50.0, PERCENT),
    ("halb", 50.0, PERCENT),
    ("halbe", 50.0, PERCENT),
    ("halbiert", 0.5, TIMES),
    ("drittel", 33.0, PERCENT),
    ("viertel", 25.0, PERCENT),
    ("fünftel", 20.0, PERCENT),
    ("zehntel", 10.0, PERCENT),
    ("doppelt", 2.0, TIMES),
    ("doppelte", 2.0, TIMES),
    ("verdoppelt", 2.0, TIMES),
    ("verdoppelten", 2.0, TIMES),
    ("verdoppelung", 2.0, TIMES),
    ("dreifach", 3.0, TIMES),
    ("dreifache", 3.0, TIMES),
    ("verdreifacht", 3.0, TIMES),
];

/// German writes long numbers as one word.
const GERMAN_PARTS: [&str; 11] = [
    "hundert",
    "tausend",
    "million",
    "undzwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
];

/// Returns the length of a unit of time in seconds.
pub(super) fn unit_seconds(word: &str) -> Option<f64> {
    match word {
        "s" | "sec" | "second" | "seconds" | "sekunde" | "sekunden" => Some(1.0),
        "min" | "minute" | "minutes" | "minuten" => Some(60.0),
        "h" | "hour" | "hours" | "stunde" | "stunden" => Some(3_600.0),
        _ => None,
    }
}

/// Parses `07:00`.
pub(super) fn parse_clock(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let is_written = (1..=2).contains(&hours.len()) && minutes.len() == 2;
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (is_written && hours <= 24 && minutes < 60).then_some(hours * 60 + minutes)
}

/// Parses `2026-03-02`.
pub(super) fn parse_date(text: &str) -> Option<(i64, i64, i64)> {
    let mut parts = text.split('-');
    let mut part = |length: usize| parts.next().filter(|part| part.len() == length)?.parse::<i64>().ok();
    let found = (part(4)?, part(2)?, part(2)?);
    parts.next().is_none().then_some(found)
}

/// Returns the number of a day, so that days next to each other have numbers next to each other.
pub(super) fn day_number((year, month, day): (i64, i64, i64)) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_those_of_the_language() {
        let value = |text, language| parse(text, language).map(|number| (number.value, number.step));
        assert_eq!(value("1,234.5", Language::English), Some((1_234.5, 0.1)));
        assert_eq!(value("1.234,5", Language::German), Some((1_234.5, 0.1)));
        assert_eq!(value("1.234", Language::English), Some((1.234, 0.001)));
        assert_eq!(value("1.234", Language::German), Some((1_234.0, 1.0)));
        for bad in ["1,23", "12,34,567", ",5", "1.2.3", "1,2345"] {
            assert_eq!(value(bad, Language::English), None, "{bad}");
        }
        assert_eq!(value("12.5", Language::German), None);
    }

    #[test]
    fn days_are_counted_over_months_and_leap_years() {
        for (before, after) in [
            ((2026, 2, 28), (2026, 3, 1)),
            ((2024, 2, 28), (2024, 2, 29)),
            ((2025, 12, 31), (2026, 1, 1)),
            ((2026, 1, 31), (2026, 2, 1)),
        ] {
            assert_eq!(day_number(before) + 1, day_number(after));
        }
        assert_eq!(parse_date("2026-03-02"), Some((2026, 3, 2)));
        assert_eq!(parse_date("2026-3-2"), None);
        assert_eq!(parse_clock("07:30"), Some(450));
        assert_eq!(parse_clock("7:3"), None);
    }
}
