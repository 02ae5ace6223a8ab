//! Numbers as people write them. Units and percent signs stand behind a space at which a line does not break.

use crate::Language;

/// A space at which a line does not break.
const SPACE: char = '\u{a0}';
const MINUS: char = '\u{2212}';

impl Language {
    /// Returns the separator of thousands and the decimal separator.
    pub const fn separators(self) -> (char, char) {
        match self {
            Self::English => (',', '.'),
            Self::German => ('.', ','),
        }
    }
}

/// Writes a whole number: `1,234` or `1.234`.
pub fn integer(language: Language, number: i64) -> String {
    let mut text = String::new();
    if number < 0 {
        text.push(MINUS);
    }
    push_grouped(&mut text, language, &number.unsigned_abs().to_string());
    text
}

/// Writes a number with that many decimals: `1,234.50` or `1.234,50`; a dash if it is not finite. Halves are rounded away from zero, as
/// readers and spreadsheets do.
pub fn decimal(language: Language, number: f64, digits: usize) -> String {
    if !number.is_finite() {
        return "–".to_owned();
    }
    let written = format!("{:.digits$}", round_half_up(number.abs(), digits));
    let (whole, decimals) = written.split_once('.').unwrap_or((&written, ""));
    let mut text = String::new();
    // A number that is rounded to zero has no sign.
    if number < 0.0 && written.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        text.push(MINUS);
    }
    push_grouped(&mut text, language, whole);
    if !decimals.is_empty() {
        text.push(language.separators().1);
        text.push_str(decimals);
    }
    text
}

/// Writes a number with all of its decimals: `1,000,000` or `0.01`.
pub fn exact(language: Language, number: f64) -> String {
    let written = number.to_string();
    let digits = written.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    decimal(language, number, digits)
}

/// Reads a number as people of a language write it, with or without separators of thousands: `1,234.5` in English, `1.234,5` in German.
/// None for all else: what one language takes for thousands, another one takes for decimals, so that a guess may be wrong by a thousand.
/// For the same reason, three zeros behind a decimal separator are refused, `1.000` hardly means one; and a zero before a separator of
/// thousands: `0.125` is no German number.
pub fn parse_decimal(language: Language, text: &str) -> Option<f64> {
    let (thousands, point) = language.separators();
    let text = text.trim();
    let (whole, decimals) = match text.split_once(point) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (text, None),
    };
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split([thousands, SPACE, '\u{202f}', ' ']);
    let first = groups.next().filter(|first| are_digits(first))?;
    let rest: Vec<&str> = groups.collect();
    let is_grouped = rest.iter().all(|group| group.len() == 3 && are_digits(group));
    let is_no_group = first.len() > 3 || first.starts_with('0');
    if !is_grouped || (!rest.is_empty() && is_no_group) {
        return None;
    }
    if decimals.is_some_and(|decimals| !are_digits(decimals) || decimals == "000") {
        return None;
    }
    let plain = format!("{first}{}.{}", rest.concat(), decimals.unwrap_or("0"));
    plain.parse().ok()
}

/// Rounds a number that is not negative to that many decimals.
fn round_half_up(number: f64, digits: usize) -> f64 {
    /// 57 of 200 is half a percent more than 28 %, but in binary slightly less than that.
    const NEARLY_HALF: f64 = 1.0 + 4.0 * f64::EPSILON;
    let factor = i32::try_from(digits).map_or(f64::INFINITY, |digits| 10_f64.powi(digits));
    let scaled = number * factor * NEARLY_HALF;
    // Beyond that, numbers have no decimals to round.
    if scaled < 1e15 { scaled.round() / factor } else { number }
}

/// Writes a number with its sign, unless it is rounded to zero: `+1.5`, `−1.5`, `0.0`.
pub fn signed_decimal(language: Language, number: f64, digits: usize) -> String {
    with_sign(decimal(language, number, digits), number)
}

fn with_sign(written: String, number: f64) -> String {
    let is_positive = number > 0.0 && written.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if is_positive { format!("+{written}") } else { written }
}

