//! Rectangles and paths.

use std::fmt::Write;

use crate::svg::number::format_coordinate;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Rect {
    pub(crate) fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self { left, top, width: width.max(0.0), height: height.max(0.0) }
    }

    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(crate) fn intersects(&self, other: &Self) -> bool {
        self.left < other.right()
            && other.left < self.right()
            && self.top < other.bottom()
            && other.top < self.bottom()
    }

    pub(crate) fn has_inside(&self, (x, y): (f64, f64)) -> bool {
        self.left <= x && x <= self.right() && self.top <= y && y <= self.bottom()
    }

    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right() >= other.right()
            && self.bottom() >= other.bottom()
    }
}

/// The data of an SVG path.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathData {
    pub(crate) data: String,
}

impl PathData {
    pub(crate) fn polyline(&mut self, points: &[(f64, f64)]) {
        for (index, &(x, y)) in points.iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            let _ = write!(self.data, "{command}{} {}", format_coordinate(x), format_coordinate(y));
        }
    }

    pub(crate) fn ring(&mut self, points: &[(f64, f64)]) {
        if points.len() > 1 {
            self.polyline(points);
            self.data.push('Z');
        }
    }

    pub(crate) fn rect(&mut self, area: Rect) {
        self.ring(&[
            (area.left, area.top),
            (area.right(), area.top),
            (area.right(), area.bottom()),
            (area.left, area.bottom()),
        ]);
    }
}
