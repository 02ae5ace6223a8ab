//! Text on a page: glyphs with their characters, in sections that belong to the structure.

use krilla::geom::Point;
use krilla::tagging::{ArtifactType, ContentTag, SpanTag};
use krilla::text::{GlyphId, KrillaGlyph};

use super::canvas::{Canvas, PageLink, rect, solid};
use crate::characters::clean;
use crate::fonts::{ASCENT, BOX, DESCENT};
use crate::layout::item::{Area, TextMark};
use crate::model::Weight;
use crate::structure::{NodeId, Role};
use crate::style::Colour;
use crate::text::{ShapedLine, ShapedRun, ShapedText};

/// The line below a link.
const UNDERLINE: f32 = 0.45;

impl Canvas<'_, '_> {
    pub(super) fn text(&mut self, mark: &TextMark, left: f32, top: f32) {
        let text = &mark.text;
        for (index, line) in text.lines[mark.lines.clone()].iter().enumerate() {
            let baseline = top + mark.y + index as f32 * text.line_height + baseline_of_line(text);
            match mark.node {
                Some(node) => self.tagged_line(text, line, left + mark.x, baseline, node),
                None => self.repeated_line(text, line, left + mark.x, baseline, ArtifactType::Layout),
            }
        }
    }

    /// Registers the glyphs of boxes with a character of their own: krilla takes the text of a glyph's first use as its
    /// meaning, and adds `ActualText` where it is used with another one. The stream is never used.
    pub(super) fn register_boxes(&mut self) {
        let fonts = self.shaper.fonts;
        let mut builder = self.surface.stream_builder();
        let mut unused = builder.surface();
        for face in [Weight::Regular, Weight::Bold].map(|weight| fonts.face(weight)) {
            let text = BOX.to_string();
            let glyph =
                KrillaGlyph::new(GlyphId::new(face.box_glyph), 1.0, 0.0, 0.0, 0.0, 0..text.len(), None);
            unused.draw_glyphs(Point::default(), &[glyph], face.pdf.clone(), &text, 1.0, false);
        }
    }

    /// Draws a line that is no part of the structure, because it is on every page or repeats what was said.
    pub(super) fn repeated_line(
        &mut self,
        text: &ShapedText,
        line: &ShapedLine,
        left: f32,
        baseline: f32,
        kind: ArtifactType,
    ) {
        self.artifact(kind, |canvas| {
            for run in &line.runs {
                canvas.run(text, run, left, baseline);
            }
        });
    }

    fn tagged_line(&mut self, text: &ShapedText, line: &ShapedLine, left: f32, baseline: f32, node: NodeId) {
        let mut runs = line.runs.iter().filter(|run| !run.glyphs.is_empty()).peekable();
        while let Some(first) = runs.next() {
            let content = self.surface.start_tagged(ContentTag::Span(SpanTag::empty()));
            self.run(text, first, left, baseline);
            let (mut start, mut end) = (first.x, first.x + first.width);
            let belongs = |run: &&ShapedRun| link_of(text, run) == link_of(text, first);
            while let Some(next) = runs.next_if(belongs) {
                self.run(text, next, left, baseline);
                (start, end) = (start.min(next.x), end.max(next.x + next.width));
            }
            self.surface.end_tagged();
            let parent = match link_of(text, first) {
                Some(piece) => {
                    let area = Area {
                        x: left + start,
                        y: baseline - ASCENT * text.size,
                        width: end - start,
                        height: (ASCENT + DESCENT) * text.size,
                    };
                    self.link(text, piece, node, area)
                }
                None => node,
            };
            self.structure.add_content(parent, content);
        }
    }

    /// Returns the node of a link, which may continue one of the line before.
    fn link(&mut self, text: &ShapedText, piece: usize, owner: NodeId, area: Area) -> NodeId {
        if let Some(link) = self.links.iter_mut().rev().find(|link| link.owner == (owner, piece)) {
            link.areas.extend(rect(area));
            return link.node;
        }
        let address = text.links.get(piece).cloned().flatten().unwrap_or_default();
        let words = clean(&address);
        let node = self.structure.add(owner, Role::Link);
        let areas = rect(area).into_iter().collect();
        self.links.push(PageLink { owner: (owner, piece), node, address, text: words, areas });
        node
    }

    pub(super) fn run(&mut self, text: &ShapedText, run: &ShapedRun, left: f32, baseline: f32) {
        let is_link = link_of(text, run).is_some();
        let ink = if is_link { Colour::LINK } else { text.colour };
        let font = self.shaper.fonts.face(run.weight).pdf.clone();
        let start = Point::from_xy(left + run.x, baseline);
        self.surface.set_stroke(None);
        self.surface.set_fill(Some(solid(ink)));
        self.surface.draw_glyphs(start, &run.glyphs, font, run.text(text), text.size, false);
        if is_link {
            let y = baseline + text.size * 0.13;
            self.fill_box(Area { x: left + run.x, y, width: run.width, height: UNDERLINE }, Colour::LINK);
        }
    }
}

fn link_of(text: &ShapedText, run: &ShapedRun) -> Option<usize> {
    text.links.get(run.piece)?.as_ref().map(|_| run.piece)
}

/// Where the baseline of a line is below its top.
pub(super) fn baseline_of_line(text: &ShapedText) -> f32 {
    (text.line_height - (ASCENT + DESCENT) * text.size) / 2.0 + ASCENT * text.size
}
