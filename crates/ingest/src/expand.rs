//! Bodies that were compressed for the way.

use std::borrow::Cow;
use std::io::Read;

use app::{Error, Kind};

/// The most bytes of a body once it is expanded.
pub const MOST_EXPANDED: usize = 64 * 1024 * 1024;

/// How a body was compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Identity,
    Gzip,
    Zstd,
}

impl Coding {
    /// Reads the header `Content-Encoding`.
    pub fn parse(header: Option<&str>) -> Result<Self, Error> {
        match header.map(|text| text.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Ok(Self::Identity),
            Some("gzip" | "x-gzip") => Ok(Self::Gzip),
            Some("zstd") => Ok(Self::Zstd),
            Some(_) => {
                let detail = "Content-Encoding must be gzip, zstd or identity.";
                Err(Error::new(Kind::UnsupportedMediaType, "unsupported_encoding", detail))
            }
        }
    }

    /// Undoes it. Stops as soon as there is too much.
    pub fn expand(self, bytes: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
        match self {
            Self::Identity => Ok(Cow::Borrowed(bytes)),
            Self::Gzip => read(flate2::read::MultiGzDecoder::new(bytes)).map(Cow::Owned),
            Self::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(bytes).map_err(|_| broken())?;
                // A frame may ask for any window; this is enough for what may be expanded at all.
                decoder.window_log_max(26).map_err(|_| broken())?;
                read(decoder).map(Cow::Owned)
            }
        }
    }
}

fn read(decoder: impl Read) -> Result<Vec<u8>, Error> {
    let mut expanded = Vec::new();
    decoder.take(MOST_EXPANDED as u64 + 1).read_to_end(&mut expanded).map_err(|_| broken())?;
    if expanded.len() > MOST_EXPANDED {
        let detail = format!("The body must have at most {MOST_EXPANDED} bytes when it is expanded.");
        return Err(Error::new(Kind::TooLarge, "body_too_large", detail));
    }
    Ok(expanded)
}

fn broken() -> Error {
    Error::new(
        Kind::BadRequest,
        "broken_encoding",
        "The body is not what its Content-Encoding says, or ends early.",
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_was_compressed_comes_back() {
        let bytes = b"[{\"uid\":\"1\"}]".repeat(1_000);
        assert_eq!(Coding::Gzip.expand(&gzip(&bytes)).unwrap(), bytes);
        assert_eq!(Coding::Zstd.expand(&zstd::encode_all(&bytes[..], 1).unwrap()).unwrap(), bytes);
        assert_eq!(Coding::parse(Some("GZIP")).unwrap(), Coding::Gzip);
        assert_eq!(Coding::parse(Some("br")).unwrap_err().code, "unsupported_encoding");
    }

    #[test]
    fn bombs_and_torsos_are_refused() {
        let zeros = vec![0; MOST_EXPANDED + 1];
        let bombs = [(Coding::Gzip, gzip(&zeros)), (Coding::Zstd, zstd::encode_all(&zeros[..], 1).unwrap())];
        for (coding, bomb) in bombs {
            assert!(bomb.len() < 1_000_000);
            assert_eq!(coding.expand(&bomb).unwrap_err().code, "body_too_large");
            assert_eq!(coding.expand(&bomb[..bomb.len() / 2]).unwrap_err().code, "broken_encoding");
            assert_eq!(coding.expand(b"neither").unwrap_err().code, "broken_encoding");
        }
    }
}
