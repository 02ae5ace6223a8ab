//! Labels: the outlines of glyphs, with a halo behind them where lines cross.

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{GlyphId, OutlineGlyphCollection};
use tiny_skia::{FillRule, PathBuilder, Pixmap, Shader, Transform};

use super::shapes::{colour, paint, stroke_of};
use crate::style::TextStyle;
use crate::svg::{Anchor, Label};
use crate::text::{ShapedRun, Shaper};

pub(super) fn draw(pixmap: &mut Pixmap, label: &Label, shaper: &mut Shaper, transform: Transform) {
    let style = TextStyle { size: label.size, weight: label.weight, colour: label.colour, ..TextStyle::CELL };
    let text = shaper.shape_plain(&label.text, &style.within(1), f32::MAX);
    let left = match label.anchor {
        Anchor::Start => label.x,
        Anchor::Middle => label.x - text.width() / 2.0,
        Anchor::End => label.x - text.width(),
    };
    let mut path = PathBuilder::new();
    for run in text.lines.iter().flat_map(|line| &line.runs) {
        let Some(glyphs) = shaper.fonts.face(run.weight).outlines() else { continue };
        add_run(&mut path, run, &glyphs, (left + run.x, label.y), text.size);
    }
    // A label of blanks has no outline.
    let Some(path) = path.finish() else { return };
    if let Some(halo) = &label.halo {
        let shader = Shader::SolidColor(colour(halo.colour, 1.0));
        pixmap.stroke_path(&path, &paint(shader), &stroke_of(halo), transform, None);
    }
    let shader = Shader::SolidColor(colour(label.colour, 1.0));
    pixmap.fill_path(&path, &paint(shader), FillRule::Winding, transform, None);
}

fn add_run(
    path: &mut PathBuilder,
    run: &ShapedRun,
    glyphs: &OutlineGlyphCollection<'static>,
    (mut x, baseline): (f32, f32),
    size: f32,
) {
    for glyph in &run.glyphs {
        let place = (x + glyph.x_offset * size, baseline - glyph.y_offset * size);
        let mut pen = Pen { path: &mut *path, x: place.0, y: place.1 };
        let outline = glyphs.get(GlyphId::new(glyph.glyph_id.to_u32()));
        let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
        // What has no outline is a blank.
        let _ = outline.map(|outline| outline.draw(settings, &mut pen));
        x += glyph.x_advance * size;
    }
}

/// Moves an outline to its place. Fonts count heights upwards, pictures downwards.
struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    y: f32,
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x, self.y - y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x, self.y - y);
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        self.path.quad_to(self.x + cx0, self.y - cy0, self.x + x, self.y - y);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let (left, base) = (self.x, self.y);
        self.path.cubic_to(left + cx0, base - cy0, left + cx1, base - cy1, left + x, base - y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
