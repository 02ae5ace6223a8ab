//! The mails. Each has a file here, a template for plain text and one for HTML; to add one, copy the smallest. The templates
//! contain no texts: those come from `texts`, in the language of the receiver.

mod account_notice;
mod address_in_use;
mod alert;
mod failed_run;
mod invitation;
mod password_reset;
mod scheduled_report;
mod webhook_disabled;

use domain::Timestamp;
use jiff::tz::TimeZone;
use texts::{Language, mails, values};

pub use account_notice::AccountNotice;
pub use address_in_use::AddressInUse;
pub use alert::{Alert, AlertChart, AlertMailKind, AlertRow};
pub use failed_run::FailedRun;
pub use invitation::Invitation;
pub use password_reset::PasswordReset;
pub use scheduled_report::{ReportLink, ScheduledReport};
pub use webhook_disabled::WebhookDisabled;

/// A mail that can be rendered for a receiver.
pub trait EmailTemplate {
    /// One line, without line breaks.
    fn subject(&self) -> String;
    fn text(&self) -> askama::Result<String>;
    /// Values are escaped because of the template's extension.
    fn html(&self) -> askama::Result<String>;
}

/// Returns the first line of a mail.
fn greeting(language: Language, name: &str) -> String {
    mails::GREETING.fill(language, &[("name", name)])
}

/// Returns the last line of a mail.
fn signature(language: Language, brand: &str) -> String {
    mails::SIGNATURE.fill(language, &[("brand", brand)])
}

/// Formats a time for people in the brand's time zone, or in UTC if that zone is not known here.
pub fn format_time(at: Timestamp, zone: &str, language: Language) -> String {
    let Ok(at) = jiff::Timestamp::from_microsecond(at.micros()) else { return at.to_string() };
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let name = zone.iana_name().unwrap_or("UTC").to_owned();
    let local = at.to_zoned(zone);
    let date = values::LONG_DATE.fill(
        language,
        &[
            ("day", &local.day().to_string()),
            ("month", values::month(language, local.month() - 1)),
            ("year", &local.year().to_string()),
        ],
    );
    format!("{date}, {} ({name})", local.strftime("%H:%M"))
}

#[cfg(test)]
mod tests {
    use domain::{AccountChange, Role};

    use super::*;

    fn invitation(brand: &str, inviter: Option<&str>) -> Invitation {
        Invitation {
            language: Language::English,
            name: "Ada Lovelace".to_owned(),
            inviter: inviter.map(str::to_owned),
            brand: brand.to_owned(),
            role: Role::Admin,
            link: "https://safety.example.com/account/invitations/s3cret-_".to_owned(),
            until: "8 March 2026, 13:00 (Europe/Vienna)".to_owned(),
        }
    }

    #[test]
    fn an_invitation_says_who_what_where_and_until_when() {
        let mail = invitation("Acme & Söhne", Some("Bob"));
        assert_eq!(mail.subject(), "Your invitation to Acme & Söhne");
        let expected = "Hello Ada Lovelace,\n\n\
             Bob has invited you to join Acme & Söhne on Keepclear as an admin.\n\n\
             To choose your password and sign in, open this link:\n\n    \
             https://safety.example.com/account/invitations/s3cret-_\n\n\
             The link can be used once, until 8 March 2026, 13:00 (Europe/Vienna). \
             If you did not expect this invitation, you can ignore it.\n\n\
             -- \nSent by Keepclear, the safety service of Acme & Söhne. Replies to this address are not read.";
        assert_eq!(mail.text().unwrap().trim_end(), expected);
        let html = mail.html().unwrap();
        assert!(html.contains("href=\"https://safety.example.com/account/invitations/s3cret-_\""), "{html}");
        assert!(html.contains("Acme &#38; Söhne") && html.contains("Europe/Vienna"), "{html}");
        assert!(invitation("Acme", None).text().unwrap().contains("You have been invited to join Acme"));
    }

    #[test]
    fn an_address_that_has_an_account_is_told_what_to_do() {
        let mail = AddressInUse {
            language: Language::English,
            name: "Ada Lovelace".to_owned(),
            inviter: Some("Bob".to_owned()),
            brand: "Acme".to_owned(),
        };
        assert_eq!(mail.subject(), "Your invitation to Acme");
        for body in [mail.text().unwrap(), mail.html().unwrap()] {
            for part in ["Hello Ada Lovelace,", "Bob", "Acme", "already has an account", "another address"] {
                assert!(body.contains(part), "{body}");
            }
            assert!(!body.contains("href") && !body.contains("http"), "{body}");
        }
    }

    #[test]
    fn a_name_never_becomes_markup() {
        let html = invitation("<script>alert(1)</script>", Some("\"><img src=x>")).html().unwrap();
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    }

