//! Shapes: fills, also with patterns, and strokes.

use tiny_skia::{
    Color, FillRule, FilterQuality, LineJoin, Path, PathBuilder, Pixmap, Shader, SpreadMode, StrokeDash,
    Transform,
};

use super::new_pixmap;
use crate::limits::Error;
use crate::style::Colour;
use crate::svg::{Paint, Pattern, Segment, Shape, Stroke};

/// Shapes that are flatter have no area.
const MIN_SIDE: f32 = 0.001;

/// A pattern in pixels.
pub(super) struct Tile {
    pixmap: Pixmap,
    /// From its pixels to the units of the chart.
    transform: Transform,
}

impl Tile {
    pub(super) fn draw(pattern: &Pattern, scale: f32) -> Result<Self, Error> {
        let (width, height) = (pattern.width.max(0.1), pattern.height.max(0.1));
        let mut pixmap = new_pixmap(width * scale, height * scale)?;
        // Whole pixels, so that tiles join without seams.
        let across = pixmap.width() as f32 / width;
        let down = pixmap.height() as f32 / height;
        for shape in &pattern.shapes {
            draw(&mut pixmap, shape, &[], Transform::from_scale(across, down));
        }
        Ok(Self { pixmap, transform: Transform::from_scale(1.0 / across, 1.0 / down) })
    }
}

pub(super) fn draw(pixmap: &mut Pixmap, shape: &Shape, tiles: &[Tile], transform: Transform) {
    let Some(path) = path_of(&shape.outline) else { return };
    let shader = shape.fill.and_then(|fill| match fill {
        Paint::Solid(fill) => Some(Shader::SolidColor(colour(fill, shape.opacity))),
        Paint::Pattern(index) => tiles.get(index).map(|tile| {
            let (quality, pixels) = (FilterQuality::Bilinear, tile.pixmap.as_ref());
            tiny_skia::Pattern::new(pixels, SpreadMode::Repeat, quality, shape.opacity, tile.transform)
        }),
    });
    let bounds = path.bounds();
    if let Some(shader) = shader
        && bounds.width() >= MIN_SIDE
        && bounds.height() >= MIN_SIDE
    {
        let rule = if shape.is_even_odd { FillRule::EvenOdd } else { FillRule::Winding };
        pixmap.fill_path(&path, &paint(shader), rule, transform, None);
    }
    if let Some(stroke) = &shape.stroke {
        let shader = Shader::SolidColor(colour(stroke.colour, shape.opacity));
        pixmap.stroke_path(&path, &paint(shader), &stroke_of(stroke), transform, None);
    }
}

pub(super) fn paint(shader: Shader<'_>) -> tiny_skia::Paint<'_> {
    tiny_skia::Paint { shader, ..tiny_skia::Paint::default() }
}

pub(super) fn colour(colour: Colour, opacity: f32) -> Color {
    let (red, green, blue) = colour.channels();
    let mut colour = Color::from_rgba8(red, green, blue, u8::MAX);
    colour.apply_opacity(opacity.clamp(0.0, 1.0));
    colour
}

pub(super) fn stroke_of(stroke: &Stroke) -> tiny_skia::Stroke {
    // Dashes and gaps alternate: an odd number of lengths is repeated, as SVG says.
    let lengths = match stroke.dash.len().is_multiple_of(2) {
        true => stroke.dash.clone(),
        false => stroke.dash.repeat(2),
    };
    tiny_skia::Stroke {
        width: stroke.width.max(0.0),
        line_join: if stroke.has_round_joins { LineJoin::Round } else { LineJoin::Miter },
        // None for lengths that cannot be drawn, such as none at all.
        dash: StrokeDash::new(lengths, 0.0),
        ..tiny_skia::Stroke::default()
    }
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
