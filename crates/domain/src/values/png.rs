//! Uploaded PNG images.

use crate::{Invalid, crc32};

/// A complete PNG image of limited size. Its chunks and checksums are verified; its pixels are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Png(Vec<u8>);

impl Png {
    pub const MAX_SIDE_PIXELS: u32 = 4_096;
    pub const MAX_BYTES: usize = 1024 * 1024;

    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        let invalid = |text| Err(Invalid::new("invalid_picture", text));
        let Some(mut rest) = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n") else {
            return invalid("must be a PNG");
        };
        let mut is_first = true;
        loop {
            let Some((kind, data, after)) = read_chunk(rest) else {
                return invalid("is a truncated or damaged PNG");
            };
            if is_first {
                let side = |at: usize| {
                    data.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_be_bytes)
                };
                let fits =
                    |side: Option<u32>| side.is_some_and(|side| (1..=Self::MAX_SIDE_PIXELS).contains(&side));
                if kind != b"IHDR" || data.len() != 13 || !fits(side(0)) || !fits(side(4)) {
                    return invalid("must have between 1 and 4096 pixels on each side");
                }
            }
            if kind == b"IEND" {
                // Trailing data could be anything, such as another file hidden in the image.
                return if after.is_empty() {
                    Ok(Self(bytes.to_vec()))
                } else {
                    invalid("has data after its end")
                };
            }
            (is_first, rest) = (false, after);
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Reads the type and data of the next chunk and returns the rest; `None` if it is truncated or its checksum does not match.
fn read_chunk(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(4)?;
    let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
    let (summed, rest) = rest.split_at_checked(length.checked_add(4)?)?;
    let (sum, after) = rest.split_at_checked(4)?;
    let (kind, data) = summed.split_at_checked(4)?;
    (crc32(summed).to_be_bytes() == sum).then_some((kind, data, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_piece(mut png: Vec<u8>, kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        png.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        let summed = [kind.as_slice(), data].concat();
        png.extend(&summed);
        png.extend(crc32(&summed).to_be_bytes());
        png
    }

    fn png(width: u32) -> Vec<u8> {
        let head = [&width.to_be_bytes()[..], &[0, 0, 0, 1, 8, 2, 0, 0, 0]].concat();
        with_piece(with_piece(b"\x89PNG\r\n\x1a\n".to_vec(), b"IHDR", &head), b"IEND", b"")
    }

    #[test]
    fn the_frame_of_a_picture_is_checked() {
        assert!(Png::parse(&png(1)).is_ok());
        for width in [0, 4_097, u32::MAX] {
            assert!(Png::parse(&png(width)).is_err(), "{width}");
        }
        let good = png(16);
        for cut in 0..good.len() {
            assert!(Png::parse(&good[..cut]).is_err(), "cut at {cut}");
        }
        for at in 8..good.len() {
            let mut damaged = good.clone();
            damaged[at] ^= 1;
            assert!(Png::parse(&damaged).is_err(), "damaged at {at}");
        }
        assert!(Png::parse(&[good, b"<svg/>".to_vec()].concat()).is_err());
        assert!(Png::parse(b"<svg xmlns='http://www.w3.org/2000/svg'/>").is_err());
    }
}
