//! Text set in lines: shaped, reordered by direction and broken by parley.

use std::ops::Range;
use std::rc::Rc;

use krilla::text::{GlyphId, KrillaGlyph};
use parley::{
    AlignmentOptions, Cluster, FontContext, FontFamily, FontWeight, Layout, LayoutContext, Line,
    OverflowWrap, StyleProperty,
};

use crate::characters::Drawable;
use crate::fonts::{FAMILY, Fonts};
use crate::model::{Text, Weight};
use crate::style::{Colour, TextStyle};

/// Sets texts. It caches what it has shaped, and belongs to one rendering.
pub(crate) struct Shaper {
    pub(crate) fonts: &'static Fonts,
    context: FontContext,
    /// The brush of a text is the index of its piece.
    layouts: LayoutContext<usize>,
}

/// A text in lines.
#[derive(Debug)]
pub(crate) struct ShapedText {
    pub(crate) text: String,
    pub(crate) lines: Vec<ShapedLine>,
    /// The addresses of links, by piece.
    pub(crate) links: Vec<Option<String>>,
    pub(crate) size: f32,
    pub(crate) line_height: f32,
    pub(crate) colour: Colour,
}

#[derive(Debug)]
pub(crate) struct ShapedLine {
    /// In the order in which they are read.
    pub(crate) runs: Vec<ShapedRun>,
    /// Without the blanks at its end.
    pub(crate) width: f32,
}

/// Glyphs of one font and one piece, from left to right.
#[derive(Debug)]
pub(crate) struct ShapedRun {
    pub(crate) weight: Weight,
    pub(crate) piece: usize,
    /// From the left edge of the text.
    pub(crate) x: f32,
    pub(crate) width: f32,
    pub(crate) glyphs: Vec<KrillaGlyph>,
    /// What boxes stand for; their glyphs have ranges in this, and not in the text.
    actual: Option<String>,
}

impl ShapedRun {
    /// Returns the text in which the glyphs have their ranges.
    pub(crate) fn text<'a>(&'a self, whole: &'a ShapedText) -> &'a str {
        self.actual.as_deref().unwrap_or(&whole.text)
    }

    fn with_ranges(mut self) -> Self {
        if let Some(actual) = &self.actual {
            self.glyphs.iter_mut().for_each(|glyph| glyph.text_range = 0..actual.len());
        }
        self
    }
}

impl ShapedText {
    pub(crate) fn height(&self) -> f32 {
        self.lines.len() as f32 * self.line_height
    }

    /// The width of the longest line.
    pub(crate) fn width(&self) -> f32 {
        self.lines.iter().map(|line| line.width).fold(0.0, f32::max)
    }
}

impl Shaper {
    pub(crate) fn new(fonts: &'static Fonts) -> Self {
        Self { fonts, context: fonts.context(), layouts: LayoutContext::new() }
    }

    /// Sets a text in lines of at most `width`; a word that is wider is broken.
    pub(crate) fn shape(&mut self, text: &Text, style: &TextStyle, width: f32) -> Rc<ShapedText> {
        let mut drawable = Drawable::new(text, style.weight, self.fonts);
        let mut layout = self.lay_out(&drawable, style, width);
        if layout.len() > style.max_lines
            && let Some(last) = layout.get(style.max_lines.saturating_sub(1))
        {
            let whole = drawable;
            let mut end = last.text_range().end;
            loop {
                drawable = whole.shortened(end);
                layout = self.lay_out(&drawable, style, width);
                if layout.len() <= style.max_lines || end == 0 {
                    break;
                }
                end = whole.text.floor_char_boundary(end - 1);
            }
        }
        layout.align(style.align, AlignmentOptions::default());
        let lines = layout.lines().map(|line| self.read_line(&line, &drawable)).collect();
        Rc::new(ShapedText {
            lines,
            links: drawable.pieces.iter().map(|piece| piece.link.clone()).collect(),
            text: drawable.text,
            size: style.size,
            line_height: style.line_height(),
            colour: style.colour,
        })
    }

    pub(crate) fn shape_plain(&mut self, text: &str, style: &TextStyle, width: f32) -> Rc<ShapedText> {
        self.shape(&Text::plain(text), style, width)
    }

