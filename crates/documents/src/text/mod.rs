//! Text set in lines: shaped, reordered by direction and broken by parley.

mod extent;
mod line_reader;

use std::rc::Rc;

use krilla::text::KrillaGlyph;
use parley::{
    FontContext, FontFamily, FontWeight, Layout, LayoutContext, Line, OverflowWrap, StyleProperty, WordBreak,
};

use self::extent::Extent;
use self::line_reader::LineReader;
use crate::characters::Drawable;
use crate::fonts::{FAMILY, Fonts};
use crate::model::{Align, Text, Weight};
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

/// A part of a text between two places where a line may end.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Whether it is a number, a date or an id, which nobody reads in parts.
    pub(crate) has_digits: bool,
    pub(crate) width: f32,
}

impl Shaper {
    pub(crate) fn new(fonts: &'static Fonts) -> Self {
        Self { fonts, context: fonts.context(), layouts: LayoutContext::new() }
    }

    /// Sets a text in lines of at most `width`; a word that is wider is broken.
    pub(crate) fn shape(&mut self, text: &Text, style: &TextStyle, width: f32) -> Rc<ShapedText> {
        let mut drawable = Drawable::new(text, style.weight, self.fonts);
        let mut layout = self.lay_out(&drawable, style, OverflowWrap::Anywhere, width);
        if layout.len() > style.max_lines
            && let Some(last) = layout.get(style.max_lines.saturating_sub(1))
        {
            let whole = drawable;
            let mut end = last.text_range().end;
            loop {
                drawable = whole.shortened(end);
                layout = self.lay_out(&drawable, style, OverflowWrap::Anywhere, width);
                if layout.len() <= style.max_lines || end == 0 {
                    break;
                }
                end = whole.text.floor_char_boundary(end - 1);
            }
        }
        let extent = |line: &_| Extent::of(line, style.align, &drawable.text, layout.is_rtl());
        let lines = layout.lines().map(|line| self.read_line(&line, &extent(&line), &drawable)).collect();
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

    /// Returns the parts of a text that are broken only if they are wider than a line.
    pub(crate) fn segments(&mut self, text: &Text, style: &TextStyle) -> Vec<Segment> {
        let drawable = Drawable::new(text, style.weight, self.fonts);
        let layout = self.lay_out(&drawable, style, OverflowWrap::Normal, 0.0);
        let mut segments: Vec<Segment> = Vec::new();
        let mut is_torn = false;
        for line in layout.lines() {
            let has_digits = drawable.text[line.text_range()].chars().any(char::is_numeric);
            let width = Extent::of(&line, Align::Start, &drawable.text, layout.is_rtl()).width;
            match segments.last_mut() {
                Some(last) if is_torn => {
                    last.has_digits |= has_digits;
                    last.width += width;
                }
                _ => segments.push(Segment { has_digits, width }),
            }
            is_torn = is_torn_after(&line, &drawable.text);
        }
        segments
    }

    fn lay_out(
        &mut self,
        drawable: &Drawable,
        style: &TextStyle,
        overflow: OverflowWrap,
        width: f32,
    ) -> Layout<usize> {
        if drawable.text.trim().is_empty() {
            return Layout::new();
        }
        let mut builder = self.layouts.ranged_builder(&mut self.context, &drawable.text, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(FontFamily::named(FAMILY)));
        builder.push_default(StyleProperty::FontSize(style.size));
        builder.push_default(StyleProperty::OverflowWrap(overflow));
        // Of a text in one line, as much is kept as fits, and not only the words before a long one.
        if style.max_lines == 1 {
            builder.push_default(StyleProperty::WordBreak(WordBreak::BreakAll));
        }
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
        let width = width.max(1.0) + 0.01;
        layout.break_all_lines(Some(width));
        // parley 0.10 breaks after a blank that holds words together if the blank itself does not fit. In narrower lines both words move.
        let is_torn =
            |layout: &Layout<usize>| layout.lines().any(|line| is_torn_after(&line, &drawable.text));
        let is_kept_together = style.align == Align::Start && matches!(overflow, OverflowWrap::Anywhere);
        if is_kept_together && style.max_lines > 1 && is_torn(&layout) {
            let narrower = [0.4, 0.8, 1.6].map(|part| width - part * style.size);
            let found = narrower.into_iter().filter(|width| *width > 1.0).find(|width| {
                layout.break_all_lines(Some(*width));
                !is_torn(&layout)
            });
            if found.is_none() {
                layout.break_all_lines(Some(width));
            }
        }
        layout
    }

    fn read_line(&self, line: &Line<'_, usize>, extent: &Extent, drawable: &Drawable) -> ShapedLine {
        let mut reader = LineReader { runs: Vec::new(), x: extent.x };
        for run in line.runs() {
            let weight = self.fonts.weight_of(run.font().data.as_ref());
            let (size, face) = (run.font_size(), self.fonts.face(weight));
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
                reader.add(&cluster, (weight, face), size, range, drawable);
            }
        }
        let mut runs = reader.runs;
        runs.sort_by_key(|(start, _)| *start);
        let runs = runs.into_iter().map(|(_, run)| run.with_ranges()).collect();
        ShapedLine { runs, width: extent.width }
    }
}

/// Returns whether a line ends in a blank that should hold the next word.
fn is_torn_after(line: &Line<'_, usize>, text: &str) -> bool {
    let range = line.text_range();
    range.end < text.len() && text[range].ends_with('\u{a0}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_unit_are_one_part() {
        let mut shaper = Shaper::new(Fonts::load().unwrap());
        let mut widths = |text: &str| -> Vec<(bool, f32)> {
            let segments = shaper.segments(&Text::plain(text), &TextStyle::CELL);
            segments.into_iter().map(|segment| (segment.has_digits, segment.width)).collect()
        };
        let [(_, number)] = widths("100")[..] else { panic!() };
        let [(has_digits, together)] = widths("100\u{a0}%")[..] else { panic!() };
        assert!(has_digits && together > number + 4.0, "{together} beside {number}");
        assert_eq!(widths("39\u{a0}min 12\u{a0}s").len(), 2);
        assert_eq!(widths("100 %").len(), 2);
    }
}
