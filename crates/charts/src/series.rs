//! Values over time, with reasons for missing ones.

use crate::calendar::LocalTime;
use crate::svg::number::MAX_MAGNITUDE;
use crate::svg::style::Tone;
use crate::svg::text::clean;

/// A value, or the reason why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A measured number. One that is not finite or implausibly large is drawn as a gap.
    Number(f64),
    /// No value; the reason may be empty.
    Gap(String),
}

impl Value {
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) if value.is_finite() && value.abs() <= MAX_MAGNITUDE => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Gap(reason) => Some(reason),
            Self::Number(_) => None,
        }
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

/// A value with the start of its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The start of its interval, in local time.
    pub at: LocalTime,
    pub value: Value,
    /// Whether the interval is not complete, such as a day that has not ended; it is hatched.
    pub partial: bool,
    /// The range in which the value lies, such as a confidence interval; drawn with lines only.
    pub range: Option<(f64, f64)>,
    /// The start of the interval that it was measured in, if it is drawn at another one, such as a value of the previous period.
    pub original_at: Option<LocalTime>,
}

impl Point {
    pub fn new(at: impl Into<LocalTime>, value: impl Into<Value>) -> Self {
        Self { at: at.into(), value: value.into(), partial: false, range: None, original_at: None }
    }

    #[must_use]
    pub fn partial(self, partial: bool) -> Self {
        Self { partial, ..self }
    }

    #[must_use]
    pub fn with_range(self, range: Option<(f64, f64)>) -> Self {
        Self { range, ..self }
    }

    #[must_use]
    pub fn measured_at(self, original_at: Option<LocalTime>) -> Self {
        Self { original_at, ..self }
    }

    /// Returns the range from low to high, if both can be drawn.
    pub(crate) fn drawable_range(&self) -> Option<(f64, f64)> {
        let (one, other) = self.range?;
        let (one, other) = (Value::Number(one).number()?, Value::Number(other).number()?);
        Some((one.min(other), one.max(other)))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    pub label: String,
    pub tone: Tone,
    /// In any order; values of the same time are added up in bars.
    pub points: Vec<Point>,
}

/// A level to compare values with, such as the threshold of an alert.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    pub label: String,
    pub value: f64,
}

impl Threshold {
    pub(crate) fn level(&self) -> Option<f64> {
        Value::Number(self.value).number()
    }
}

/// Joins the distinct reasons of gaps, at most three.
pub(crate) fn join_reasons<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let mut found: Vec<String> = Vec::new();
    for reason in values.filter_map(Value::reason) {
        let reason = clean(reason);
        if !reason.is_empty() && !found.contains(&reason) {
            found.push(reason);
            if found.len() == 3 {
                break;
            }
        }
    }
    found.join(", ")
}
