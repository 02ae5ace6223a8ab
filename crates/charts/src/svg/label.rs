//! A line of text with its position.

use crate::svg::colour::Paint;
use crate::svg::text::Weight;

/// The alignment of text relative to its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One line of text, positioned by its baseline.
#[derive(Clone, Debug)]
pub(crate) struct Label<'a> {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) text: &'a str,
    pub(crate) size: f64,
    pub(crate) anchor: Anchor,
    pub(crate) weight: Weight,
    pub(crate) paint: Paint,
    /// The colour around the letters, for text on top of lines.
    pub(crate) halo: Option<Paint>,
    /// The available width; longer text is shortened.
    pub(crate) max_width: f64,
    /// The whole text, if this is only one line of it.
    pub(crate) whole: Option<&'a str>,
}

impl<'a> Label<'a> {
    pub(crate) fn new(x: f64, y: f64, text: &'a str, size: f64) -> Self {
        Self {
            x,
            y,
            text,
            size,
            anchor: Anchor::Start,
            weight: Weight::Regular,
            paint: Paint::Ink,
            halo: None,
            max_width: f64::INFINITY,
            whole: None,
        }
    }

    pub(crate) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }

    pub(crate) fn painted(self, paint: Paint) -> Self {
        Self { paint, ..self }
    }

    pub(crate) fn haloed(self, halo: Paint) -> Self {
        Self { halo: Some(halo), ..self }
    }

    pub(crate) fn with_max_width(self, room: f64) -> Self {
        Self { max_width: room, ..self }
    }

    pub(crate) fn part_of(self, whole: Option<&'a str>) -> Self {
        Self { whole, ..self }
    }
}
