//! A message: a rendered template with an address, a date and an id.

mod encoded_words;
mod message_id;
mod parts;

use std::time::{Duration, SystemTime};

use domain::{EmailAddress, Name, Timestamp};
use lettre::Address;
use lettre::address::Envelope;
use lettre::message::Mailbox;
use lettre::message::header::{HeaderName, HeaderValue};

use crate::{EmailTemplate, SendError};

pub use message_id::MessageId;
pub use parts::{Attachment, InlineImage};

/// The maximum length of the address at which someone unsubscribes, so that its header fits on a line.
const MAX_UNSUBSCRIBE_BYTES: usize = 900;

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
    pub images: Vec<InlineImage>,
    /// The message that this one follows, so that mail programs show them together.
    pub in_reply_to: Option<MessageId>,
    /// The address at which the receiver's mail program unsubscribes them with one click (RFC 8058).
    pub unsubscribe: Option<String>,
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
        Ok(Self {
            id,
            to,
            name,
            date,
            subject: mail.subject(),
            text,
            html,
            attachments: Vec::new(),
            images: Vec::new(),
            in_reply_to: None,
            unsubscribe: None,
        })
    }

    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }

    #[must_use]
    pub fn with_image(mut self, image: InlineImage) -> Self {
        self.images.push(image);
        self
    }

    #[must_use]
    pub fn in_reply_to(mut self, id: MessageId) -> Self {
        self.in_reply_to = Some(id);
        self
    }

    #[must_use]
    pub fn with_unsubscribe(mut self, address: String) -> Self {
        self.unsubscribe = Some(address);
        self
    }

    /// Whether a message can be addressed to its recipient: some addresses that accounts can have are not valid for mail.
    pub fn has_valid_recipient(&self) -> bool {
        // The header is read again when a message is encoded.
        mailbox(&self.to, &self.name).is_ok_and(|mailbox| mailbox.to_string().parse::<Mailbox>().is_ok())
    }

    /// Returns the envelope and the encoded message. The same message always gives the same bytes.
    pub(crate) fn encode(&self, from: &(EmailAddress, Name)) -> Result<(Envelope, Vec<u8>), SendError> {
        let sender = mailbox(&from.0, &from.1)?;
        let recipient = mailbox(&self.to, &self.name)?;
        check_header_text("the subject", &self.subject)?;
        let envelope = Envelope::new(Some(sender.email.clone()), vec![recipient.email.clone()])
            .map_err(|error| SendError::Permanent(error.to_string()))?;
        let micros = u64::try_from(self.date.micros()).unwrap_or(0);
        let header = |name: &'static str, value: &str| {
            HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
        };
        let mut builder = lettre::Message::builder()
            .message_id(Some(self.id.to_string()))
            .date(SystemTime::UNIX_EPOCH + Duration::from_micros(micros))
            .from(sender.clone())
            .to(recipient.clone())
            .subject(self.subject.clone())
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(id) = &self.in_reply_to {
            let id = id.to_string();
            builder = builder.raw_header(header("In-Reply-To", &id)).raw_header(header("References", &id));
        }
        if let Some(address) = &self.unsubscribe {
            check_unsubscribe_address(address)?;
            builder = builder
                .raw_header(header("List-Unsubscribe", &format!("<{address}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let mut message = builder
            .multipart(self.encode_parts()?)
            .map_err(|error| SendError::Permanent(error.to_string()))?;
        encoded_words::protect_literals(&mut message, &self.subject, &sender, &recipient);
        Ok((envelope, message.formatted()))
    }
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

/// Refuses an address that would not stay in one piece in its header.
fn check_unsubscribe_address(address: &str) -> Result<(), SendError> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b',');
    if address.len() > MAX_UNSUBSCRIBE_BYTES || !address.bytes().all(is_plain) {
        return Err(SendError::Permanent("the address to unsubscribe at is not plain".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn message(name: &str) -> Email {
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
            images: Vec::new(),
            in_reply_to: None,
            unsubscribe: None,
        }
    }

    pub(super) fn bytes(message: &Email) -> String {
        let from = (EmailAddress::parse("keepclear@example.com").unwrap(), Name::parse("Keepclear").unwrap());
        String::from_utf8(message.encode(&from).unwrap().1).unwrap()
    }

    /// The names of the headers; lines that begin with a blank continue the one before.
    pub(super) fn headers(bytes: &str) -> Vec<&str> {
        let head = bytes.split("\r\n\r\n").next().unwrap();
        let lines = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
        lines.map(|line| line.split(':').next().unwrap()).collect()
    }

    pub(super) const HEADERS: [&str; 8] =
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
    fn what_looks_encoded_is_shown_literally() {
        let literal = "=?utf-8?q?a?= parcel";
        let bytes = bytes(&Email { subject: literal.to_owned(), ..message(literal) });
        assert_eq!(headers(&bytes), HEADERS, "{bytes}");
        let encoded = "=?utf-8?q?=3D=3Futf=2D8=3Fq=3Fa=3F=3D_parcel?=";
        assert!(bytes.contains(&format!("\r\nSubject: {encoded}\r\n")), "{bytes}");
        assert!(bytes.contains(&format!("\r\nTo: {encoded}\r\n <ada@example.com>\r\n")), "{bytes}");
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
    fn a_mail_program_learns_where_to_unsubscribe() {
        let address = format!("https://safety.example.com/links/alerts/{}", "a1-_.".repeat(60));
        let text = bytes(&message("Ada").with_unsubscribe(address.clone()));
        assert!(text.contains(&format!("\r\nList-Unsubscribe: <{address}>\r\n")), "{text}");
        assert!(text.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"), "{text}");
        let from = (EmailAddress::parse("keepclear@example.com").unwrap(), Name::parse("Keepclear").unwrap());
        let long = format!("https://safety.example.com/{}", "x".repeat(900));
        for bad in ["https://a b", "https://a>,<mailto:b", "https://ä", "https://a\r\nBcc: x@y.z", &long] {
            let message = message("Ada").with_unsubscribe(bad.to_owned());
            assert!(matches!(message.encode(&from), Err(SendError::Permanent(_))), "{bad:?}");
        }
    }

    #[test]
    fn a_message_can_follow_another() {
        let first = MessageId::new("5.store", "safety.example.com");
        let text = bytes(&message("Ada").in_reply_to(first));
        assert!(text.contains("\r\nIn-Reply-To: <5.store@safety.example.com>\r\n"), "{text}");
        assert!(text.contains("\r\nReferences: <5.store@safety.example.com>\r\n"), "{text}");
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
        // Earlier versions accepted these.
        for stored in ["a..b@exa_mple.com", "a@[127.0.0.1]", "a\u{301}@example.com"] {
            let message = Email { to: EmailAddress::parse_stored(stored).unwrap(), ..message("Ada") };
            assert!(matches!(message.encode(&from), Err(SendError::Permanent(_))), "{stored}");
            assert!(!message.has_valid_recipient(), "{stored}");
        }
        assert!(message("Ada").has_valid_recipient());
    }
}
