//! Tells the author of a schedule that a run failed.

use askama::Template;
use texts::{Language, schedules};

use super::{greeting, signature};
use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct FailedRun {
    pub language: Language,
    pub name: String,
    pub brand: String,
    /// Name of the schedule.
    pub schedule: String,
    /// What the report would have been called.
    pub title: String,
    /// Formatted for people; `None` if it is not known.
    pub period: Option<String>,
    /// A sentence.
    pub reason: &'static str,
    /// When the schedule runs next, formatted for people; `None` if it does not.
    pub next: Option<String>,
}

#[derive(Template)]
#[template(path = "failed_run.txt")]
struct Text<'a> {
    mail: &'a FailedRun,
}

#[derive(Template)]
#[template(path = "failed_run.html")]
struct Html<'a> {
    mail: &'a FailedRun,
}

impl FailedRun {
    fn greeting(&self) -> String {
        greeting(self.language, &self.name)
    }

    fn signature(&self) -> String {
        signature(self.language, &self.brand)
    }

    fn introduction(&self) -> &'static str {
        schedules::FAILED.get(self.language)
    }

    fn details(&self) -> Vec<(&'static str, &str)> {
        let mut details = vec![(schedules::REPORT.get(self.language), self.title.as_str())];
        details.extend(self.period.as_deref().map(|period| (schedules::PERIOD.get(self.language), period)));
        details.push((schedules::SCHEDULE.get(self.language), &self.schedule));
        details.push((schedules::REASON.get(self.language), self.reason));
        details
    }

    fn next_run(&self, next: &str) -> String {
        schedules::NEXT_RUN.fill(self.language, &[("next", next)])
    }

    fn your_schedule(&self) -> String {
        schedules::YOUR_SCHEDULE.fill(self.language, &[("brand", &self.brand)])
    }
}

impl EmailTemplate for FailedRun {
    fn subject(&self) -> String {
        schedules::FAILURE_SUBJECT.fill(self.language, &[("schedule", &self.schedule)])
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
    use texts::values;

    use super::*;

    fn mail(language: Language) -> FailedRun {
        FailedRun {
            language,
            name: "Ada Lovelace".to_owned(),
            brand: "Acme & Söhne".to_owned(),
            schedule: "Yard, weekly".to_owned(),
            title: "Site safety: Yard".to_owned(),
            period: Some("2 March 2026 to 8 March 2026".to_owned()),
            reason: values::reason(language, "unknown_worksite"),
            next: Some("16 March 2026, 07:30 (Europe/Vienna)".to_owned()),
        }
    }

    #[test]
    fn it_says_what_failed_and_why() {
        let mail = mail(Language::English);
        assert_eq!(mail.subject(), "Yard, weekly: the report could not be made");
        let expected = "Hello Ada Lovelace,\n\n\
             A scheduled report could not be made, so that nobody has received it.\n\n    \
             Report: Site safety: Yard\n    \
             Period: 2 March 2026 to 8 March 2026\n    \
             Schedule: Yard, weekly\n    \
             Reason: What the report is about no longer exists, or its author may no longer see it.\n\n\
             The schedule runs next on 16 March 2026, 07:30 (Europe/Vienna).\n\n\
             You receive this mail because you set up the schedule at Acme & Söhne.\n\n\
             -- \nSent by Keepclear, the safety service of Acme & Söhne. Replies to this address are not read.";
        assert_eq!(mail.text().unwrap().trim_end(), expected);
        let html = mail.html().unwrap();
        assert!(html.contains("Acme &#38; Söhne") && html.contains("no longer exists"), "{html}");
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let mail = FailedRun { period: None, next: None, ..mail(Language::English) };
        for body in [mail.text().unwrap(), mail.html().unwrap()] {
            assert!(!body.contains("Period") && !body.contains("runs next"), "{body}");
            assert!(body.contains("Yard, weekly"), "{body}");
        }
        let text = mail.text().unwrap();
        assert!(text.contains("may no longer see it.\n\nYou receive"), "{text}");
    }

    #[test]
    fn it_is_in_the_language_of_its_reader_and_never_markup() {
        let schedule = "<img src=x>".to_owned();
        let mail = FailedRun { schedule, ..mail(Language::German) };
        assert_eq!(mail.subject(), "<img src=x>: Der Bericht konnte nicht erstellt werden");
        let text = mail.text().unwrap();
        for part in ["Guten Tag Ada Lovelace,", "Grund: Das, wovon der Bericht", "das nächste Mal am 16"] {
            assert!(text.contains(part), "{text}");
        }
        let html = mail.html().unwrap();
        assert!(html.contains("lang=\"de\"") && !html.contains("<img"), "{html}");
    }
}
