//! Notifies someone that an alarm was raised or has cleared.

use askama::Template;
use texts::{Language, alerts, schedules};

use super::{greeting, signature};
use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct Alert {
    pub language: Language,
    /// Name of the receiver; `None` if the address belongs to no user.
    pub name: Option<String>,
    pub brand: String,
    /// Name of the alert.
    pub rule: String,
    pub kind: AlertMailKind,
    /// What happened, the most important first.
    pub rows: Vec<AlertRow>,
    /// The number of events that are not among the rows.
    pub more: usize,
    /// About the first row.
    pub chart: Option<AlertChart>,
    pub rule_link: String,
    /// The address at which the receiver unsubscribes; none if they cannot.
    pub unsubscribe: Option<String>,
}

/// An image of the message.
#[derive(Clone, Debug)]
pub struct AlertChart {
    /// The id of the image in the message.
    pub id: String,
    /// For readers who cannot see it.
    pub description: String,
}

/// One event.
#[derive(Clone, Debug)]
pub struct AlertRow {
    /// The word, such as `warning`.
    pub severity: &'static str,
    pub is_cleared: bool,
    /// What, where and how much.
    pub headline: String,
    /// Labels and values.
    pub facts: Vec<(String, String)>,
    /// Texts and addresses.
    pub links: Vec<(String, String)>,
}

/// Why a mail is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertMailKind {
    Fired,
    Cleared,
    /// Active hours have begun.
    Held,
    /// There were too many mails within an hour.
    Digest,
    Test,
}

#[derive(Template)]
#[template(path = "alert.txt")]
struct Text<'a> {
    mail: &'a Alert,
}

#[derive(Template)]
#[template(path = "alert.html")]
struct Html<'a> {
    mail: &'a Alert,
}

impl Alert {
    fn greeting(&self) -> String {
        match &self.name {
            Some(name) => greeting(self.language, name),
            None => schedules::GREETING_WITHOUT_NAME.get(self.language).to_owned(),
        }
    }

    fn signature(&self) -> String {
        signature(self.language, &self.brand)
    }

    fn introduction(&self) -> String {
        let text = match self.kind {
            AlertMailKind::Fired => alerts::INTRODUCTION_FIRED,
            AlertMailKind::Cleared => alerts::INTRODUCTION_CLEARED,
            AlertMailKind::Held => alerts::INTRODUCTION_HELD,
            AlertMailKind::Digest => alerts::INTRODUCTION_DIGEST,
            AlertMailKind::Test => alerts::INTRODUCTION_TEST,
        };
        text.fill(self.language, &[("brand", &self.brand)])
    }

    fn label(&self, row: &AlertRow) -> &'static str {
        match self.kind {
            AlertMailKind::Test => alerts::TEST.get(self.language),
            _ if row.is_cleared => alerts::CLEARED.get(self.language),
            _ => alerts::severity(self.language, row.severity),
        }
    }

    fn title(&self, row: &AlertRow) -> String {
        alerts::SUBJECT.fill(self.language, &[("label", self.label(row)), ("headline", &row.headline)])
    }

    /// Returns the colour of the bar beside a title. What it says is written in the title as well.
    fn colour(&self, row: &AlertRow) -> &'static str {
        match row.severity {
            _ if row.is_cleared => "#2e7d32",
            "critical" => "#b3261e",
            "info" => "#1d6fa5",
            _ => "#b26a00",
        }
    }

    fn not_listed(&self) -> String {
        let more = i64::try_from(self.more).unwrap_or(i64::MAX);
        alerts::NOT_LISTED.of(self.language, more, &[])
    }

    fn alert_label(&self) -> &'static str {
        alerts::ALERT.get(self.language)
    }

    fn open_alert(&self) -> &'static str {
        alerts::OPEN_ALERT.get(self.language)
    }

    fn to_unsubscribe(&self) -> &'static str {
        alerts::TO_UNSUBSCRIBE.get(self.language)
    }

    fn unsubscribe_text(&self) -> &'static str {
        alerts::UNSUBSCRIBE.get(self.language)
    }
}

impl EmailTemplate for Alert {
    fn subject(&self) -> String {
        let Some(first) = self.rows.first() else { return self.introduction() };
        let others = i64::try_from(self.rows.len() - 1 + self.more).unwrap_or(i64::MAX);
        let values = [("label", self.label(first)), ("headline", &*first.headline), ("rule", &*self.rule)];
        match (self.kind, others) {
            (AlertMailKind::Test, _) => alerts::SUBJECT_TEST.fill(self.language, &values),
            (_, 0) => alerts::SUBJECT.fill(self.language, &values),
            _ => alerts::SUBJECT_DIGEST.of(self.language, others, &values),
        }
    }

    fn text(&self) -> askama::Result<String> {
        Text { mail: self }.render()
    }

