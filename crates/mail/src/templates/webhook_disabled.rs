//! Notifies an admin that a webhook was disabled.

use askama::Template;
use texts::{Language, alerts};

use super::{greeting, signature};
use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct WebhookDisabled {
    pub language: Language,
    pub name: String,
    pub brand: String,
    /// Name of the webhook.
    pub webhook: String,
    /// Host of its address. The rest of an address may be a secret.
    pub host: String,
    pub reason: domain::WebhookDisabled,
    /// Since when its calls fail, or when it was disabled, formatted for people.
    pub since: String,
}

#[derive(Template)]
#[template(path = "webhook_disabled.txt")]
struct Text<'a> {
    mail: &'a WebhookDisabled,
}

#[derive(Template)]
#[template(path = "webhook_disabled.html")]
struct Html<'a> {
    mail: &'a WebhookDisabled,
}

impl WebhookDisabled {
    fn greeting(&self) -> String {
        greeting(self.language, &self.name)
    }

    fn signature(&self) -> String {
        signature(self.language, &self.brand)
    }

    fn introduction(&self) -> String {
        let values = [("webhook", &*self.webhook), ("brand", &*self.brand), ("host", &*self.host)];
        alerts::WEBHOOK_DISABLED.fill(self.language, &values)
    }

    fn reason(&self) -> String {
        let sentence = match self.reason {
            domain::WebhookDisabled::ByUser => alerts::WEBHOOK_BY_USER,
            domain::WebhookDisabled::Failing => alerts::WEBHOOK_FAILING,
            domain::WebhookDisabled::Gone => alerts::WEBHOOK_GONE,
            domain::WebhookDisabled::KeyLost => alerts::WEBHOOK_KEY_LOST,
        };
        sentence.fill(self.language, &[("since", &self.since)])
    }

    fn next_steps(&self) -> &'static str {
        alerts::WEBHOOK_NEXT_STEPS.get(self.language)
    }
}

impl EmailTemplate for WebhookDisabled {
    fn subject(&self) -> String {
        let values = [("webhook", &*self.webhook), ("brand", &*self.brand)];
        alerts::WEBHOOK_DISABLED_SUBJECT.fill(self.language, &values)
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

    fn failing(language: Language) -> WebhookDisabled {
        WebhookDisabled {
            language,
            name: "Ada Lovelace".to_owned(),
            brand: "Acme & Sons".to_owned(),
            webhook: "Duty desk".to_owned(),
            host: "hooks.example.com".to_owned(),
            reason: domain::WebhookDisabled::Failing,
            since: "1 March 2026, 13:00 (Europe/Vienna)".to_owned(),
        }
    }

    #[test]
    fn an_admin_learns_which_webhook_why_and_what_to_do() {
        let mail = failing(Language::English);
        assert_eq!(mail.subject(), "The webhook \"Duty desk\" of Acme & Sons was disabled");
        let expected = "Hello Ada Lovelace,\n\n\
             The webhook \"Duty desk\" of Acme & Sons was disabled: alarms are no longer sent to hooks.example.com. \
             Its calls have failed since 1 March 2026, 13:00 (Europe/Vienna), for a whole day.\n\n\
             When the receiver works again, enable the webhook. Deliveries that failed are sent again only if you ask \
             for it.\n\n\
             -- \nSent by Keepclear, the safety service of Acme & Sons. Replies to this address are not read.";
        assert_eq!(mail.text().unwrap().trim_end(), expected);
        let html = mail.html().unwrap();
        assert!(html.contains("Acme &#38; Sons") && html.contains("hooks.example.com"), "{html}");
    }

    #[test]
    fn every_reason_has_a_sentence_in_every_language() {
        use domain::WebhookDisabled::{ByUser, Failing, Gone, KeyLost};

        for language in Language::ALL {
            let sentences = [ByUser, Failing, Gone, KeyLost].map(|reason| {
                let mail = WebhookDisabled { reason, ..failing(language) };
                assert!(mail.text().unwrap().contains(&mail.reason()));
                mail.reason()
            });
            for (place, sentence) in sentences.iter().enumerate() {
                assert!(sentence.contains("1 March 2026") && !sentence.contains('{'), "{sentence}");
                assert!(!sentences[..place].contains(sentence), "{sentence}");
            }
        }
    }

    #[test]
    fn a_name_never_becomes_markup() {
        let mail = WebhookDisabled { webhook: "<img src=x>".to_owned(), ..failing(Language::German) };
        let html = mail.html().unwrap();
        assert!(!html.contains("<img") && html.contains("lang=\"de\""), "{html}");
    }
}
