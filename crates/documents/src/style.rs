//! Sizes and colours. Lengths are in points, from the top left corner of a page or of a part of it.

use crate::model::{Align, Document, Paper, Tone, Weight};

/// Left and right of the text.
pub(crate) const MARGIN: f32 = 54.0;
/// Where the text begins, below the letterhead.
pub(crate) const BODY_TOP: f32 = 74.0;
/// What is left free below the text, for the footer.
pub(crate) const BODY_BOTTOM: f32 = 60.0;

/// The size of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageSize {
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl PageSize {
    pub(crate) fn of(document: &Document) -> Self {
        let (width, height) = match document.paper {
            Paper::A4 => (595.28, 841.89),
            Paper::Letter => (612.0, 792.0),
        };
        if document.is_landscape { Self { width: height, height: width } } else { Self { width, height } }
    }

    pub(crate) fn body_width(self) -> f32 {
        self.width - 2.0 * MARGIN
    }

    pub(crate) fn body_height(self) -> f32 {
        self.height - BODY_TOP - BODY_BOTTOM
    }
}

/// A colour as 0xRRGGBB. The constants are those of the charts' light theme, which have enough contrast on white and on
/// [`Colour::PANEL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Colour(pub(crate) u32);

impl Colour {
    pub(crate) const INK: Self = Self(0x17202A);
    pub(crate) const MUTED: Self = Self(0x52606D);
    pub(crate) const GRID: Self = Self(0xE1E6EC);
    pub(crate) const AXIS: Self = Self(0x8592A0);
    pub(crate) const PANEL: Self = Self(0xF6F8FA);
    pub(crate) const LINK: Self = Self(0x1B5E9E);

    /// The colour of a mark: a bar or an edge.
    pub(crate) fn of_mark(tone: Tone) -> Self {
        match tone {
            Tone::Plain => Self::AXIS,
            Tone::Good => Self(0x1B5E9E),
            Tone::Warning => Self(0xC97700),
            Tone::Danger => Self(0xC8420A),
        }
    }

    /// The colour of text, which needs more contrast than a mark.
    pub(crate) fn of_text(tone: Tone) -> Self {
        match tone {
            Tone::Plain => Self::MUTED,
            Tone::Good => Self(0x1B5E9E),
            Tone::Warning => Self(0x8A5200),
            Tone::Danger => Self(0xB03A08),
        }
    }

    pub(crate) fn channels(self) -> (u8, u8, u8) {
        let [_, red, green, blue] = self.0.to_be_bytes();
        (red, green, blue)
    }
}

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextStyle {
    pub(crate) size: f32,
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
    /// The height of a line as a multiple of the size.
    pub(crate) leading: f32,
    /// Further lines are left out, and the last one ends in an ellipsis.
    pub(crate) max_lines: usize,
    /// On one side whatever the direction of a text, because documents are written from left to right.
    pub(crate) align: Align,
}

impl TextStyle {
    pub(crate) const BODY: Self = Self {
        size: 9.5,
        weight: Weight::Regular,
        colour: Colour::INK,
        leading: 1.42,
        max_lines: usize::MAX,
        align: Align::Start,
    };
    pub(crate) const NOTE: Self = Self { size: 8.0, colour: Colour::MUTED, leading: 1.35, ..Self::BODY };
    /// Text in a box or a cell, which cannot continue on another page.
    pub(crate) const CELL: Self = Self { size: 8.5, leading: 1.25, max_lines: 24, ..Self::BODY };
    pub(crate) const HEAD: Self =
        Self { size: 8.0, weight: Weight::Bold, colour: Colour::MUTED, max_lines: 16, ..Self::CELL };
    pub(crate) const TITLE: Self = Self { size: 20.0, leading: 1.2, max_lines: 7, ..Self::BOLD };
    pub(crate) const SUBTITLE: Self = Self { size: 10.0, colour: Colour::MUTED, max_lines: 3, ..Self::BODY };
    const BOLD: Self = Self { weight: Weight::Bold, ..Self::BODY };

    /// The style of a heading of level 1 to 3.
    pub(crate) fn heading(level: u8) -> Self {
        let size = match level {
            0 | 1 => 16.0,
            2 => 13.0,
            _ => 10.5,
        };
        Self { size, leading: 1.25, max_lines: 4, ..Self::BOLD }
    }

    #[must_use]
    pub(crate) fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }

    #[must_use]
    pub(crate) fn coloured(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    #[must_use]
    pub(crate) fn sized(self, size: f32) -> Self {
        Self { size, ..self }
    }

    #[must_use]
    pub(crate) fn aligned(self, align: Align) -> Self {
        Self { align, ..self }
    }

    #[must_use]
    pub(crate) fn within(self, max_lines: usize) -> Self {
        Self { max_lines, ..self }
    }

    pub(crate) fn line_height(&self) -> f32 {
        self.size * self.leading
    }
}