    #[test]
    fn a_password_reset_says_that_nothing_changes_by_itself() {
        let mail = PasswordReset {
            language: Language::English,
            name: "Ada".to_owned(),
            brand: "Acme".to_owned(),
            link: "https://safety.example.com/account/password_resets/s3cret".to_owned(),
            until: "1 March 2026, 14:00 (UTC)".to_owned(),
        };
        assert_eq!(mail.subject(), "A new password for Acme");
        for body in [mail.text().unwrap(), mail.html().unwrap()] {
            for part in ["Hello Ada,", &*mail.link, &*mail.until, "stays the same", "Acme"] {
                assert!(body.contains(part), "{body}");
            }
        }
    }

    #[test]
    fn a_notice_says_what_was_changed_and_what_to_do() {
        for (change, words) in [
            (AccountChange::PasswordChanged, "password has been changed"),
            (AccountChange::SecondFactorAdded, "second factor has been added"),
            (AccountChange::SecondFactorRemoved, "second factor has been removed"),
        ] {
            let mail = AccountNotice {
                language: Language::English,
                name: "Ada".to_owned(),
                brand: "Acme".to_owned(),
                change,
                at: "1 March 2026, 14:00 (UTC)".to_owned(),
            };
            assert!(mail.subject().ends_with(" at Acme"), "{}", mail.subject());
            for body in [mail.text().unwrap(), mail.html().unwrap()] {
                for part in ["Hello Ada,", words, &*mail.at, "If it was not", "Acme"] {
                    assert!(body.contains(part), "{body}");
                }
            }
        }
    }

    #[test]
    fn moments_are_told_in_the_brands_zone() {
        let at = Timestamp::parse("2026-03-08T12:00:30Z").unwrap();
        let (english, german) = (Language::English, Language::German);
        assert_eq!(format_time(at, "Europe/Vienna", english), "8 March 2026, 13:00 (Europe/Vienna)");
        assert_eq!(format_time(at, "UTC", english), "8 March 2026, 12:00 (UTC)");
        assert_eq!(format_time(at, "Nowhere/Else", english), "8 March 2026, 12:00 (UTC)");
        assert_eq!(format_time(at, "Europe/Vienna", german), "8. März 2026, 13:00 (Europe/Vienna)");
    }

    #[test]
    fn a_german_reads_german() {
        let mail = Invitation { language: Language::German, ..invitation("Acme & Söhne", Some("{brand}")) };
        assert_eq!(mail.subject(), "Ihre Einladung zu Acme & Söhne");
        let expected = "Guten Tag Ada Lovelace,\n\n\
             {brand} hat Sie eingeladen, Acme & Söhne auf Keepclear als Administrator beizutreten.\n\n\
             Um Ihr Passwort zu wählen und sich anzumelden, öffnen Sie diesen Link:\n\n    \
             https://safety.example.com/account/invitations/s3cret-_\n\n\
             Der Link kann einmal verwendet werden, bis 8 March 2026, 13:00 (Europe/Vienna). \
             Wenn Sie diese Einladung nicht erwartet haben, können Sie sie ignorieren.\n\n\
             -- \nGesendet von Keepclear, dem Dienst für Arbeitssicherheit von Acme & Söhne. \
             Antworten an diese Adresse werden nicht gelesen.";
        assert_eq!(mail.text().unwrap().trim_end(), expected);
        let html = mail.html().unwrap();
        assert!(html.contains("<html lang=\"de\">"), "{html}");
        assert!(html.contains("<strong>Acme &#38; Söhne</strong> auf Keepclear als Administrator"), "{html}");
        assert!(html.contains(">Passwort wählen und anmelden</a>"), "{html}");
    }

    /// All mails in German, with words of which none may be left over from English.
    #[test]
    fn every_mail_is_translated() {
        let (language, brand) = (Language::German, "Acme".to_owned());
        let (name, link) = ("Ada".to_owned(), "https://safety.example.com/x".to_owned());
        let until = "8. März 2026, 13:00 (UTC)".to_owned();
        let in_use = |inviter: Option<&str>| AddressInUse {
            language,
            name: name.clone(),
            inviter: inviter.map(str::to_owned),
            brand: brand.clone(),
        };
        let reset =
            PasswordReset { language, name: name.clone(), brand: brand.clone(), link, until: until.clone() };
        let notice = |change: AccountChange| AccountNotice {
            language,
            name: name.clone(),
            brand: brand.clone(),
            change,
            at: until.clone(),
        };
        let invited = Invitation { language, ..invitation("Acme", None) };
        let all: [&dyn EmailTemplate; 7] = [
            &in_use(Some("Bob")),
            &in_use(None),
            &reset,
            &notice(AccountChange::PasswordChanged),
            &notice(AccountChange::SecondFactorAdded),
            &notice(AccountChange::SecondFactorRemoved),
            &invited,
        ];
        for mail in all {
            assert!(mail.subject().contains("Acme"), "{}", mail.subject());
            for body in [mail.subject(), mail.text().unwrap(), mail.html().unwrap()] {
                for word in [" your ", "Your", " you ", " the ", "Hello", "password", "account ", "invited"] {
                    assert!(!body.contains(word), "{word}: {body}");
                }
                assert!(body.contains("Acme") && !body.contains('{'), "{body}");
            }
        }
    }
}
