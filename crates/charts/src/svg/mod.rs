//! Drawing: the SVG document with its colours, styles, shapes, texts and numbers.

pub(crate) mod canvas;
pub(crate) mod colour;
pub(crate) mod label;
pub(crate) mod number;
pub(crate) mod shape;
pub(crate) mod style;
pub(crate) mod text;
