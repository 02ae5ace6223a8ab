//! Documents as PDF, for paper, screens and readers who do not see them; and charts as PNG, for mails (`raster`).
//!
//! Pure: a [`Document`] in, the bytes of a file out; the same document gives the same bytes. The file is PDF/A-2a and PDF/UA-1: it
//! has all its fonts, every text and picture is tagged with what it is, and text can be searched and copied. Charts and maps of
//! the crate `charts` stay vectors.
//!
//! The way of a document: `layout` turns its blocks into items with heights and places them on pages, so that no heading is
//! alone at the end of a page, no row is divided and a table repeats its head; `draw` draws the pages with krilla. On the way,
//! `text` sets text with parley, `characters` replaces what the fonts cannot draw, `svg` reads charts, and `structure` collects
//! the tags.
//!
//! Any text can be in any place: long words are broken, and characters without a glyph become boxes that say what they stand
//! for.

mod characters;
mod draw;
mod fonts;
mod layout;
mod limits;
mod model;
mod picture;
mod raster;
mod structure;
mod style;
mod svg;
#[cfg(test)]
mod tests;
mod text;

pub use limits::{Error, Limits, Rendered};
pub use model::{
    Align, Block, Column, CreationTime, Document, Figure, Finding, Letterhead, Metric, MetricChange, Paper,
    Row, RowKind, Span, Table, Text, Tone, Trend, Weight,
};
pub use picture::Picture;
pub use raster::draw_png;

/// Renders a document as PDF.
pub fn render(document: &Document, limits: &Limits<'_>) -> Result<Rendered, Error> {
    let mut shaper = text::Shaper::new(fonts::Fonts::load()?);
    let laid_out = layout::lay_out(document, &mut shaper, limits)?;
    draw::draw(document, laid_out, &mut shaper, limits)
}
