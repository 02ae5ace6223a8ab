//! Where a line begins, and how wide it is.
//!
//! parley aligns lines too, but version 0.10 takes a blank at the beginning of a run from right to left for one at the end of its line.

use parley::{Line, Run};

use crate::model::Align;

/// The place of a line without the blanks at its end, which nobody sees and which may hang over the edge.
pub(super) struct Extent {
    /// Where its first glyph is, from the left edge of the text. From right to left, that is a blank at the end.
    pub x: f32,
    pub width: f32,
}

impl Extent {
    pub fn of(line: &Line<'_, usize>, align: Align, text: &str, is_rtl: bool) -> Self {
        let metrics = line.metrics();
        let blanks = blanks_at_end(line, text, is_rtl);
        let free = metrics.inline_max_coord - metrics.inline_min_coord - metrics.advance + blanks;
        // What is too wide begins at its edge.
        let is_right = if free > 0.0 { align == Align::End } else { is_rtl };
        let start = if is_rtl { -blanks } else { 0.0 };
        let x = metrics.inline_min_coord + start + if is_right { free } else { 0.0 };
        Self { x, width: (metrics.advance - blanks).max(0.0) }
    }
}

fn blanks_at_end(line: &Line<'_, usize>, text: &str, is_rtl: bool) -> f32 {
    let range = line.text_range();
    let end = range.start + text[range.clone()].trim_end_matches(' ').len();
    if end == range.end {
        return 0.0;
    }
    // Those of a run in the other direction are not at the edge of the line.
    let runs = line.runs().filter(|run| run.is_rtl() == is_rtl);
    let blanks = |run: Run<'_, usize>| -> f32 {
        run.clusters()
            .filter(|cluster| cluster.text_range().start >= end)
            .map(|cluster| cluster.advance())
            .sum()
    };
    runs.map(blanks).sum()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::fonts::Fonts;
    use crate::style::TextStyle;
    use crate::text::{ShapedText, Shaper};

    fn shaped(words: &str, align: Align, width: f32) -> ShapedText {
        let mut shaper = Shaper::new(Fonts::load().unwrap());
        let text = shaper.shape_plain(words, &TextStyle::CELL.aligned(align), width);
        Rc::into_inner(text).unwrap()
    }

    /// Left and right of each line, blanks at its edges included.
    fn edges(text: &ShapedText) -> Vec<(f32, f32)> {
        let edges = text.lines.iter().map(|line| {
            let left = line.runs.iter().map(|run| run.x).fold(f32::MAX, f32::min);
            let right = line.runs.iter().map(|run| run.x + run.width).fold(f32::MIN, f32::max);
            (left, right)
        });
        edges.collect()
    }

    fn blank() -> f32 {
        let [narrow, wide] = ["ab", "a b"].map(|words| shaped(words, Align::Start, 200.0).width());
        wide - narrow
    }

    fn is_near(one: f32, other: f32) -> bool {
        (one - other).abs() < 0.05
    }

    #[test]
    fn lines_end_at_their_edge_without_the_blanks_after_them() {
        for words in ["Riverside Bridge North East", "مشروع الجسر الشمالي الكبير", "מנוף צפוני (א) גדול"]
        {
            let is_rtl = !words.is_ascii();
            for align in [Align::Start, Align::End] {
                let text = shaped(words, align, 60.0);
                assert!(text.lines.len() > 1, "{words}");
                let count = text.lines.len();
                for (index, ((left, right), line)) in edges(&text).into_iter().zip(&text.lines).enumerate() {
                    let hanging = if index + 1 < count { blank() } else { 0.0 };
                    let (left, right) =
                        if is_rtl { (left + hanging, right) } else { (left, right - hanging) };
                    assert!(
                        is_near(right - left, line.width),
                        "{words}: {left} to {right}, not {}",
                        line.width
                    );
                    match align {
                        Align::Start => assert!(is_near(left, 0.0), "{words}: {left}"),
                        Align::End => assert!(is_near(right, 60.0), "{words}: {right}"),
                    }
                }
            }
        }
    }

    #[test]
    fn a_blank_before_a_word_from_right_to_left_is_none_at_the_end() {
        let text = shaped("מנוף צפוני 12 (א)", Align::Start, 200.0);
        let [(left, right)] = edges(&text)[..] else { panic!("{text:?}") };
        assert!(is_near(left, 0.0) && is_near(right, text.width()), "{left} to {right}, {}", text.width());
    }
}
