//! Delivers the report of a schedule.

use askama::Template;
use texts::{Language, decimal, schedules};

use super::{greeting, signature};
use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct ScheduledReport {
    pub language: Language,
    /// Name of the receiver; `None` if the address belongs to no user.
    pub name: Option<String>,
    pub brand: String,
    /// Name of the schedule.
    pub schedule: String,
    /// Name of the user who set up the schedule.
    pub author: String,
    /// The address at which they can be asked; `None` if they have none.
    pub author_email: Option<String>,
    /// What the report is called.
    pub title: String,
    /// Formatted for people.
    pub period: String,
    /// The link to the file, if it is too large to be attached.
    pub link: Option<ReportLink>,
}

#[derive(Clone, Debug)]
pub struct ReportLink {
    pub address: String,
    pub size_bytes: u64,
    /// Expiry of the link, formatted for people.
    pub until: String,
}

#[derive(Template)]
#[template(path = "scheduled_report.txt")]
struct Text<'a> {
    mail: &'a ScheduledReport,
}

#[derive(Template)]
#[template(path = "scheduled_report.html")]
struct Html<'a> {
    mail: &'a ScheduledReport,
}

impl ScheduledReport {
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
        let Some(link) = &self.link else { return schedules::ATTACHED.get(self.language).to_owned() };
        let megabytes = link.size_bytes as f64 / 1e6;
        // An ordinary blank, so that the text of an English mail stays plain and the link in one piece.
        let size = format!("{} MB", decimal(self.language, megabytes, 1));
        schedules::LINKED.fill(self.language, &[("size", &size)])
    }

    fn download(&self) -> &'static str {
        schedules::DOWNLOAD.get(self.language)
    }

    fn link_until(&self, link: &ReportLink) -> String {
        schedules::LINK_UNTIL.fill(self.language, &[("until", &link.until)])
    }

    fn details(&self) -> [(&'static str, &str); 3] {
        [
            (schedules::REPORT.get(self.language), &self.title),
            (schedules::PERIOD.get(self.language), &self.period),
            (schedules::SCHEDULE.get(self.language), &self.schedule),
        ]
    }

    fn set_up_by(&self) -> String {
        // Replies to the mail itself are not read.
        let asked = match &self.author_email {
            Some(email) => format!("{} ({email})", self.author),
            None => self.author.clone(),
        };
        let values = [("author", self.author.as_str()), ("brand", &self.brand), ("asked", &asked)];
        schedules::SET_UP_BY.fill(self.language, &values)
    }
}

impl EmailTemplate for ScheduledReport {
    fn subject(&self) -> String {
        let values = [("schedule", &*self.schedule), ("title", &*self.title), ("period", &*self.period)];
        schedules::SUBJECT.fill(self.language, &values)
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

    fn attached(language: Language) -> ScheduledReport {
        ScheduledReport {
            language,
            name: Some("Ada Lovelace".to_owned()),
            brand: "Acme & Söhne".to_owned(),
            schedule: "Yard, weekly".to_owned(),
            author: "Bob".to_owned(),
            author_email: Some("bob@example.com".to_owned()),
            title: texts::reports::report_title(language, "site_safety").to_owned(),
            period: "2 March 2026 to 8 March 2026".to_owned(),
            link: None,
        }
    }

    fn linked(language: Language) -> ScheduledReport {
        let link = ReportLink {
            address: "https://safety.example.com/links/reports/1.7.pdf.1773000000.s3cret-_".to_owned(),
            size_bytes: 12_345_678,
            until: "22 March 2026, 07:00 (Europe/Vienna)".to_owned(),
        };
        ScheduledReport { name: None, link: Some(link), ..attached(language) }
    }

    #[test]
    fn a_report_that_is_attached_says_what_it_is_and_whom_to_ask() {
        let mail = attached(Language::English);
        assert_eq!(mail.subject(), "Yard, weekly: Site safety, 2 March 2026 to 8 March 2026");
        let expected = "Hello Ada Lovelace,\n\n\
             A scheduled report is ready. It is attached to this mail.\n\n    \
             Report: Site safety\n    \
             Period: 2 March 2026 to 8 March 2026\n    \
             Schedule: Yard, weekly\n\n\
             Bob set up this schedule at Acme & Söhne. If you no longer want to receive these reports, ask Bob \
             (bob@example.com).\n\n\
             -- \nSent by Keepclear, the safety service of Acme & Söhne. Replies to this address are not read.";
        assert_eq!(mail.text().unwrap().trim_end(), expected);
        let html = mail.html().unwrap();
        assert!(!html.contains("href") && html.contains("Acme &#38; Söhne"), "{html}");
        // A service account has no address.
        let text = ScheduledReport { author_email: None, ..mail }.text().unwrap();
        assert!(text.contains("these reports, ask Bob.\n"), "{text}");
    }

    #[test]
    fn a_report_that_is_too_large_is_linked() {
        let mail = linked(Language::English);
        let text = mail.text().unwrap();
        let expected = "Hello,\n\n\
             A scheduled report is ready. With 12.3 MB it is too large to be attached. \
             To download it, open this link:\n\n    \
             https://safety.example.com/links/reports/1.7.pdf.1773000000.s3cret-_\n\n\
             The link works until 22 March 2026, 07:00 (Europe/Vienna). \
             Whoever has it can download the report.\n\n    \
             Report: Site safety\n";
        assert!(text.starts_with(expected), "{text}");
        let html = mail.html().unwrap();
        let link = "href=\"https://safety.example.com/links/reports/1.7.pdf.1773000000.s3cret-_\"";
        assert!(html.contains(link) && html.contains("Download the report"), "{html}");
    }

    #[test]
    fn a_mail_is_in_the_language_of_its_reader() {
        for (mail, words) in [
            (attached(Language::German), ["Guten Tag Ada Lovelace,", "angehängt", "Zeitplan: Yard, weekly"]),
            (linked(Language::German), ["Guten Tag,\n", "Mit 12,3 MB", "Der Link funktioniert bis 22 March"]),
        ] {
            let text = mail.text().unwrap();
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
            assert!(mail.html().unwrap().contains("lang=\"de\""));
        }
    }

    #[test]
    fn a_name_never_becomes_markup() {
        let schedule = "<img src=x>".to_owned();
        let html = ScheduledReport { schedule, ..linked(Language::English) }.html().unwrap();
        assert!(!html.contains("<img"), "{html}");
    }
}
