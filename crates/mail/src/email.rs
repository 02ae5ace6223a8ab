//! A message: a rendered template with an address, a date and an id.

use std::time::{Duration, SystemTime};

use domain::{EmailAddress, Name, Timestamp};
use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, MultiPart, SinglePart};

use crate::{EmailTemplate, SendError};

/// The maximum length of a line without its end (RFC 5322).
const MAX_LINE_BYTES: usize = 998;

/// The `Message-ID`. Sending the same mail again gives the same id, so that receivers can detect duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageId {
    local: String,
    host: String,
}

impl MessageId {
    /// Builds an id from a part that is unique in this service and the host name. Characters not allowed in an id become `_`.
    pub fn new(unique: &str, host: &str) -> Self {
        let fit = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let host: String = host.chars().map(fit).collect();
        let host = if host.is_empty() { "localhost".to_owned() } else { host };
        Self { local: unique.chars().map(fit).collect(), host }
    }

    /// Returns the part that is unique in this service, which is also safe as a file name.
    pub fn local(&self) -> &str {
        &self.local
    }
}

impl std::fmt::Display for MessageId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}@{}>", self.local, self.host)
    }
}

/// A file that is sent with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Letters, digits, dots, hyphens and underscores.
    pub name: String,
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
}

/// A message that can be sent any number of times.
#[derive(Clone, Debug)]
pub struct Email {
    pub id: MessageId,
    pub to: EmailAddress,
    pub name: Name,
    pub date: Timestamp,
    /// One line.
    pub subject: String,
    pub text: String,
    pub html: String,
    pub attachments: Vec<Attachment>,
}

impl Email {
    pub fn new(
        id: MessageId,
        to: EmailAddress,
        name: Name,
        date: Timestamp,
        mail: &impl EmailTemplate,
    ) -> Result<Self, SendError> {
        let broken = |error: askama::Error| SendError::Permanent(format!("it cannot be rendered: {error}"));
        let (text, html) = (mail.text().map_err(broken)?, mail.html().map_err(broken)?);
        Ok(Self { id, to, name, date, subject: mail.subject(), text, html, attachments: Vec::new() })
    }

    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }

    /// Returns the envelope and the encoded message. The same message always gives the same bytes.
    pub(crate) fn encode(&self, from: &(EmailAddress, Name)) -> Result<(Envelope, Vec<u8>), SendError> {
        let sender = mailbox(&from.0, &from.1)?;
        let recipient = mailbox(&self.to, &self.name)?;
        check_header_text("the subject", &self.subject)?;
        let envelope = Envelope::new(Some(sender.email.clone()), vec![recipient.email.clone()])
            .map_err(|error| SendError::Permanent(error.to_string()))?;
        let micros = u64::try_from(self.date.micros()).unwrap_or(0);
        let parts = MultiPart::alternative()
            .boundary(format!("=_{}", self.id.local))
            .singlepart(SinglePart::plain(body(&self.text)))
            .singlepart(SinglePart::html(body(&self.html)));
        let parts = match self.attachments.as_slice() {
            [] => parts,
            attachments => {
                let mut mixed = MultiPart::mixed().boundary(format!("=m_{}", self.id.local)).multipart(parts);
                for attachment in attachments {
                    mixed = mixed.singlepart(attachment.encode()?);
                }
                mixed
            }
        };
        let generated = HeaderName::new_from_ascii_str("Auto-Submitted");
        let message = lettre::Message::builder()
            .message_id(Some(self.id.to_string()))
            .date(SystemTime::UNIX_EPOCH + Duration::from_micros(micros))
            .from(sender)
            .to(recipient)
            .subject(self.subject.clone())
            .raw_header(HeaderValue::new(generated, "auto-generated".to_owned()))
            .multipart(parts)
            .map_err(|error| SendError::Permanent(error.to_string()))?;
        Ok((envelope, message.formatted()))
    }
}

impl Attachment {
    /// Encodes the bytes as base64, whatever they are, so that they arrive as they are.
    fn encode(&self) -> Result<SinglePart, SendError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || !self.name.chars().all(is_plain) {
            return Err(SendError::Permanent("the name of an attachment is not plain".to_owned()));
        }
        let content_type = ContentType::parse(self.content_type)
            .map_err(|error| SendError::Permanent(format!("{}: {error}", self.content_type)))?;
        let bytes = Body::new_with_encoding(self.bytes.clone(), ContentTransferEncoding::Base64)
            .map_err(|_| SendError::Permanent("an attachment cannot be encoded".to_owned()))?;
        Ok(lettre::message::Attachment::new(self.name.clone()).body(bytes, content_type))
    }
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

/// The types of address and name already exclude line breaks; headers are checked again to be safe from injection.
fn mailbox(email: &EmailAddress, name: &Name) -> Result<Mailbox, SendError> {
    check_header_text("the address", email.as_str())?;
    check_header_text("the name", name.as_str())?;
    let address: Address = email
        .as_str()
        .parse()
        .map_err(|error| SendError::Permanent(format!("{email} is not a valid address for mail: {error}")))?;
    Ok(Mailbox::new(Some(name.as_str().to_owned()), address))
}

