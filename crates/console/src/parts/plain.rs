//! What a file says in place of a text, for those who compute with it.

use domain::Timestamp;

/// A number or a time as programs read it, whatever the language of the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    pub text: String,
    /// In what it is counted. The head of the column has it.
    pub unit: Option<&'static str>,
}

impl Plain {
    /// A number with a decimal point, rounded to a millionth.
    pub fn number(value: f64, unit: Option<&'static str>) -> Self {
        if !value.is_finite() {
            return Self::nothing();
        }
        let written = format!("{value:.6}");
        let text = written.trim_end_matches('0').trim_end_matches('.');
        let text = if text == "-0" { "0" } else { text };
        Self { text: text.to_owned(), unit }
    }

    pub fn whole(value: i64) -> Self {
        Self { text: value.to_string(), unit: None }
    }

    /// A time in UTC, by RFC 3339; nothing if there is none.
    pub fn time(at: impl Into<Option<Timestamp>>) -> Self {
        let at: Option<Timestamp> = at.into();
        Self { text: at.map(|at| at.to_string()).unwrap_or_default(), unit: None }
    }

    /// An empty field, where a page says why there is no value.
    pub const fn nothing() -> Self {
        Self { text: String::new(), unit: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_read_numbers_and_times() {
        let number = |value| Plain::number(value, None).text;
        assert_eq!(number(1_283.0), "1283");
        assert_eq!(number(0.513_333_333), "0.513333");
        assert_eq!(number(-0.5), "-0.5");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(-0.000_000_1), "0");
        assert_eq!(number(f64::NAN), "");
        let at = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        assert_eq!(Plain::time(at).text, "2026-03-01T12:00:00Z");
        assert_eq!(Plain::time(None::<Timestamp>), Plain::nothing());
    }
}
