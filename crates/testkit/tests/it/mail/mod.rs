//! Messages through a real SMTP server on loopback, and as files.

mod parser;

use std::path::Path;

use domain::{EmailAddress, Name, Timestamp};
use mail::{Attachment, Email, InlineImage, Mailer, MessageId, SendError, Transport};
use server::{Config, Layers};
use testbed::{SmtpBehaviour, SmtpServer};
use testkit::Engine;

pub use parser::parse;

fn config() -> mail::Config {
    Config::load(&Layers::default()).unwrap().mail
}

fn mailer_to(server: &SmtpServer, change: impl FnOnce(&mut mail::Config)) -> Mailer {
    let mut config = config();
    config.transport = Transport::Smtp;
    config.smtp.host = "127.0.0.1".to_owned();
    config.smtp.port = server.address().port();
    config.smtp.security = mail::Security::None;
    config.smtp.command_timeout_s = 20;
    change(&mut config);
    Mailer::new(&config, Path::new("/nowhere")).unwrap()
}

fn message() -> Email {
    Email {
        id: MessageId::new("7.store", "safety.example.com"),
        to: EmailAddress::parse("ada@example.com").unwrap(),
        name: Name::parse("Ada Lovelace").unwrap(),
        date: Timestamp::from_seconds(1_772_366_430),
        subject: "Come in".to_owned(),
        text: "One line.\n.\n..two dots\nThe end.".to_owned(),
        html: "<p>One line.</p>".to_owned(),
        attachments: Vec::new(),
        images: Vec::new(),
        in_reply_to: None,
        unsubscribe: None,
    }
}

fn run(test: impl AsyncFnOnce()) {
    testkit::run(Engine::Sqlite, |_: Engine| test());
}

#[test]
fn a_message_arrives_as_it_was_written() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let mailer = mailer_to(&server, |config| {
            config.smtp.username = "keepclear".to_owned();
            config.smtp.password = mail::Secret("s3cret".to_owned());
        });
        mailer.send(&message()).await.unwrap();
        mailer.send(&message()).await.unwrap();
        let received = server.received();
        let [first, again] = received.as_slice() else { panic!("{received:?}") };
        assert_eq!((&*first.from, &*first.to[0]), ("keepclear@localhost", "ada@example.com"));
        // PLAIN puts a NUL before the name and before the password.
        assert_eq!(first.auth_plain.as_deref(), Some("AGtlZXBjbGVhcgBzM2NyZXQ="));
        assert_eq!(first.header("Message-ID"), "<7.store@safety.example.com>");
        assert_eq!(first.header("To"), "\"Ada Lovelace\" <ada@example.com>");
        assert_eq!(first.header("Auto-Submitted"), "auto-generated");
        assert!(first.text.contains("One line.\r\n.\r\n..two dots\r\nThe end."), "{}", first.text);
        assert!(first.text.contains("<p>One line.</p>"), "{}", first.text);
        assert_eq!(first.text, again.text, "the same message is the same bytes");
    });
}

#[test]
fn a_parser_shows_literally_what_looks_encoded() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let literal =
            "Warning: \"=?utf-8?q?a?= at =?utf-8?b?ZXZpbA==?=\", Größe, and more so that it has to be folded";
        let name = "=?utf-8?q?Ada?= Ünal";
        let message = Email { subject: literal.to_owned(), name: Name::parse(name).unwrap(), ..message() };
        mailer_to(&server, |_| {}).send(&message).await.unwrap();
        let received = parse(&server.received()[0].text);
        assert_eq!(received["defects"], serde_json::json!([]));
        assert_eq!(received["headers"]["subject"], literal);
        let to = received["headers"]["to"].as_str().unwrap();
        assert!(to.contains(name) && to.ends_with("<ada@example.com>"), "{to}");
    });
}

