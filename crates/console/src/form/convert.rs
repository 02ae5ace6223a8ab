//! From the texts that browsers send to the values that the readers of the API read.

use domain::{Day, Span, TimeZone, Timestamp};
use serde_json::{Number, Value};

use super::Form;

/// How a field of a form is read: browsers send only texts.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Trimmed; blank is null.
    Text,
    /// As it was sent, because blanks belong to a password; empty is null.
    Secret,
    /// As inputs for numbers send it in every language, with a point before decimals. Blank is null. What is not a number stays a text,
    /// which the reader refuses.
    Number,
    /// A checkbox: absent is false.
    Flag,
    /// A repeated field as an array of texts; absent is empty.
    List,
    /// A repeated field as an array of numbers; absent is empty.
    Numbers,
    /// JSON; blank is null. What is not JSON stays a text, which the reader refuses.
    Json,
    /// A local time such as `2026-03-01T08:00`, with its time zone in the field `<name>_zone`, as RFC 3339; blank is null.
    LocalTime,
}

impl Kind {
    /// Returns the value of a field, or none if the form does not have it.
    pub(super) fn convert(self, form: &Form, name: &str) -> Option<Value> {
        let texts = || form.values(name).into_iter().filter(|text| !text.trim().is_empty());
        match self {
            Self::Flag => Some(Value::Bool(form.value(name).is_some_and(|text| text != "false"))),
            Self::List => Some(texts().map(text).collect()),
            Self::Numbers => Some(texts().map(number).collect()),
            Self::Text => form.value(name).map(or_null(text)),
            Self::Secret => form.value(name).map(|given| match given {
                "" => Value::Null,
                _ => Value::String(given.to_owned()),
            }),
            Self::Number => form.value(name).map(or_null(number)),
            Self::Json => form.value(name).map(or_null(json)),
            Self::LocalTime => {
                let zone = form.value(&format!("{name}_zone"));
                form.value(name).map(or_null(|given| local_time(given, zone)))
            }
        }
    }
}

fn or_null(convert: impl FnOnce(&str) -> Value) -> impl FnOnce(&str) -> Value {
    |text| if text.trim().is_empty() { Value::Null } else { convert(text) }
}

fn text(text: &str) -> Value {
    Value::String(text.trim().to_owned())
}

fn number(given: &str) -> Value {
    let trimmed = given.trim();
    if let Ok(whole) = trimmed.parse::<i64>() {
        return Value::Number(whole.into());
    }
    let decimal = trimmed.parse::<f64>().ok().and_then(Number::from_f64);
    decimal.map_or_else(|| text(given), Value::Number)
}

fn json(given: &str) -> Value {
    serde_json::from_str(given).unwrap_or_else(|_| text(given))
}

fn local_time(given: &str, zone: Option<&str>) -> Value {
    let instant =
        zone.and_then(|zone| TimeZone::parse(zone).ok()).and_then(|zone| local_instant(given.trim(), &zone));
    instant.map_or_else(|| text(given), |at| Value::String(at.to_string()))
}

/// Returns the instant of a local time; of one that a change of the clocks skips, the instant after the change.
pub fn local_instant(local: &str, zone: &TimeZone) -> Option<Timestamp> {
    let (date, time) = local.split_once('T')?;
    let mut parts = time.split(':').map(str::parse::<i64>);
    let (hour, minute) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let second = match parts.next() {
        Some(second) => second.ok()?,
        None => 0,
    };
    if !((0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second)) {
        return None;
    }
    let as_utc = Day::parse(date).ok()?.midnight_utc() + Span::seconds((hour * 60 + minute) * 60 + second);
    let at_offset_of = |at: Timestamp| as_utc - Span::seconds(zone.offset_s(at).into());
    Some(at_offset_of(at_offset_of(as_utc)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_json_stay_texts_if_they_are_not() {
        assert_eq!(number(" 12 "), json!(12));
        assert_eq!(number("1.5"), json!(1.5));
        assert_eq!(number("1,000"), json!("1,000"));
        assert_eq!(number("12 m"), json!("12 m"));
        assert_eq!(json("{\"a\": 1}"), json!({ "a": 1 }));
        assert_eq!(json("{"), json!("{"));
    }

    #[test]
    fn local_times_follow_the_clocks_of_their_zone() {
        let at = |local, zone| local_time(local, Some(zone));
        assert_eq!(at("2026-01-15T08:00", "Europe/Berlin"), json!("2026-01-15T07:00:00Z"));
        assert_eq!(at("2026-07-15T08:00:30", "Europe/Berlin"), json!("2026-07-15T06:00:30Z"));
        assert_eq!(at("2026-03-29T01:30", "Europe/Berlin"), json!("2026-03-29T00:30:00Z"));
        assert_eq!(at("2026-03-29T03:30", "Europe/Berlin"), json!("2026-03-29T01:30:00Z"));
        assert_eq!(at("2026-03-01T24:00", "Europe/Berlin"), json!("2026-03-01T24:00"));
        assert_eq!(local_time("2026-03-01T08:00", None), json!("2026-03-01T08:00"));
    }
}
