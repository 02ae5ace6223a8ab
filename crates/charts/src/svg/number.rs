//! Formatting of numbers: for people with at most two decimals and grouped thousands, for SVG short and always finite.

/// The separator of thousands where no language is chosen: narrow and without a line break.
const THIN_SPACE: char = '\u{2009}';

/// Larger numbers are not measurements, and their sums would lose whole units.
pub(crate) const MAX_MAGNITUDE: f64 = 1e12;

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumberFormat {
    /// The separator of thousands.
    pub thousands: char,
    /// The decimal separator.
    pub decimal: char,
}

impl Default for NumberFormat {
    fn default() -> Self {
        Self { thousands: THIN_SPACE, decimal: '.' }
    }
}

impl NumberFormat {
    /// Formats a number for people with at most two decimals: `1 234.5`. A positive number too small to show is `<0.01`, not zero.
    pub(crate) fn number(self, value: f64) -> String {
        if !value.is_finite() {
            return "–".to_owned();
        }
        let decimal = self.decimal;
        let magnitude = value.abs();
        let sign = if value < 0.0 { "−" } else { "" };
        if magnitude > 0.0 && magnitude < 0.005 {
            return if value < 0.0 { format!(">−0{decimal}01") } else { format!("<0{decimal}01") };
        }
        if magnitude >= 1e15 {
            return format!("{sign}{magnitude:.1e}").replace('.', &decimal.to_string());
        }
        let text = format!("{magnitude:.2}");
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let decimals = decimals.trim_end_matches('0');
        let mut written = String::from(sign);
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                written.push(self.thousands);
            }
            written.push(digit);
        }
        if !decimals.is_empty() {
            written.push(decimal);
            written.push_str(decimals);
        }
        written
    }

    /// Formats a count.
    pub(crate) fn count(self, count: usize) -> String {
        self.number(count as f64)
    }

    /// Formats a number in about five characters, for tight spaces: `1.2k`, `34M`.
    pub(crate) fn compact(self, value: f64) -> String {
        let (divisor, suffix) = compact_unit(value);
        let rounded = round_scaled(value, divisor);
        if rounded == 0.0 && value != 0.0 {
            return self.number(value);
        }
        format!("{}{suffix}", self.number(rounded))
    }

    /// Formats a share from 0 to 1 as a percentage.
    pub(crate) fn percent(self, share: f64) -> String {
        let value = share * 100.0;
        let rounded = if value.abs() < 10.0 { (value * 10.0).round() / 10.0 } else { value.round() };
        format!("{}{THIN_SPACE}%", self.number(rounded))
    }
}

/// Rounds a number to what [`NumberFormat::compact`] shows of it.
pub(crate) fn round_compact(value: f64) -> f64 {
    let (divisor, _) = compact_unit(value);
    let rounded = round_scaled(value, divisor) * divisor;
    if rounded == 0.0 { value } else { rounded }
}

/// Returns what a compact number is divided by, and the letter for it.
fn compact_unit(value: f64) -> (f64, &'static str) {
    match value.abs() {
        m if m < 999.5 => (1.0, ""),
        m if m < 999_500.0 => (1e3, "k"),
        m if m < 999_500_000.0 => (1e6, "M"),
        _ => (1e9, "G"),
    }
}

fn round_scaled(value: f64, divisor: f64) -> f64 {
    let scaled = value / divisor;
    let step = match scaled.abs() {
        s if s >= 10.0 => 1.0,
        s if s >= 1.0 || divisor > 1.0 => 10.0,
        _ => 100.0,
    };
    (scaled * step).round() / step
}

/// Formats a coordinate or length for SVG: at most two decimals, no negative zero, always a finite number.
pub(crate) fn format_coordinate(value: f64) -> String {
    let bounded = if value.is_finite() { value.clamp(-1e6, 1e6) } else { 0.0 };
    let rounded = (bounded * 100.0).round() / 100.0;
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: NumberFormat = NumberFormat { thousands: THIN_SPACE, decimal: '.' };
    const GERMAN: NumberFormat = NumberFormat { thousands: '.', decimal: ',' };

    #[test]
    fn numbers_have_thin_thousands_and_at_most_two_decimals() {
        assert_eq!(ENGLISH.number(0.0), "0");
        assert_eq!(ENGLISH.number(12.0), "12");
        assert_eq!(ENGLISH.number(12.345), "12.35");
        assert_eq!(ENGLISH.number(1234.5), "1\u{2009}234.5");
        assert_eq!(ENGLISH.number(-1_234_567.0), "−1\u{2009}234\u{2009}567");
        assert_eq!(ENGLISH.number(0.001), "<0.01");
        assert_eq!(ENGLISH.number(f64::NAN), "–");
        assert_eq!(ENGLISH.number(f64::MAX), "1.8e308");
    }

    #[test]
    fn the_decimal_separator_is_that_of_the_reader() {
        assert_eq!(NumberFormat::default(), ENGLISH);
        assert_eq!(GERMAN.number(1234.5), "1.234,5");
        assert_eq!(GERMAN.number(0.001), "<0,01");
        assert_eq!(GERMAN.number(f64::MAX), "1,8e308");
        assert_eq!(GERMAN.compact(1234.0), "1,2k");
        assert_eq!(GERMAN.percent(0.055), "5,5\u{2009}%");
    }

    #[test]
    fn compact_numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (7.0, "7"),
            (0.25, "0.25"),
            (3.24, "3.2"),
            (86.4, "86"),
            (999.7, "1k"),
            (1234.0, "1.2k"),
            (56_000_000.0, "56M"),
        ] {
            assert_eq!(ENGLISH.compact(value), text);
            assert_eq!(ENGLISH.compact(round_compact(value)), text);
        }
        assert_eq!((round_compact(53.2), round_compact(1234.0), round_compact(0.001)), (53.0, 1200.0, 0.001));
    }

    #[test]
    fn coordinates_are_always_numbers() {
        assert_eq!(format_coordinate(-0.001), "0");
        assert_eq!(format_coordinate(1.005), "1");
        assert_eq!(format_coordinate(10.5), "10.5");
        assert_eq!(format_coordinate(f64::NAN), "0");
        assert_eq!(format_coordinate(f64::INFINITY), "0");
    }
}
