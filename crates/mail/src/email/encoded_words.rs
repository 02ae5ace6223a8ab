//! Texts of headers that look like encoded words (RFC 2047), and are meant literally.

use std::fmt::Write;

use lettre::Message;
use lettre::message::Mailbox;
use lettre::message::header::{HeaderName, HeaderValue};

/// Encoded characters of one word, so that a line with the longest name of a header has fewer than 76.
const MAX_CHARS: usize = 48;

/// Encodes those of the three headers in which mail programs would decode something that nobody has encoded.
pub(super) fn protect_literals(message: &mut Message, subject: &str, from: &Mailbox, to: &Mailbox) {
    if looks_encoded(subject) {
        set(message, "Subject", subject, encode(subject));
    }
    for (header, mailbox) in [("From", from), ("To", to)] {
        if let Some(name) = mailbox.name.as_deref().filter(|name| looks_encoded(name)) {
            let encoded = format!("{}\r\n <{}>", encode(name), mailbox.email);
            set(message, header, &mailbox.to_string(), encoded);
        }
    }
}

fn looks_encoded(text: &str) -> bool {
    text.contains("=?")
}

fn set(message: &mut Message, header: &'static str, raw: &str, encoded: String) {
    let name = HeaderName::new_from_ascii_str(header);
    message.headers_mut().insert_raw(HeaderValue::dangerous_new_pre_encoded(name, raw.to_owned(), encoded));
}

/// Encodes all of a text, in words on lines of their own, which mail programs show without the breaks.
fn encode(text: &str) -> String {
    let mut words = vec![String::new()];
    for character in text.chars() {
        let mut encoded = String::new();
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            match byte {
                b' ' => encoded.push('_'),
                byte if byte.is_ascii_alphanumeric() => encoded.push(char::from(byte)),
                byte => {
                    // Writing to a string does not fail.
                    let _ = write!(encoded, "={byte:02X}");
                }
            }
        }
        match words.last_mut() {
            Some(word) if word.len() + encoded.len() <= MAX_CHARS => word.push_str(&encoded),
            _ => words.push(encoded),
        }
    }
    let words = words.iter().map(|word| format!("=?utf-8?q?{word}?="));
    words.collect::<Vec<_>>().join("\r\n ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_encoded_in_short_words() {
        assert_eq!(encode("=?utf-8?q?a?= ß"), "=?utf-8?q?=3D=3Futf=2D8=3Fq=3Fa=3F=3D_=C3=9F?=");
        let long = encode(&"=?ß".repeat(40));
        let lines: Vec<&str> = long.split("\r\n ").collect();
        assert!(
            lines.len() > 5 && lines.iter().all(|line| line.len() <= 62 && line.ends_with("?=")),
            "{long}"
        );
        // No character is divided between two words.
        assert!(
            lines.iter().all(|line| line.matches("=C3").count() == line.matches("=9F").count()),
            "{long}"
        );
    }
}