    fn lay_out(&mut self, drawable: &Drawable, style: &TextStyle, width: f32) -> Layout<usize> {
        if drawable.text.trim().is_empty() {
            return Layout::new();
        }
        let mut builder = self.layouts.ranged_builder(&mut self.context, &drawable.text, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(FontFamily::named(FAMILY)));
        builder.push_default(StyleProperty::FontSize(style.size));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        for (index, piece) in drawable.pieces.iter().enumerate() {
            let weight = match piece.weight {
                Weight::Regular => FontWeight::NORMAL,
                Weight::Bold => FontWeight::BOLD,
            };
            builder.push(StyleProperty::FontWeight(weight), piece.range.clone());
            builder.push(StyleProperty::Brush(index), piece.range.clone());
        }
        let mut layout = builder.build(&drawable.text);
        // Widths add up with rounding errors; a text that just fits must not be broken.
        layout.break_all_lines(Some(width.max(1.0) + 0.01));
        layout
    }

    fn read_line(&self, line: &Line<'_, usize>, drawable: &Drawable) -> ShapedLine {
        let metrics = line.metrics();
        let mut reader = LineReader { runs: Vec::new(), x: metrics.inline_min_coord + metrics.offset };
        for run in line.runs() {
            let weight = self.fonts.weight_of(run.font().data.as_ref());
            let (size, box_glyph) = (run.font_size(), self.fonts.face(weight).box_glyph);
            let mut continuation = None;
            for cluster in run.visual_clusters() {
                // The glyphs of a ligature belong to its first character. From right to left, that one comes last.
                if cluster.is_ligature_continuation() {
                    let end = cluster.text_range().end;
                    if cluster.is_rtl() {
                        continuation = continuation.max(Some(end));
                    } else {
                        reader.extend_last(end);
                    }
                    continue;
                }
                let mut range = cluster.text_range();
                if let Some(end) = continuation.take() {
                    range.end = range.end.max(end);
                }
                reader.add(&cluster, weight, size, box_glyph, range, drawable);
            }
        }
        let mut runs = reader.runs;
        runs.sort_by_key(|(start, _)| *start);
        let runs = runs.into_iter().map(|(_, run)| run.with_ranges()).collect();
        ShapedLine { runs, width: (metrics.advance - metrics.hanging_advance).max(0.0) }
    }
}

/// Reads a line from left to right.
struct LineReader {
    /// With the position of their first character in the text.
    runs: Vec<(usize, ShapedRun)>,
    x: f32,
}

impl LineReader {
    fn add(
        &mut self,
        cluster: &Cluster<'_, usize>,
        weight: Weight,
        size: f32,
        box_glyph: u32,
        range: Range<usize>,
        drawable: &Drawable,
    ) {
        if drawable.is_hidden(&range) {
            return;
        }
        let piece = cluster.style().brush;
        let glyphs: Vec<_> = cluster.glyphs().collect();
        let missing = glyphs.iter().any(|glyph| glyph.id == 0);
        let actual = match drawable.boxed_at(range.start) {
            Some(actual) => Some(actual.to_owned()),
            // What the font has no glyph for in this context, although it has the character.
            None => missing.then(|| drawable.text[range.clone()].to_owned()),
        };
        // Boxes beside each other are one run too: what they stand for is found as one word.
        let continues = self.runs.last().is_some_and(|(_, last)| {
            last.weight == weight && last.piece == piece && last.actual.is_some() == actual.is_some()
        });
        if !continues {
            let empty = actual.as_ref().map(|_| String::new());
            let run = ShapedRun { weight, piece, x: self.x, width: 0.0, glyphs: Vec::new(), actual: empty };
            self.runs.push((range.start, run));
        }
        let Some((start, run)) = self.runs.last_mut() else { return };
        *start = range.start.min(*start);
        if let (Some(words), Some(actual)) = (&mut run.actual, actual) {
            words.insert_str(if cluster.is_rtl() { 0 } else { words.len() }, &actual);
        }
        for glyph in glyphs {
            let id = if glyph.id == 0 { box_glyph } else { glyph.id };
            // Parley counts heights downwards, krilla upwards.
            let (advance, x, y) = (glyph.advance / size, glyph.x / size, -glyph.y / size);
            run.glyphs.push(KrillaGlyph::new(GlyphId::new(id), advance, x, y, 0.0, range.clone(), None));
            run.width += glyph.advance;
            self.x += glyph.advance;
        }
    }

    fn extend_last(&mut self, end: usize) {
        if let Some((_, run)) = self.runs.last_mut()
            && let Some(last) = run.glyphs.last().map(|glyph| glyph.text_range.clone())
        {
            // All glyphs of the ligature have its range.
            for glyph in run.glyphs.iter_mut().rev().take_while(|glyph| glyph.text_range == last) {
                glyph.text_range.end = end.max(last.end);
            }
        }
    }
}
