//! Reads the glyphs of a line from left to right.

use std::ops::Range;

use krilla::text::{GlyphId, KrillaGlyph};
use parley::{Cluster, Glyph};

use super::ShapedRun;
use crate::characters::Drawable;
use crate::fonts::Face;
use crate::model::Weight;

/// How far below and above the baseline marks may be, in parts of the size: two of them fit above a capital letter. More would run
/// into other lines, and are not drawn.
const LOWEST_MARK: f32 = -0.5;
const HIGHEST_MARK: f32 = 1.2;

/// Reads a line from left to right.
pub(super) struct LineReader {
    /// With the position of their first character in the text.
    pub(super) runs: Vec<(usize, ShapedRun)>,
    pub(super) x: f32,
}

impl LineReader {
    pub(super) fn add(
        &mut self,
        cluster: &Cluster<'_, usize>,
        (weight, face): (Weight, &Face),
        size: f32,
        range: Range<usize>,
        drawable: &Drawable,
    ) {
        if drawable.is_hidden(&range) {
            return;
        }
        let piece = cluster.first_style().brush;
        let mut glyphs: Vec<_> = cluster.glyphs().collect();
        if glyphs.len() > 1 && glyphs.iter().any(|glyph| fits_line(glyph, size, face)) {
            // The text of the others still says what was left out.
            glyphs.retain(|glyph| fits_line(glyph, size, face));
        }
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
            let id = if glyph.id == 0 { face.box_glyph } else { glyph.id };
            // Parley counts heights downwards, krilla upwards.
            let (advance, x, y) = (glyph.advance / size, glyph.x / size, -glyph.y / size);
            run.glyphs.push(KrillaGlyph::new(GlyphId::new(id), advance, x, y, 0.0, range.clone(), None));
            run.width += glyph.advance;
            self.x += glyph.advance;
        }
    }

    pub(super) fn extend_last(&mut self, end: usize) {
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

/// Whether a glyph is no mark that is moved into another line.
fn fits_line(glyph: &Glyph, size: f32, face: &Face) -> bool {
    let raised = -glyph.y / size;
    let reach = face.reach(glyph.id).filter(|_| raised != 0.0);
    reach.is_none_or(|(bottom, top)| bottom + raised >= LOWEST_MARK && top + raised <= HIGHEST_MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fonts::Fonts;
    use crate::style::TextStyle;
    use crate::text::Shaper;

    #[test]
    fn marks_stay_within_their_line_however_many_there_are() {
        let fonts = Fonts::load().unwrap();
        let above: String = (0..60).map(|n| ['\u{301}', '\u{308}', '\u{30A}'][n % 3]).collect();
        let below: String = (0..60).map(|n| ['\u{323}', '\u{331}'][n % 2]).collect();
        for (words, least) in [
            (format!("H{above}a{below}x"), 5),
            (format!("{above}a"), 2),
            ("e\u{302}\u{301} q\u{323}\u{308}".to_owned(), 5),
        ] {
            let text = Shaper::new(fonts).shape_plain(&words, &TextStyle::CELL, 400.0);
            let glyphs: Vec<&KrillaGlyph> =
                text.lines.iter().flat_map(|line| &line.runs).flat_map(|run| &run.glyphs).collect();
            assert!(glyphs.len() >= least, "{words} has {} glyphs", glyphs.len());
            for glyph in &glyphs {
                let (bottom, top) = fonts.face(Weight::Regular).reach(glyph.glyph_id.to_u32()).unwrap();
                let (bottom, top) = (bottom + glyph.y_offset, top + glyph.y_offset);
                assert!(bottom >= LOWEST_MARK && top <= HIGHEST_MARK, "{words}: {bottom} to {top}");
            }
            // What is not drawn is still said.
            let said: usize = glyphs.iter().map(|glyph| glyph.text_range.end).max().unwrap();
            assert_eq!(said, words.len());
        }
    }
}