#[test]
fn a_parser_finds_the_image_the_file_and_where_to_unsubscribe() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let address = "https://safety.example.com/links/alerts/1.2.3.1900000000.s3cret-_";
        let (image, file) = (vec![0x89, b'P', b'N', b'G', 0, 255], b"a,b\r\n".to_vec());
        let id = message().id.part("chart");
        let first = MessageId::new("5.store", "safety.example.com");
        let message = message()
            .with_image(InlineImage { id: id.clone(), content_type: "image/png", bytes: image })
            .with_attachment(Attachment { name: "a.csv".to_owned(), content_type: "text/csv", bytes: file })
            .in_reply_to(first)
            .with_unsubscribe(address.to_owned());
        mailer_to(&server, |_| {}).send(&message).await.unwrap();
        let received = parse(&server.received()[0].text);
        assert_eq!(received["type"], "multipart/mixed");
        assert_eq!(received["defects"], serde_json::json!([]));
        assert_eq!(received["headers"]["list-unsubscribe"], format!("<{address}>"));
        assert_eq!(received["headers"]["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
        let [alternatives, attachment] = &received["parts"].as_array().unwrap()[..] else {
            panic!("{received}")
        };
        assert_eq!(attachment["type"], "text/csv");
        assert_eq!(attachment["text"], "a,b\r\n");
        assert_eq!(alternatives["type"], "multipart/alternative");
        assert_eq!(alternatives["parts"][0]["type"], "text/plain");
        let related = &alternatives["parts"][1];
        assert_eq!(related["type"], "multipart/related");
        assert_eq!(related["parts"][0]["type"], "text/html");
        let image = &related["parts"][1];
        assert_eq!(image["type"], "image/png");
        assert_eq!(image["bytes"], "89504e4700ff");
        assert_eq!(image["headers"]["content-id"], "<chart.7.store@safety.example.com>");
        for header in ["in-reply-to", "references"] {
            assert_eq!(received["headers"][header], "<5.store@safety.example.com>");
        }
    });
}

#[test]
fn what_may_pass_is_tried_again_and_what_will_not_is_given_up() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let mailer = mailer_to(&server, |config| {
            config.smtp.username = "keepclear".to_owned();
            config.smtp.password = mail::Secret("s3cret".to_owned());
        });
        for (conduct, is_transient, part) in [
            (SmtpBehaviour::RefuseRecipient("451 try later"), true, "try later"),
            (SmtpBehaviour::RefuseData("421 going down"), true, "going down"),
            (SmtpBehaviour::RefuseMessage("452 disk full"), true, "disk full"),
            (SmtpBehaviour::DropAfterMessage, true, ""),
            // Not caused by the message: an operator of either side can fix it.
            (SmtpBehaviour::RefuseGreeting("554 not you"), true, "not you"),
            (SmtpBehaviour::RefuseLogin("535 wrong password"), true, "wrong password"),
            (SmtpBehaviour::RefuseRecipient("550 no such user"), false, "no such user"),
            (SmtpBehaviour::RefuseData("554 no"), false, "no"),
            (SmtpBehaviour::RefuseMessage("550-this is\r\n550 spam"), false, "spam"),
        ] {
            server.queue_behaviours([conduct]);
            let error = mailer.send(&message()).await.unwrap_err();
            assert_eq!(matches!(error, SendError::Transient(_)), is_transient, "{conduct:?}: {error}");
            assert!(error.to_string().contains(part), "{conduct:?}: {error}");
        }
        mailer.send(&message()).await.unwrap();
    });
}

#[test]
fn a_server_that_hangs_is_cut() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let mailer = mailer_to(&server, |config| {
            config.smtp.connect_timeout_s = 1;
            config.smtp.command_timeout_s = 1;
        });
        for conduct in [SmtpBehaviour::Stall, SmtpBehaviour::StallAfterMessage] {
            server.queue_behaviours([conduct]);
            let error = mailer.send(&message()).await.unwrap_err();
            assert!(
                matches!(&error, SendError::Transient(reason) if reason.contains("no answer")),
                "{error}"
            );
        }
    });
}

#[test]
fn a_server_that_is_away_may_come_back() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let mailer = mailer_to(&server, |_| {});
        drop(server);
        // The listener stops with the next connection at the latest.
        let mut last = mailer.send(&message()).await;
        while last.is_ok() {
            last = mailer.send(&message()).await;
        }
        assert!(matches!(last, Err(SendError::Transient(_))), "{last:?}");
    });
}

#[test]
fn nothing_is_said_before_it_is_secure() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let mailer = mailer_to(&server, |config| {
            config.smtp.security = mail::Security::Starttls;
            config.smtp.username = "keepclear".to_owned();
            config.smtp.password = mail::Secret("s3cret".to_owned());
        });
        // `Accept` offers no STARTTLS at all.
        for conduct in [SmtpBehaviour::Accept, SmtpBehaviour::BreakTls] {
            server.queue_behaviours([conduct]);
            let error = mailer.send(&message()).await.unwrap_err();
            assert!(matches!(error, SendError::Transient(_)), "{conduct:?}: {error}");
        }
        let commands = server.commands();
        let verbs: Vec<&str> = commands.iter().filter_map(|line| line.split(' ').next()).collect();
        assert!(verbs.iter().all(|verb| matches!(*verb, "EHLO" | "STARTTLS" | "QUIT")), "{verbs:?}");

        let mailer = mailer_to(&server, |config| config.smtp.security = mail::Security::Tls);
        let error = mailer.send(&message()).await.unwrap_err();
        assert!(matches!(error, SendError::Transient(_)), "{error}");
    });
}

