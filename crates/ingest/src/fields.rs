//! Reads the fields of one event. All faults are reported, and fields that the kind does not have are refused.

use std::borrow::Cow;

use domain::{Invalid, TimeWindow, Timestamp};

use crate::json::Json;

pub struct Fields<'a> {
    entries: Vec<(Cow<'a, str>, Json<'a>)>,
    /// One bit for each entry that was taken.
    taken_bits: u64,
    window: TimeWindow,
    faults: Vec<(Cow<'static, str>, Invalid)>,
}

/// The maximum number of fields of an event, limited by `taken_bits`. No kind has as many.
const MAX_FIELDS: usize = 64;

impl<'a> Fields<'a> {
    /// Takes the entries of an object. Duplicate fields are refused.
    pub fn new(entries: Vec<(Cow<'a, str>, Json<'a>)>, window: TimeWindow) -> Result<Self, Invalid> {
        if entries.len() > MAX_FIELDS {
            return Err(Invalid::new("unknown_field", "has too many fields"));
        }
        let twice = entries
            .iter()
            .enumerate()
            .find(|(index, (name, _))| entries[..*index].iter().any(|(before, _)| before == name));
        if let Some((_, (name, _))) = twice {
            return Err(Invalid::new("duplicate_field", format!("{}: is repeated", sanitized(name))));
        }
        Ok(Self { entries, taken_bits: 0, window, faults: Vec::new() })
    }

    /// Returns the value of a field, or `None` if it is missing or null.
    fn take(&mut self, name: &str) -> Option<Json<'a>> {
        let index = self.entries.iter().position(|(key, _)| key == name)?;
        self.taken_bits |= 1 << index;
        match std::mem::replace(&mut self.entries[index].1, Json::Null) {
            Json::Null => None,
            value => Some(value),
        }
    }

    /// Reads a field that may be missing or null.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(Json<'a>) -> Result<T, Invalid>,
    ) -> Option<T> {
        let value = self.take(name)?;
        match read(value) {
            Ok(value) => Some(value),
            Err(invalid) => {
                self.add_fault(name, invalid);
                None
            }
        }
    }

    /// Reads a field that is required.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(Json<'a>) -> Result<T, Invalid>,
    ) -> Option<T> {
        let Some(value) = self.take(name) else {
            self.add_fault(name, Invalid::new("required", "must be given"));
            return None;
        };
        match read(value) {
            Ok(value) => Some(value),
            Err(invalid) => {
                self.add_fault(name, invalid);
                None
            }
        }
    }

    /// Reads a required time, which must be within the window.
    pub fn required_time(&mut self, name: &'static str) -> Option<Timestamp> {
        let window = self.window;
        self.required(name, |value| time(&value, window))
    }

    /// Reads an optional time, which must be within the window.
    pub fn optional_time(&mut self, name: &'static str) -> Option<Timestamp> {
        let window = self.window;
        self.optional(name, |value| time(&value, window))
    }

    /// Returns the range of times that the event may carry.
    pub fn window(&self) -> TimeWindow {
        self.window
    }

    pub fn add_fault(&mut self, name: impl Into<Cow<'static, str>>, invalid: Invalid) {
        self.faults.push((name.into(), invalid));
    }

    /// Returns the value if there were no faults and no unknown fields.
    pub fn finish<T>(mut self, value: Option<T>) -> Result<T, Invalid> {
        for (index, (name, _)) in self.entries.iter().enumerate() {
            if self.taken_bits & (1 << index) == 0 {
                let invalid = Invalid::new("unknown_field", "is not a field of this kind of event");
                self.faults.push((sanitized(name).into(), invalid));
            }
        }
        match (value, self.faults.as_slice()) {
            (Some(value), []) => Ok(value),
            (_, []) => Err(Invalid::new("required", "is incomplete")),
            (_, [(_, first), ..]) => {
                let all: Vec<String> = self
                    .faults
                    .iter()
                    .map(|(name, invalid)| format!("{name}: {}", invalid.message))
                    .collect();
                Err(Invalid::new(first.code, all.join("; ")))
            }
        }
    }
}

/// Shortens and cleans a field name, so that it can be quoted in a response.
fn sanitized(name: &str) -> String {
    name.chars().take(64).map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn wrong_type(expected: &'static str) -> Invalid {
    Invalid::new("wrong_type", format!("must be {expected}"))
}

pub fn text<'a, T>(
    read: impl FnOnce(&str) -> Result<T, Invalid>,
) -> impl FnOnce(Json<'a>) -> Result<T, Invalid> {
    move |value| match value {
        Json::Text(text) => read(&text),
        _ => Err(wrong_type("text")),
    }
}

/// Reads an integer.
pub fn integer(value: &Json<'_>) -> Result<i64, Invalid> {
    match value {
        Json::Int(number) => Ok(*number),
        // Some programs have no integers and write 5 as 5.0.
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        Json::Float(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => {
            Ok(*number as i64)
        }
        _ => Err(wrong_type("a whole number")),
    }
}

/// Reads an integer within a range.
pub fn integer_within<'a>(min: i64, max: i64) -> impl FnOnce(Json<'a>) -> Result<i64, Invalid> {
    move |value| {
        let number = integer(&value)?;
        if (min..=max).contains(&number) {
            return Ok(number);
        }
        Err(Invalid::new("out_of_range", format!("must be from {min} to {max}")))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number beyond 2^53 is out of range for every field")]
pub fn number(value: &Json<'_>) -> Result<f64, Invalid> {
    match value {
        Json::Int(number) => Ok(*number as f64),
        Json::Float(number) => Ok(*number),
        _ => Err(wrong_type("a number")),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "readers of fields take the value")]
pub fn boolean(value: Json<'_>) -> Result<bool, Invalid> {
    match value {
        Json::Bool(value) => Ok(value),
        _ => Err(wrong_type("true or false")),
    }
}

/// Reads a time within a window.
pub fn time(value: &Json<'_>, window: TimeWindow) -> Result<Timestamp, Invalid> {
    match value {
        Json::Text(text) => window.check(Timestamp::parse(text)?),
        _ => Err(wrong_type("an RFC 3339 time")),
    }
}

/// Reads a list of at most `max_items` entries.
pub fn list<'a, T>(
    max_items: usize,
    read: impl Fn(Json<'a>) -> Result<T, Invalid>,
) -> impl FnOnce(Json<'a>) -> Result<Vec<T>, Invalid> {
    move |value| {
        let Json::List(all) = value else { return Err(wrong_type("a list")) };
        if all.len() > max_items {
            return Err(Invalid::new("too_many", format!("must have at most {max_items} entries")));
        }
        let entry = |(index, value)| {
            read(value)
                .map_err(|invalid| Invalid::new(invalid.code, format!("entry {index}: {}", invalid.message)))
        };
        all.into_iter().enumerate().map(entry).collect()
    }
}
