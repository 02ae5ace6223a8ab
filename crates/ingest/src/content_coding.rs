//! Content codings of request bodies.

use std::io::Read;

use app::{Error, ErrorKind};

/// The maximum size of a body after decompression.
pub const MAX_EXPANDED_BYTES: usize = 64 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentCoding {
    Identity,
    Gzip,
    Zstd,
}

impl ContentCoding {
    /// Reads the `Content-Encoding` header.
    pub fn parse(header: Option<&str>) -> Result<Self, Error> {
        match header.map(|text| text.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Ok(Self::Identity),
            Some("gzip" | "x-gzip") => Ok(Self::Gzip),
            Some("zstd") => Ok(Self::Zstd),
            Some(_) => {
                let detail = "Content-Encoding must be gzip, zstd or identity.";
                Err(Error::new(ErrorKind::UnsupportedMediaType, "unsupported_encoding", detail))
            }
        }
    }

    /// Returns a reader that decompresses while it is read.
    pub fn decoder(self, bytes: &[u8]) -> Result<Box<dyn Read + '_>, Error> {
        Ok(match self {
            Self::Identity => Box::new(bytes),
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
            Self::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(bytes).map_err(|_| broken_encoding())?;
                // A frame may ask for any window size. 2^26 is enough for a body of the maximum size.
                decoder.window_log_max(26).map_err(|_| broken_encoding())?;
                Box::new(decoder)
            }
        })
    }
}

pub fn broken_encoding() -> Error {
    Error::new(
        ErrorKind::BadRequest,
        "broken_encoding",
        "The body does not match its Content-Encoding, or it is truncated.",
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::event_splitter::EventSplitter;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn expand(coding: ContentCoding, bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
        let mut pieces = EventSplitter::new(coding.decoder(bytes).map_err(|error| error.code)?);
        let mut all = Vec::new();
        while pieces.peek().map_err(|error| error.code)?.is_some() {
            all.extend(pieces.next_line().map_err(|error| error.code)?.unwrap_or_default());
        }
        Ok(all)
    }

    #[test]
    fn what_was_compressed_comes_back() {
        let bytes = b"[{\"uid\":\"1\"}]".repeat(1_000);
        assert_eq!(expand(ContentCoding::Gzip, &gzip(&bytes)).unwrap(), bytes);
        assert_eq!(expand(ContentCoding::Zstd, &zstd::encode_all(&bytes[..], 1).unwrap()).unwrap(), bytes);
        assert_eq!(ContentCoding::parse(Some("GZIP")).unwrap(), ContentCoding::Gzip);
        assert_eq!(ContentCoding::parse(Some("br")).unwrap_err().code, "unsupported_encoding");
    }

    #[test]
    fn bombs_and_torsos_are_refused() {
        let zeros = vec![0; MAX_EXPANDED_BYTES + 1];
        let bombs = [
            (ContentCoding::Gzip, gzip(&zeros)),
            (ContentCoding::Zstd, zstd::encode_all(&zeros[..], 1).unwrap()),
        ];
        for (coding, bomb) in bombs {
            assert!(bomb.len() < 1_000_000);
            assert_eq!(expand(coding, &bomb).unwrap_err(), "body_too_large");
            assert_eq!(expand(coding, &bomb[..bomb.len() / 2]).unwrap_err(), "broken_encoding");
            assert_eq!(expand(coding, b"neither").unwrap_err(), "broken_encoding");
        }
    }
}