#[test]
fn a_server_is_spoken_to_if_its_certificate_is_good() {
    run(async || {
        for (security, (server, authority)) in [
            (mail::Security::Starttls, SmtpServer::start_with_starttls().unwrap()),
            (mail::Security::Tls, SmtpServer::start_with_tls().unwrap()),
        ] {
            let folder = testkit::temporary_folder();
            let file = folder.path().join("ca.pem");
            std::fs::write(&file, authority).unwrap();
            let trusting = |host: &str, ca_file: &Path| {
                mailer_to(&server, |config| {
                    config.smtp.security = security;
                    config.smtp.host = host.to_owned();
                    config.smtp.ca_file = ca_file.to_owned();
                    config.smtp.username = "keepclear".to_owned();
                    config.smtp.password = mail::Secret("s3cret".to_owned());
                })
            };
            // An unknown authority, and a different host name.
            for mailer in [trusting("localhost", Path::new("")), trusting("127.0.0.1", &file)] {
                let error = mailer.send(&message()).await.unwrap_err();
                assert!(matches!(error, SendError::Transient(_)), "{security:?}: {error}");
            }
            let is_login = |line: &String| line.starts_with("AUTH") || line.starts_with("MAIL");
            assert!(!server.commands().iter().any(is_login), "{:?}", server.commands());
            trusting("localhost", &file).send(&message()).await.unwrap();
            let received = server.received();
            let [message] = received.as_slice() else { panic!("{received:?}") };
            assert!(message.is_secure && message.auth_plain.is_some());
        }
    });
}

#[test]
fn an_address_that_is_not_ascii_needs_a_server_that_takes_them() {
    run(async || {
        let server = SmtpServer::start().unwrap();
        let message = Email { to: EmailAddress::parse("søren@example.com").unwrap(), ..message() };
        mailer_to(&server, |_| {}).send(&message).await.unwrap();
        assert!(server.commands().iter().any(|line| line.starts_with("MAIL") && line.contains("SMTPUTF8")));
        assert_eq!(server.received()[0].to, ["søren@example.com"]);
    });
}

#[test]
fn a_folder_holds_a_file_per_message_for_its_owner_alone() {
    run(async || {
        use std::os::unix::fs::PermissionsExt;

        let data = testkit::temporary_folder();
        let mailer = Mailer::new(&config(), data.path()).unwrap();
        mailer.send(&message()).await.unwrap();
        mailer.send(&message()).await.unwrap();
        let other = MessageId::new("../8.store", "safety.example.com");
        mailer.send(&Email { id: other, ..message() }).await.unwrap();
        let folder = data.path().join("mail");
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["2026-03-01-.._8.store.eml", "2026-03-01-7.store.eml"]);
        assert_eq!(std::fs::metadata(&files[1]).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        let text = std::fs::read_to_string(&files[1]).unwrap();
        assert!(text.contains("Subject: Come in\r\n") && text.contains("One line."), "{text}");
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "in the way").unwrap();
        assert!(matches!(mailer.send(&message()).await, Err(SendError::Transient(_))));
    });
}

#[test]
fn a_server_far_away_is_not_spoken_to_in_the_clear() {
    let mut config = config();
    config.transport = Transport::Smtp;
    config.smtp.host = "mail.example.com".to_owned();
    config.smtp.security = mail::Security::None;
    assert_eq!(config.check().unwrap_err().0, "mail.smtp.security");
    config.smtp.security = mail::Security::Tls;
    config.check().unwrap();
    config.smtp.username = "keepclear".to_owned();
    assert_eq!(config.check().unwrap_err().0, "mail.smtp.username");
    config.smtp.password = mail::Secret("s3cret".to_owned());
    config.check().unwrap();
    assert!(!format!("{config:?}").contains("s3cret"));
    config.smtp.ca_file = "/nowhere/ca.pem".into();
    assert_eq!(Mailer::new(&config, Path::new("/nowhere")).unwrap_err().0, "mail.smtp.ca_file");
}
