//! Charts and maps on a page, as vectors with text that can be searched.

use krilla::geom::{Path, PathBuilder, Point, Transform};
use krilla::num::NormalizedF32;
use krilla::paint::{self, Fill, FillRule, LineJoin, StrokeDash};
use krilla::surface::Surface;
use krilla::tagging::ContentTag;

use super::canvas::{Canvas, colour, rect};
use crate::layout::item::{Area, DrawingMark};
use crate::style::TextStyle;
use crate::svg::{Anchor, Element, Label, Paint, Pattern, Segment, Shape, Stroke};
use crate::text::{ShapedRun, ShapedText};

impl Canvas<'_, '_> {
    pub(super) fn drawing(&mut self, mark: &DrawingMark, left: f32, top: f32) {
        let area = Area { x: left + mark.area.x, y: top + mark.area.y, ..mark.area };
        let scale = area.width / mark.drawing.width;
        self.surface.push_transform(&Transform::from_row(scale, 0.0, 0.0, scale, area.x, area.y));
        let patterns: Vec<paint::Pattern> =
            mark.drawing.patterns.iter().map(|pattern| tile(&mut self.surface, pattern)).collect();
        let content = self.surface.start_tagged(ContentTag::Other);
        self.structure.add_content(mark.node, content);
        for element in &mark.drawing.elements {
            match element {
                Element::Shape(shape) => draw_shape(&mut self.surface, shape, &patterns),
                Element::Label(label) => self.label(label),
            }
        }
        self.surface.end_tagged();
        self.surface.pop();
        if let Some(area) = rect(area) {
            self.structure.set_area(mark.node, self.page, area);
        }
    }

    fn label(&mut self, label: &Label) {
        let style =
            TextStyle { size: label.size, weight: label.weight, colour: label.colour, ..TextStyle::CELL };
        let text = self.shaper.shape_plain(&label.text, &style.within(1), f32::MAX);
        let left = match label.anchor {
            Anchor::Start => label.x,
            Anchor::Middle => label.x - text.width() / 2.0,
            Anchor::End => label.x - text.width(),
        };
        for run in text.lines.iter().flat_map(|line| &line.runs) {
            self.label_run(label, &text, run, left);
        }
    }

    fn label_run(&mut self, label: &Label, text: &ShapedText, run: &ShapedRun, left: f32) {
        if let Some(halo) = &label.halo {
            let font = self.shaper.fonts.face(run.weight).pdf.clone();
            let start = Point::from_xy(left + run.x, label.y);
            self.surface.set_fill(None);
            self.surface.set_stroke(Some(stroke_of(halo, 1.0)));
            // As outlines, because text that is drawn twice would be found twice.
            self.surface.draw_glyphs(start, &run.glyphs, font, run.text(text), text.size, true);
        }
        self.run(text, run, left, label.y);
    }
}

fn draw_shape(surface: &mut Surface<'_>, shape: &Shape, patterns: &[paint::Pattern]) {
    let Some(path) = path_of(&shape.outline) else { return };
    let opacity = NormalizedF32::new(shape.opacity).unwrap_or(NormalizedF32::ONE);
    let rule = if shape.is_even_odd { FillRule::EvenOdd } else { FillRule::NonZero };
    let paint = shape.fill.and_then(|fill| match fill {
        Paint::Solid(fill) => Some(paint::Paint::from(colour(fill))),
        Paint::Pattern(index) => patterns.get(index).cloned().map(Into::into),
    });
    let stroke = shape.stroke.as_ref().map(|stroke| stroke_of(stroke, shape.opacity));
    if paint.is_none() && stroke.is_none() {
        return;
    }
    surface.set_fill(paint.map(|paint| Fill { paint, opacity, rule }));
    surface.set_stroke(stroke);
    surface.draw_path(&path);
}

fn path_of(outline: &[Segment]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for segment in outline {
        match *segment {
            Segment::Move(x, y) => path.move_to(x, y),
            Segment::Line(x, y) => path.line_to(x, y),
            Segment::Curve([x1, y1, x2, y2, x, y]) => path.cubic_to(x1, y1, x2, y2, x, y),
            Segment::Close => path.close(),
        }
    }
    path.finish()
}

fn stroke_of(stroke: &Stroke, opacity: f32) -> paint::Stroke {
    // A dash of nothing but zeros would never end.
    let has_dash = stroke.dash.iter().sum::<f32>() > 0.0 && stroke.dash.iter().all(|length| *length >= 0.0);
    paint::Stroke {
        paint: colour(stroke.colour).into(),
        width: stroke.width,
        line_join: if stroke.has_round_joins { LineJoin::Round } else { LineJoin::Miter },
        opacity: NormalizedF32::new(opacity).unwrap_or(NormalizedF32::ONE),
        dash: has_dash.then(|| StrokeDash { array: even(&stroke.dash), offset: 0.0 }),
        ..paint::Stroke::default()
    }
}

/// Dashes and gaps alternate: an odd number of lengths is repeated, as SVG says.
fn even(lengths: &[f32]) -> Vec<f32> {
    if lengths.len().is_multiple_of(2) { lengths.to_vec() } else { [lengths, lengths].concat() }
}

fn tile(surface: &mut Surface<'_>, pattern: &Pattern) -> paint::Pattern {
    let mut builder = surface.stream_builder();
    let mut inner = builder.surface();
    for shape in &pattern.shapes {
        draw_shape(&mut inner, shape, &[]);
    }
    inner.finish();
    let (width, height) = (pattern.width.max(0.1), pattern.height.max(0.1));
    paint::Pattern { stream: builder.finish(), transform: Transform::default(), width, height }
}