fn check_header_text(what: &str, text: &str) -> Result<(), SendError> {
    if text.chars().any(char::is_control) {
        return Err(SendError::Permanent(format!("{what} contains control characters")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(name: &str) -> Email {
        Email {
            id: MessageId::new("7.store", "safety.example.com"),
            to: EmailAddress::parse("ada@example.com").unwrap(),
            name: Name::parse(name).unwrap(),
            date: Timestamp::from_seconds(1_772_366_430),
            subject: "Grüße, and a subject that is rather long so that it has to be folded somewhere: ẞ"
                .repeat(2),
            text: "A line.\n.\n.leading\n".to_owned(),
            html: "<p>A line.</p>".to_owned(),
            attachments: Vec::new(),
        }
    }

    fn attachment(name: &str) -> Attachment {
        let bytes = b"a\nb\r\n".to_vec();
        Attachment { name: name.to_owned(), content_type: "text/csv; charset=utf-8", bytes }
    }

    fn bytes(message: &Email) -> String {
        let from = (EmailAddress::parse("keepclear@example.com").unwrap(), Name::parse("Keepclear").unwrap());
        String::from_utf8(message.encode(&from).unwrap().1).unwrap()
    }

    /// The names of the headers; lines that begin with a blank continue the one before.
    fn headers(bytes: &str) -> Vec<&str> {
        let head = bytes.split("\r\n\r\n").next().unwrap();
        let lines = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
        lines.map(|line| line.split(':').next().unwrap()).collect()
    }

    const HEADERS: [&str; 8] =
        ["Message-ID", "Date", "From", "To", "Subject", "Auto-Submitted", "MIME-Version", "Content-Type"];

    #[test]
    fn names_of_every_kind_make_one_header_each() {
        let long = "é".repeat(Name::MAX_CHARS);
        for name in [
            "Ada",
            "Ada \"the Count\" Lovelace, Jr.",
            "Søren Kierkegård",
            "李小龍",
            "a <b@c.d>",
            "=?utf-8?q?x?=",
            &long,
        ] {
            let bytes = bytes(&message(name));
            assert_eq!(headers(&bytes), HEADERS, "{bytes}");
            assert!(bytes.is_ascii() && bytes.lines().all(|line| line.len() < 998), "{bytes}");
            assert!(bytes.contains("Message-ID: <7.store@safety.example.com>\r\n"), "{bytes}");
            assert!(bytes.contains("Date: Sun, 01 Mar 2026 12:00:30 +0000\r\n"), "{bytes}");
        }
    }

    #[test]
    fn links_stay_in_one_piece_where_they_can() {
        let link = format!("https://safety.example.com/account/invitations/{}", "s3cret=".repeat(20));
        let text = |more: &str| bytes(&Email { text: format!("{more}:\n{link}"), ..message("Ada") });
        assert!(text("go to").contains(&link));
        assert!(!text("geh zu ä").contains(&link));
        assert!(text(&"x".repeat(5_000)).lines().all(|line| line.len() < 998));
    }

    #[test]
    fn the_same_message_is_the_same_bytes() {
        assert_eq!(bytes(&message("Ada")), bytes(&message("Ada")));
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
    fn the_name_of_an_attachment_is_plain() {
        let from = (EmailAddress::parse("keepclear@example.com").unwrap(), Name::parse("Keepclear").unwrap());
        for bad in ["", "a b.pdf", "a\"b.pdf", "ä.pdf", "../a", "a\r\nX: y"] {
            let message = message("Ada").with_attachment(attachment(bad));
            assert!(matches!(message.encode(&from), Err(SendError::Permanent(_))), "{bad:?}");
        }
    }

    #[test]
    fn a_line_end_never_reaches_a_header() {
        let from = (EmailAddress::parse("keepclear@example.com").unwrap(), Name::parse("Keepclear").unwrap());
        for bad in ["a\r\nBcc: x@y.z", "a\nb", "a\rb", "a\u{0}b", "a\u{7f}b"] {
            assert!(Name::parse(bad).is_err() && EmailAddress::parse(&format!("{bad}@example.com")).is_err());
            let message = Email { subject: bad.to_owned(), ..message("Ada") };
            assert!(matches!(message.encode(&from), Err(SendError::Permanent(_))), "{bad:?}");
            assert!(check_header_text("the name", bad).is_err());
            let id = MessageId::new(bad, bad).to_string();
            assert!(!id.contains(|c: char| c.is_control() || c.is_whitespace()), "{id}");
        }
    }

    #[test]
    fn addresses_that_cannot_be_written_to_are_refused_for_good() {
        let from = (EmailAddress::parse("keepclear@example.com").unwrap(), Name::parse("Keepclear").unwrap());
        // Valid for an account, but not for an envelope.
        let message = Email { to: EmailAddress::parse("a..b@exa_mple.com").unwrap(), ..message("Ada") };
        assert!(matches!(message.encode(&from), Err(SendError::Permanent(_))));
    }
}
