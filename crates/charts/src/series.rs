//! Values over time, and the reasons why some are not there.

use crate::calendar::LocalTime;
use crate::number::MAX_MAGNITUDE;
use crate::style::Tone;
use crate::text::clean;

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A measured number. What is not finite, or larger than any measurement, is drawn as a gap.
    Number(f64),
    /// No value, for a reason that may be empty.
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

/// A value at its time: the beginning of the interval that it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The beginning of its interval, on the site's own clock.
    pub at: LocalTime,
    /// What was measured.
    pub value: Value,
}

impl Point {
    /// Puts a value at its time.
    pub fn new(at: impl Into<LocalTime>, value: impl Into<Value>) -> Self {
        Self { at: at.into(), value: value.into() }
    }
}

/// The values of one thing over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What the values are of.
    pub label: String,
    /// What its colour should say.
    pub tone: Tone,
    /// In any order; two at the same time are added up in bars.
    pub points: Vec<Point>,
}

/// A level that values are held against, such as the threshold of an alert.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// What the level is called.
    pub label: String,
    /// Where it lies.
    pub value: f64,
}

impl Threshold {
    pub(crate) fn level(&self) -> Option<f64> {
        Value::Number(self.value).number()
    }
}

/// Puts the different reasons for gaps together, at most three of them.
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