/// Writes a part of a whole as a percentage, with a decimal where whole percents would say too little: `44 %`, `3.3 %`, `99.6 %`. Something
/// is never written as nothing, nor almost everything as everything: `<0.1 %`, `>99.9 %`.
pub fn share(language: Language, ratio: f64) -> String {
    let few = (ratio > 0.0 && ratio < 0.0005).then(|| ('<', percent(language, 0.001, 1)));
    let nearly_all = (0.9995..1.0).contains(&ratio).then(|| ('>', percent(language, 0.999, 1)));
    if let Some((sign, limit)) = few.or(nearly_all) {
        return format!("{sign}{limit}");
    }
    let is_small = ratio > 0.0 && ratio < 0.0995;
    percent(language, ratio, usize::from(is_small || (0.995..1.0).contains(&ratio)))
}

/// Writes a ratio as a percentage: 0.125 is `12.5 %`.
pub fn percent(language: Language, ratio: f64, digits: usize) -> String {
    format!("{}{SPACE}%", decimal(language, ratio * 100.0, digits))
}

/// Writes a change as a percentage with its sign: `+12 %`, `−12 %`, `0 %`.
pub fn signed_percent(language: Language, ratio: f64, digits: usize) -> String {
    with_sign(percent(language, ratio, digits), ratio)
}

/// Writes a duration in the two units that matter: `4.5 s`, `1 min 20 s`, `2 h 5 min`.
pub fn seconds(language: Language, seconds: f64) -> String {
    if !seconds.is_finite() {
        return "–".to_owned();
    }
    let sign = if seconds <= -0.05 { MINUS.to_string() } else { String::new() };
    let magnitude = seconds.abs();
    if magnitude < 9.95 {
        let is_whole = (magnitude * 10.0).round() % 10.0 == 0.0;
        return format!("{sign}{}{SPACE}s", decimal(language, magnitude, usize::from(!is_whole)));
    }
    let amount = |number: i64, unit: &str| format!("{}{SPACE}{unit}", integer(language, number));
    // Beyond the range of whole numbers the cast stays at its end.
    let whole = magnitude.round() as i64;
    let minutes = (magnitude / 60.0).round() as i64;
    let (first, second) = match (whole, minutes) {
        (..60, _) => (amount(whole, "s"), None),
        (..3_600, _) => (amount(whole / 60, "min"), Some((whole % 60, "s"))),
        _ => (amount(minutes / 60, "h"), Some((minutes % 60, "min"))),
    };
    match second.filter(|(number, _)| *number > 0) {
        Some((number, unit)) => format!("{sign}{first} {}", amount(number, unit)),
        None => format!("{sign}{first}"),
    }
}

