//! A leading indicator: its value, its change, its course and what it is counted from.

use askama::Template;
use askama::filters::HtmlSafe;

use crate::formats::{ChangeMark, Shown};

/// A leading indicator, with the records behind it.
#[derive(Template)]
#[template(path = "parts/tile.html")]
pub struct Tile {
    pub label: String,
    pub value: Shown,
    pub change: Option<ChangeMark>,
    pub spark: Option<Spark>,
    pub href: String,
    /// The key by which what it shows is renewed; empty for none. The places of change and course are always there, so that they can
    /// come and go.
    pub live: &'static str,
}

impl HtmlSafe for Tile {}

/// The course of an indicator as a line without axes. Where there is no value, the line is interrupted.
pub struct Spark {
    /// The points of each piece, as SVG has them.
    lines: Vec<String>,
}

impl Spark {
    const WIDTH: f64 = 100.0;
    /// The drawn range, which leaves room for the line's own width.
    const TOP: f64 = 3.0;
    const BOTTOM: f64 = 25.0;

    /// Returns none if there are fewer than two values, which make no line.
    pub fn of(values: &[Option<f64>]) -> Option<Self> {
        let known = || values.iter().flatten().copied().filter(|value| value.is_finite());
        if known().count() < 2 {
            return None;
        }
        let (low, high) =
            known().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        let range = if high > low { high - low } else { 1.0 };
        let step = Self::WIDTH / (values.len() - 1) as f64;
        let mut lines = vec![String::new()];
        for (index, value) in values.iter().enumerate() {
            match value.filter(|value| value.is_finite()) {
                Some(value) => {
                    let y = Self::BOTTOM - (value - low) / range * (Self::BOTTOM - Self::TOP);
                    if let Some(line) = lines.last_mut() {
                        line.push_str(&format!("{:.1},{y:.1} ", index as f64 * step));
                    }
                }
                None => lines.push(String::new()),
            }
        }
        lines.retain(|line| !line.is_empty());
        Some(Self { lines: lines.into_iter().map(|line| line.trim_end().to_owned()).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_interrupted_where_there_is_no_value() {
        let spark = Spark::of(&[Some(0.0), Some(10.0), None, Some(5.0), Some(f64::NAN)]).unwrap();
        assert_eq!(spark.lines, ["0.0,25.0 25.0,3.0", "75.0,14.0"]);
        assert!(Spark::of(&[Some(1.0), None]).is_none());
        assert_eq!(Spark::of(&[Some(1.0), Some(1.0)]).unwrap().lines, ["0.0,25.0 100.0,25.0"]);
    }
}
