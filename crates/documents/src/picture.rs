//! Logos: PNG files, decoded completely.

use std::fmt;
use std::io::Cursor;
use std::sync::Arc;

use png::{BitDepth, ColorType, Decoder, Limits, Transformations};

/// The largest number of pixels on a side.
const MAX_SIDE: u32 = 4096;
/// What the decoder may allocate.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A decoded image.
#[derive(Clone)]
pub struct Picture {
    width: u32,
    height: u32,
    rgba: Arc<Vec<u8>>,
}

impl Picture {
    /// Decodes a PNG completely; the reason if it cannot be decoded. At most 4,096 pixels a side.
    pub fn from_png(bytes: &[u8]) -> Result<Self, String> {
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MAX_BYTES });
        decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let (width, height) = reader.info().size();
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(format!("is {width} by {height} pixels; at most {MAX_SIDE} a side are supported"));
        }
        let size = reader.output_buffer_size().filter(|&size| size <= MAX_BYTES);
        let mut pixels = vec![0; size.ok_or_else(|| "is too large".to_owned())?];
        let frame = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
        // The rest of the file is read too, so that one that was cut off is noticed.
        reader.finish().map_err(|error| error.to_string())?;
        pixels.truncate(frame.buffer_size());
        let rgba = match (frame.color_type, frame.bit_depth) {
            (ColorType::Rgba, BitDepth::Eight) => pixels,
            (ColorType::GrayscaleAlpha, BitDepth::Eight) => {
                pixels.chunks_exact(2).flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
            }
            (kind, depth) => return Err(format!("has an unexpected form: {kind:?} with {depth:?}")),
        };
        Ok(Self { width, height, rgba: Arc::new(rgba) })
    }

    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    pub(crate) fn rgba(&self) -> Vec<u8> {
        self.rgba.as_ref().clone()
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Picture {}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(colour: ColorType, depth: BitDepth, width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == ColorType::Indexed {
            encoder.set_palette(vec![255, 0, 0, 0, 0, 255]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(pixels).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn every_kind_of_png_becomes_rgba() {
        for (colour, depth, pixels, expected) in [
            (ColorType::Rgba, BitDepth::Eight, vec![1, 2, 3, 4], [1, 2, 3, 4]),
            (ColorType::Rgb, BitDepth::Eight, vec![1, 2, 3], [1, 2, 3, 255]),
            (ColorType::Grayscale, BitDepth::Eight, vec![9], [9, 9, 9, 255]),
            (ColorType::GrayscaleAlpha, BitDepth::Eight, vec![9, 7], [9, 9, 9, 7]),
            (ColorType::Grayscale, BitDepth::One, vec![0x80], [255, 255, 255, 255]),
            (ColorType::Indexed, BitDepth::One, vec![0x80], [0, 0, 255, 255]),
            (ColorType::Rgb, BitDepth::Sixteen, vec![1, 0, 2, 0, 3, 0], [1, 2, 3, 255]),
        ] {
            let picture = Picture::from_png(&encode(colour, depth, 1, 1, &pixels)).unwrap();
            assert_eq!(picture.rgba.as_slice(), expected, "{colour:?} {depth:?}");
            assert_eq!(picture.size(), (1, 1));
        }
    }

    #[test]
    fn what_is_not_a_whole_png_is_refused() {
        let whole = encode(ColorType::Rgb, BitDepth::Eight, 40, 40, &[77; 40 * 40 * 3]);
        assert!(Picture::from_png(&whole).is_ok());
        for broken in [&b""[..], b"GIF89a", &whole[..20], &whole[..whole.len() - 20]] {
            assert!(Picture::from_png(broken).is_err(), "{} bytes", broken.len());
        }
        let mut damaged = whole.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0xFF;
        assert!(Picture::from_png(&damaged).is_err());
    }

    #[test]
    fn a_picture_that_is_too_large_is_refused() {
        let wide =
            encode(ColorType::Grayscale, BitDepth::Eight, MAX_SIDE + 1, 1, &vec![0; MAX_SIDE as usize + 1]);
        assert!(Picture::from_png(&wide).unwrap_err().contains("4097"));
    }
}