    fn html(&self) -> askama::Result<String> {
        Html { mail: self }.render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(headline: &str) -> AlertRow {
        AlertRow {
            severity: "warning",
            is_cleared: false,
            headline: headline.to_owned(),
            facts: vec![
                ("Value".to_owned(), "12".to_owned()),
                ("Threshold".to_owned(), "at least 10".to_owned()),
            ],
            links: vec![(
                "Open the alarm".to_owned(),
                "https://safety.example.com/alerts/3/firings/7".to_owned(),
            )],
        }
    }

    fn chart(description: &str) -> AlertChart {
        AlertChart { id: "chart.7@safety.example.com".to_owned(), description: description.to_owned() }
    }

    fn fired(language: Language) -> Alert {
        Alert {
            language,
            name: Some("Ada Lovelace".to_owned()),
            brand: "Acme & Sons".to_owned(),
            rule: "Yard, too many".to_owned(),
            kind: AlertMailKind::Fired,
            rows: vec![row("12 incursions in 60 minutes at Yard North (threshold 10)")],
            more: 0,
            chart: Some(chart("Incursions, 12 at the end")),
            rule_link: "https://safety.example.com/alerts/3".to_owned(),
            unsubscribe: Some("https://safety.example.com/links/alerts/1.3.5.1900000000.s3cret-_".to_owned()),
        }
    }

    #[test]
    fn a_mail_says_what_happened_and_how_to_leave() {
        let mail = fired(Language::English);
        assert_eq!(mail.subject(), "Warning: 12 incursions in 60 minutes at Yard North (threshold 10)");
        let expected = "Hello Ada Lovelace,\n\n\
             An alert of Acme & Sons has fired.\n\n\
             Warning: 12 incursions in 60 minutes at Yard North (threshold 10)\n\n    \
             Value: 12\n    \
             Threshold: at least 10\n\n    \
             Open the alarm: https://safety.example.com/alerts/3/firings/7\n\n    \
             Alert: Yard, too many\n    \
             Open the alert: https://safety.example.com/alerts/3\n\n\
             To stop receiving mails of this alert, open this link:\n\n    \
             https://safety.example.com/links/alerts/1.3.5.1900000000.s3cret-_\n\n\
             -- \nSent by Keepclear, the safety service of Acme & Sons. Replies to this address are not read.";
        assert_eq!(mail.text().unwrap().trim_end(), expected);
        let html = mail.html().unwrap();
        for part in [
            "<img src=\"cid:chart.7@safety.example.com\" alt=\"Incursions, 12 at the end\"",
            "href=\"https://safety.example.com/alerts/3/firings/7\"",
            "href=\"https://safety.example.com/links/alerts/1.3.5.1900000000.s3cret-_\"",
            "Acme &#38; Sons",
            "#b26a00",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn several_events_are_counted_in_the_subject() {
        let mail = Alert {
            kind: AlertMailKind::Digest,
            rows: vec![row("One"), AlertRow { is_cleared: true, ..row("Two") }],
            more: 13,
            chart: None,
            ..fired(Language::English)
        };
        assert_eq!(mail.subject(), "Warning: One, and 14 more");
        let text = mail.text().unwrap();
        assert!(text.contains("\n\nWarning: One\n\n    Value: 12\n"), "{text}");
        assert!(text.contains("firings/7\n\nCleared: Two\n\n    Value: 12\n"), "{text}");
        assert!(text.contains("\n\n13 more events are not listed here; the alert has them.\n\n"), "{text}");
        let html = mail.html().unwrap();
        assert!(html.contains("#2e7d32") && !html.contains("<img") && html.contains("13 more"), "{html}");
        let one = Alert { kind: AlertMailKind::Held, ..fired(Language::English) };
        assert!(one.subject().starts_with("Warning: 12 incursions"), "{}", one.subject());
        assert!(one.text().unwrap().contains("outside the active hours"));
    }

    #[test]
    fn a_test_is_marked_and_cannot_be_left() {
        let (kind, english) = (AlertMailKind::Test, fired(Language::English));
        let mail = Alert { kind, name: None, unsubscribe: None, ..english };
        let subject = mail.subject();
        assert!(subject.starts_with("Test of \"Yard, too many\": 12 incursions"), "{subject}");
        let text = mail.text().unwrap();
        assert!(text.starts_with("Hello,\n\nThis is a test of an alert"), "{text}");
        assert!(text.contains("\n\nTest: 12 incursions"), "{text}");
        assert!(text.contains("/alerts/3\n\n-- \n"), "{text}");
        assert!(!mail.html().unwrap().contains("/links/alerts/"));
    }

    #[test]
    fn a_mail_is_in_the_language_of_its_reader() {
        let cleared = vec![AlertRow { is_cleared: true, ..row("12 Annäherungen") }];
        for (kind, words) in [
            (AlertMailKind::Fired, ["hat ausgelöst", "Entwarnung: 12 Annäherungen"]),
            (AlertMailKind::Cleared, ["ist beendet", "Entwarnung: 12 Annäherungen"]),
            (AlertMailKind::Held, ["außerhalb der Alarmzeiten", "Alarmregel öffnen"]),
            (AlertMailKind::Digest, ["Sammelmeldung", "Um keine Mails"]),
            (AlertMailKind::Test, ["ein Test", "Test: 12 Annäherungen"]),
        ] {
            let mail = Alert { kind, rows: cleared.clone(), ..fired(Language::German) };
            let text = mail.text().unwrap();
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
            assert!(text.starts_with("Guten Tag Ada Lovelace,") && !text.contains('{'), "{text}");
            assert!(mail.html().unwrap().contains("lang=\"de\""));
        }
    }

    #[test]
    fn a_name_never_becomes_markup() {
        let bad = "<img src=x>\"><script>".to_owned();
        let mail = Alert {
            rule: bad.clone(),
            brand: bad.clone(),
            chart: Some(chart(&bad)),
            rows: vec![AlertRow {
                facts: vec![(bad.clone(), bad.clone())],
                links: vec![(bad.clone(), "https://safety.example.com/".to_owned())],
                ..row(&bad)
            }],
            ..fired(Language::English)
        };
        let html = mail.html().unwrap();
        assert!(!html.contains("<img src=x") && !html.contains("<script"), "{html}");
    }
}
