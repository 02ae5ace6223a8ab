//! Reads the hash of a body from its headers: `X-Content-SHA256` in hexadecimal digits, or `Content-Digest` (RFC 9530).

use app::Error;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Invalid;
use http::{HeaderMap, header};

const SHA256_HEADER: &str = "X-Content-SHA256";
const CONTENT_DIGEST_HEADER: &str = "Content-Digest";

/// Reads the SHA-256 of the body. One of the two headers is required; if both are given, they must agree.
pub fn read_sha256(headers: &HeaderMap) -> Result<[u8; 32], Error> {
    if headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let detail = "The body must be sent without a Content-Encoding.";
        return Err(Error::new(app::ErrorKind::UnsupportedMediaType, "unsupported_media_type", detail));
    }
    let plain = match headers.get(SHA256_HEADER) {
        Some(value) => {
            let digits = value.to_str().ok().and_then(parse_hex);
            Some(digits.ok_or_else(|| header_error(SHA256_HEADER, "must be 64 hexadecimal digits"))?)
        }
        None => None,
    };
    // The header may carry other hashes only; those are ignored.
    let standard = headers
        .get_all(CONTENT_DIGEST_HEADER)
        .iter()
        .find_map(|value| parse_sha256_member(value.to_str().ok()?));
    let standard = match standard {
        Some(hash) => Some(
            hash.ok_or_else(|| header_error(CONTENT_DIGEST_HEADER, "must carry 32 bytes, as sha-256=:…:"))?,
        ),
        None => None,
    };
    match (plain, standard) {
        (Some(plain), Some(standard)) if plain != standard => {
            Err(header_error(CONTENT_DIGEST_HEADER, "must agree with X-Content-SHA256"))
        }
        (Some(hash), _) | (None, Some(hash)) => Ok(hash),
        (None, None) => {
            Err(header_error(SHA256_HEADER, "must be given, unless Content-Digest carries sha-256"))
        }
    }
}

fn header_error(header: &str, reason: &'static str) -> Error {
    Error::bad_parameter(header, Invalid::new("invalid_header", reason))
}

fn parse_hex(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut hash = [0; 32];
    for (index, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(hash)
}

/// Finds the member `sha-256` of a dictionary. The inner option is empty if its value is not a hash.
fn parse_sha256_member(line: &str) -> Option<Option<[u8; 32]>> {
    let value = line.split(',').find_map(|member| {
        let (key, value) = member.trim().split_once('=')?;
        (key == "sha-256").then_some(value)
    })?;
    let bytes = value.strip_prefix(':').and_then(|value| value.strip_suffix(':'));
    Some(bytes.and_then(|bytes| BASE64_STANDARD.decode(bytes).ok()?.try_into().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&'static str, &str)]) -> Result<[u8; 32], String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        read_sha256(&headers).map_err(|error| error.detail.into_owned())
    }

    #[test]
    fn either_header_says_it() {
        let plain = "07".repeat(32);
        let standard = format!("sha-512=:AAAA:, sha-256=:{}:", BASE64_STANDARD.encode([7; 32]));
        assert_eq!(read(&[("x-content-sha256", &plain)]), Ok([7; 32]));
        assert_eq!(read(&[("content-digest", &standard)]), Ok([7; 32]));
        assert_eq!(read(&[("content-digest", &standard), ("x-content-sha256", &plain)]), Ok([7; 32]));
        assert!(read(&[("x-content-sha256", &"AB".repeat(32))]).is_ok());
    }

    #[test]
    fn what_is_no_hash_is_refused_by_name() {
        let hash = "07".repeat(32);
        for (pairs, header) in [
            (&[][..], SHA256_HEADER),
            (&[("x-content-sha256", "07")], SHA256_HEADER),
            (&[("x-content-sha256", &"0+".repeat(32))], SHA256_HEADER),
            (&[("content-digest", "sha-512=:AAAA:")], SHA256_HEADER),
            (&[("content-digest", "sha-256=:AAAA:")], CONTENT_DIGEST_HEADER),
            (&[("content-digest", "sha-256=AAAA")], CONTENT_DIGEST_HEADER),
            (
                &[
                    ("x-content-sha256", &hash),
                    ("content-digest", &format!("sha-256=:{}:", BASE64_STANDARD.encode([8; 32]))),
                ],
                CONTENT_DIGEST_HEADER,
            ),
        ] {
            assert!(read(pairs).unwrap_err().starts_with(header), "{pairs:?}");
        }
        assert!(read(&[("x-content-sha256", &hash), ("content-encoding", "gzip")]).is_err());
    }
}
