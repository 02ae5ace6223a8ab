//! Every address that is accepted as new can be written to.

use domain::{EmailAddress, Name, Timestamp};
use proptest::prelude::*;

use crate::{Email, MessageId};

/// Checks that a message to and from an address can be encoded, if the address is accepted. Encoding reads the headers again.
fn check(text: &str) {
    let Ok(address) = EmailAddress::parse(text) else { return };
    let local = text.trim().split('@').next().unwrap_or_default();
    for name in ["Ada Lovelace", local] {
        let name = Name::parse(name).unwrap();
        let message = Email {
            id: MessageId::new("7.store", "safety.example.com"),
            to: address.clone(),
            name: name.clone(),
            date: Timestamp::from_seconds(1_772_366_430),
            subject: "A report".to_owned(),
            text: "A line.".to_owned(),
            html: "<p>A line.</p>".to_owned(),
            attachments: Vec::new(),
            images: Vec::new(),
            in_reply_to: None,
            unsubscribe: None,
        };
        let (envelope, _) = message.encode(&(address.clone(), name)).unwrap();
        assert_eq!(envelope.to().iter().map(ToString::to_string).collect::<Vec<_>>(), [address.as_str()]);
        assert_eq!(envelope.from().map(ToString::to_string).as_deref(), Some(address.as_str()));
    }
}

/// A part of an address: mostly letters, with the signs that are special in addresses and any other characters.
fn part() -> impl Strategy<Value = String> {
    let signs: Vec<char> = ".-_!#$%&'*+/=?^`{|}~\\:;,()<>[]\"@ \u{301}\u{3164}éß李٣".chars().collect();
    let character = prop_oneof![
        4 => prop::char::range('a', 'z'),
        2 => prop::sample::select(signs),
        1 => any::<char>(),
    ];
    prop::collection::vec(character, 1..6).prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_accepted_can_be_written_to(local in part(), host in part()) {
        check(&format!("{local}@{host}"));
    }
}

#[test]
fn the_longest_and_the_oddest_addresses_can_be_written_to() {
    let label = "b".repeat(63);
    for text in [
        "keepclear@localhost",
        "!#$%&'*+-/=?^_`{|}~@example.com",
        "a.b.c@1.2.3.4",
        "ada+x@bücher.example",
        "jörg.李@例え.jp",
        "a@exa_mple.com",
        &format!("{}@{label}.{label}.{}", "a".repeat(64), "c".repeat(61)),
    ] {
        assert!(EmailAddress::parse(text).is_ok(), "{text}");
        check(text);
    }
}