/// Adds digits with a separator between thousands.
fn push_grouped(text: &mut String, language: Language, digits: &str) {
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(language.separators().0);
        }
        text.push(digit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{English, German};

    #[test]
    fn thousands_and_decimals_have_the_separators_of_the_language() {
        assert_eq!(integer(English, 1_234_567), "1,234,567");
        assert_eq!(integer(German, -1_234), "−1.234");
        assert_eq!(integer(English, i64::MIN), "−9,223,372,036,854,775,808");
        assert_eq!(decimal(English, 1_234.5, 2), "1,234.50");
        assert_eq!(decimal(German, 1_234.5, 1), "1.234,5");
        assert_eq!(decimal(German, -0.04, 1), "0,0");
        assert_eq!(decimal(English, f64::NAN, 1), "–");
    }

    #[test]
    fn numbers_are_read_as_their_language_writes_them() {
        for (english, german, expected) in [
            ("1,000", "1.000", 1_000.0),
            (" 1000 ", "1000", 1_000.0),
            ("1\u{a0}000", "1 000", 1_000.0),
            ("1,234,567.5", "1.234.567,5", 1_234_567.5),
            ("0.6", "0,6", 0.6),
            ("1.25", "1,25", 1.25),
            ("0.125", "0,125", 0.125),
            ("0", "0", 0.0),
            ("007", "007", 7.0),
        ] {
            assert_eq!(parse_decimal(English, english), Some(expected), "{english}");
            assert_eq!(parse_decimal(German, german), Some(expected), "{german}");
        }
        for text in [
            "", "many", "1.000", "1,5", "1,00", "1000,000", "1,000,00", ",5", ".5", "5.", "1.2.3", "1,,000",
            "1e3", "0,125", "00,125", "0,500", "012,500", "0 125", "0,000.5",
        ] {
            assert_eq!(parse_decimal(English, text), None, "{text}");
        }
        for text in ["0.6", "1,000", "1.00", "12.5", "0.125", "00.125", "0.500", "0.001", "0.125,5"] {
            assert_eq!(parse_decimal(German, text), None, "{text}");
        }
    }

    #[test]
    fn what_is_exact_is_not_rounded() {
        assert_eq!(exact(English, 1_000_000.0), "1,000,000");
        assert_eq!(exact(German, 0.001), "0,001");
        assert_eq!(exact(German, 0.0), "0");
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (number, digits, expected) in [
            (2.5, 0, "3"),
            (-2.5, 0, "−3"),
            (12.5, 0, "13"),
            (37.5, 0, "38"),
            (2.499, 0, "2"),
            // In binary, these are slightly less than they are written.
            (57.0 / 200.0 * 100.0, 0, "29"),
            (1.005, 2, "1.01"),
            (12.45, 1, "12.5"),
            (0.05, 1, "0.1"),
            (9.95, 1, "10.0"),
            (1e15, 0, "1,000,000,000,000,000"),
        ] {
            assert_eq!(decimal(English, number, digits), expected, "{number}");
        }
        assert_eq!(percent(English, 1.0 / 8.0, 0), "13\u{a0}%");
        assert_eq!(percent(German, 3.0 / 8.0, 0), "38\u{a0}%");
    }

    #[test]
    fn a_share_is_never_written_as_nothing_or_everything_if_it_is_not() {
        for (part, whole, expected) in [
            (0, 10_000, "0 %"),
            (3, 10_000, "<0.1 %"),
            (5, 10_000, "0.1 %"),
            (9, 1_000, "0.9 %"),
            (994, 10_000, "9.9 %"),
            (995, 10_000, "10 %"),
            (57, 200, "29 %"),
            (9_949, 10_000, "99 %"),
            (9_950, 10_000, "99.5 %"),
            (9_994, 10_000, "99.9 %"),
            (9_995, 10_000, ">99.9 %"),
            (9_999, 10_000, ">99.9 %"),
            (10_000, 10_000, "100 %"),
        ] {
            let written = share(English, f64::from(part) / f64::from(whole));
            assert_eq!(written.replace(SPACE, " "), expected, "{part} of {whole}");
        }
        assert_eq!(share(German, 0.0003), "<0,1\u{a0}%");
        assert_eq!(share(English, f64::NAN), "–\u{a0}%");
    }

    #[test]
    fn a_change_that_is_rounded_to_zero_has_no_sign() {
        assert_eq!(signed_decimal(English, 0.03, 1), "0.0");
        assert_eq!(signed_decimal(English, -0.03, 1), "0.0");
        assert_eq!(signed_decimal(English, 0.05, 1), "+0.1");
        assert_eq!(signed_decimal(German, -5.64, 1), "−5,6");
    }

    #[test]
    fn percentages_have_a_space_and_changes_a_sign() {
        assert_eq!(percent(English, 0.125, 1), "12.5\u{a0}%");
        assert_eq!(percent(German, 0.125, 1), "12,5\u{a0}%");
        assert_eq!(signed_percent(English, 0.12, 0), "+12\u{a0}%");
        assert_eq!(signed_percent(German, -0.125, 1), "−12,5\u{a0}%");
        assert_eq!(signed_percent(English, 0.001, 0), "0\u{a0}%");
        assert_eq!(signed_percent(English, -0.001, 0), "0\u{a0}%");
    }

    #[test]
    fn durations_have_the_two_units_that_matter() {
        for (given, english) in [
            (0.0, "0 s"),
            (4.0, "4 s"),
            (4.46, "4.5 s"),
            (9.96, "10 s"),
            (59.4, "59 s"),
            (59.6, "1 min"),
            (80.0, "1 min 20 s"),
            (3_599.6, "1 h"),
            (7_500.0, "2 h 5 min"),
            (7_170.0, "2 h"),
            (3_600_000.0, "1,000 h"),
            (-80.0, "−1 min 20 s"),
            (f64::INFINITY, "–"),
        ] {
            assert_eq!(seconds(English, given).replace(SPACE, " "), english, "{given}");
        }
        assert_eq!(seconds(German, 4.46), "4,5\u{a0}s");
        assert_eq!(seconds(German, 3_600_000.0), "1.000\u{a0}h");
    }
}
