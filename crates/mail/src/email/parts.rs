//! The parts of a message: its text and HTML, the images that the HTML shows, and attachments.

use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Body, MultiPart, SinglePart};

use super::Email;
use crate::SendError;

/// The maximum length of a line without its end (RFC 5322).
const MAX_LINE_BYTES: usize = 998;

/// A file that is sent with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Letters, digits, dots, hyphens and underscores.
    pub name: String,
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
}

/// An image that the HTML of a message shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineImage {
    /// See [`MessageId::part`](crate::MessageId::part). The HTML refers to it as `cid:` and this.
    pub id: String,
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
}

impl Email {
    /// Returns the text and the HTML as alternatives, the HTML together with its images, and all of that beside the attachments.
    pub(super) fn encode_parts(&self) -> Result<MultiPart, SendError> {
        let alternatives = MultiPart::alternative()
            .boundary(format!("=_{}", self.id.local()))
            .singlepart(SinglePart::plain(body(&self.text)));
        let html = SinglePart::html(body(&self.html));
        let parts = match self.images.as_slice() {
            [] => alternatives.singlepart(html),
            images => {
                let mut related =
                    MultiPart::related().boundary(format!("=r_{}", self.id.local())).singlepart(html);
                for image in images {
                    related = related.singlepart(image.encode()?);
                }
                alternatives.multipart(related)
            }
        };
        match self.attachments.as_slice() {
            [] => Ok(parts),
            attachments => {
                let mut mixed =
                    MultiPart::mixed().boundary(format!("=m_{}", self.id.local())).multipart(parts);
                for attachment in attachments {
                    mixed = mixed.singlepart(attachment.encode()?);
                }
                Ok(mixed)
            }
        }
    }
}

impl Attachment {
    fn encode(&self) -> Result<SinglePart, SendError> {
        if !is_plain(&self.name) {
            return Err(SendError::Permanent("the name of an attachment is not plain".to_owned()));
        }
        let (bytes, content_type) = encode_file(self.content_type, &self.bytes)?;
        Ok(lettre::message::Attachment::new(self.name.clone()).body(bytes, content_type))
    }
}

impl InlineImage {
    fn encode(&self) -> Result<SinglePart, SendError> {
        if !self.id.split_once('@').is_some_and(|(left, right)| is_plain(left) && is_plain(right)) {
            return Err(SendError::Permanent("the id of an image is not plain".to_owned()));
        }
        let (bytes, content_type) = encode_file(self.content_type, &self.bytes)?;
        Ok(lettre::message::Attachment::new_inline(self.id.clone()).body(bytes, content_type))
    }
}

/// Whether a name needs no quotes in a header.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Encodes bytes as base64, whatever they are, so that they arrive as they are.
fn encode_file(content_type: &'static str, bytes: &[u8]) -> Result<(Body, ContentType), SendError> {
    let parsed = ContentType::parse(content_type)
        .map_err(|error| SendError::Permanent(format!("{content_type}: {error}")))?;
    let bytes = Body::new_with_encoding(bytes.to_vec(), ContentTransferEncoding::Base64)
        .map_err(|_| SendError::Permanent("an attachment cannot be encoded".to_owned()))?;
    Ok((bytes, parsed))
}

/// Leaves text unencoded where that is allowed, so that a link is in one piece for people who read the message's file.
fn body(text: &str) -> Body {
    let is_plain = text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~'));
    if is_plain && text.lines().all(|line| line.len() <= MAX_LINE_BYTES) {
        let bytes = text.replace('\n', "\r\n").into_bytes();
        return Body::dangerous_pre_encoded(bytes, ContentTransferEncoding::SevenBit);
    }
    Body::new(text.to_owned())
}

#[cfg(test)]
mod tests {
    use domain::{EmailAddress, Name};

    use super::*;
    use crate::email::tests::{HEADERS, bytes, headers, message};

    fn image(id: &str) -> InlineImage {
        InlineImage { id: id.to_owned(), content_type: "image/png", bytes: b"\x89PNG".to_vec() }
    }

    fn attachment(name: &str) -> Attachment {
        let bytes = b"a\nb\r\n".to_vec();
        Attachment { name: name.to_owned(), content_type: "text/csv; charset=utf-8", bytes }
    }

    #[test]
    fn attachments_stand_beside_the_text_and_arrive_as_they_are() {
        let with = message("Ada").with_attachment(attachment("incursions-7.csv"));
        let bytes = bytes(&with);
        assert_eq!(headers(&bytes), HEADERS, "{bytes}");
        assert!(bytes.contains("Content-Type: multipart/mixed;"), "{bytes}");
        assert!(bytes.contains("\r\n--=m_7.store\r\n") && bytes.contains("\r\n--=_7.store\r\n"), "{bytes}");
        let part = "Content-Disposition: attachment; filename=\"incursions-7.csv\"\r\n\
             Content-Type: text/csv; charset=utf-8\r\n\
             Content-Transfer-Encoding: base64\r\n\r\nYQpiDQo=\r\n";
        assert!(bytes.contains(part), "{bytes}");
        assert_eq!(bytes, self::bytes(&with), "the same message is the same bytes");
        let large = Attachment { bytes: vec![7; 100_000], ..attachment("large.pdf") };
        let bytes = self::bytes(&message("Ada").with_attachment(large));
        assert!(bytes.is_ascii() && bytes.lines().all(|line| line.len() < 998));
    }

    #[test]
    fn images_stand_beside_the_html_that_shows_them() {
        let with = message("Ada").with_image(image("chart.7.store@safety.example.com"));
        let text = bytes(&with);
        assert_eq!(headers(&text), HEADERS, "{text}");
        assert!(text.contains("Content-Type: multipart/alternative;"), "{text}");
        let part = "Content-ID: <chart.7.store@safety.example.com>\r\n\
             Content-Disposition: inline\r\n\
             Content-Type: image/png\r\n\
             Content-Transfer-Encoding: base64\r\n\r\niVBORw==\r\n--=r_7.store--\r\n--=_7.store--\r\n";
        assert!(text.contains(part), "{text}");
        let order = ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"];
        let places = order.map(|kind| text.find(kind).unwrap_or(usize::MAX));
        assert!(places.is_sorted() && places[4] < usize::MAX, "{text}");
        assert_eq!(text, bytes(&with), "the same message is the same bytes");
        let both = bytes(&with.with_attachment(attachment("incursions-7.csv")));
        let places = ["=m_7.store", "=_7.store", "=r_7.store"].map(|boundary| both.find(boundary));
        assert!(places.is_sorted() && places[0].is_some(), "{both}");
    }

    #[test]
    fn the_name_of_a_file_is_plain() {
        let from = (EmailAddress::parse("keepclear@example.com").unwrap(), Name::parse("Keepclear").unwrap());
        for bad in ["", "a b.pdf", "a\"b.pdf", "ä.pdf", "../a", "a\r\nX: y", "a>b"] {
            let (id, plain) = (format!("{bad}@example.com"), bad.to_owned());
            for message in [
                message("Ada").with_attachment(attachment(bad)),
                message("Ada").with_image(image(&id)),
                message("Ada").with_image(image(&plain)),
            ] {
                assert!(matches!(message.encode(&from), Err(SendError::Permanent(_))), "{bad:?}");
            }
        }
        for bad in ["chart", "chart@", "@example.com", "a@b@example.com"] {
            let message = message("Ada").with_image(image(bad));
            assert!(matches!(message.encode(&from), Err(SendError::Permanent(_))), "{bad:?}");
        }
    }
}
