//! Charts as PNG, for mails: programs that show mails draw no SVG.
//!
//! Reader and fonts are those of documents, so that a chart looks the same in both. tiny-skia fills and strokes outlines, also those of
//! the glyphs that `text` has placed.

mod labels;
mod shapes;

use png::{BitDepth, ColorType, Encoder};
use tiny_skia::{Color, Pixmap, Transform};

use crate::fonts::Fonts;
use crate::limits::Error;
use crate::svg::{Drawing, Element};
use crate::text::Shaper;
use shapes::Tile;

/// The largest number of pixels on a side.
const MAX_SIDE: f32 = 4_096.0;

/// Draws a chart of the crate `charts` as PNG on white, with `scale` pixels for one unit of the chart.
pub fn draw_png(svg: &str, scale: f32) -> Result<Vec<u8>, Error> {
    let drawing = Drawing::read(svg)?;
    let mut shaper = Shaper::new(Fonts::load()?);
    encode(&draw(&drawing, &mut shaper, scale)?)
}

fn draw(drawing: &Drawing, shaper: &mut Shaper, scale: f32) -> Result<Pixmap, Error> {
    let mut pixmap = new_pixmap(drawing.width * scale, drawing.height * scale)?;
    pixmap.fill(Color::WHITE);
    let transform = Transform::from_scale(scale, scale);
    let tiles = drawing.patterns.iter().map(|pattern| Tile::draw(pattern, scale));
    let tiles: Vec<Tile> = tiles.collect::<Result<_, _>>()?;
    for element in &drawing.elements {
        match element {
            Element::Shape(shape) => shapes::draw(&mut pixmap, shape, &tiles, transform),
            Element::Label(label) => labels::draw(&mut pixmap, label, shaper, transform),
        }
    }
    Ok(pixmap)
}

/// Returns a transparent picture of a size that is rounded to whole pixels.
fn new_pixmap(width: f32, height: f32) -> Result<Pixmap, Error> {
    let is_possible = |side: f32| side > 0.0 && side <= MAX_SIDE;
    let pixels = |side: f32| side.round().max(1.0) as u32;
    let fits = is_possible(width) && is_possible(height);
    let pixmap = fits.then(|| Pixmap::new(pixels(width), pixels(height))).flatten();
    pixmap.ok_or_else(|| Error::Svg(format!("it would be {width} by {height} pixels large")))
}

/// Encodes an opaque picture.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, Error> {
    let failed = |error: png::EncodingError| Error::Svg(error.to_string());
    let colours = pixmap.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
    let colours: Vec<u8> = colours.collect();
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&colours).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
