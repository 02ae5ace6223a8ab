//! A form with its fields, its hidden fields and its buttons.

use askama::Template;
use askama::filters::HtmlSafe;
use texts::Language;
use texts::console::parts as t;

use super::field::Field;
use super::proof_fields::ProofFields;
use crate::form::FormView;
use crate::frame::Frame;

/// A form that posts to an address.
#[derive(Template)]
#[template(path = "parts/form_part.html")]
pub struct FormPart {
    pub to: String,
    pub fields: Vec<Field>,
    /// The text of the button.
    pub submit: String,
    /// Where the link leads to that gives up.
    pub cancel: Option<String>,
    /// The version of the record that the form was filled from.
    pub version: Option<i64>,
    /// The key that makes a repeat have no further effect.
    pub once: Option<String>,
    pub proof: Option<ProofFields>,
    /// Above the fields.
    pub notice: Option<String>,
    pub is_upload: bool,
    /// Faults of what no field shows.
    others: Vec<String>,
    /// The version that the form was filled from when it was sent.
    sent_version: Option<i64>,
    cancel_text: &'static str,
}

impl FormPart {
    pub fn new(
        to: impl Into<String>,
        view: &FormView,
        mut fields: Vec<Field>,
        submit: impl Into<String>,
    ) -> Self {
        let to = to.into();
        let prefix = slug(&to);
        for field in &mut fields {
            field.inside(&prefix);
        }
        if let Some(first) = fields.iter_mut().find(|field| field.fault.is_some()) {
            first.is_focused = true;
        }
        let language = fields.first().map_or(Language::English, |field| field.language);
        let shown: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let others = view.other_faults_in(language, &shown);
        Self {
            to,
            fields,
            submit: submit.into(),
            cancel: None,
            version: None,
            once: None,
            proof: None,
            notice: view.notice.clone(),
            is_upload: false,
            others,
            sent_version: view.sent_version(),
            cancel_text: t::CANCEL.get(language),
        }
    }

    /// The form changes a record that has this version now. One that is shown again keeps the version that it was filled from.
    pub fn changing(mut self, version: i64) -> Self {
        self.version = Some(self.sent_version.unwrap_or(version));
        self
    }

    /// The form creates a record, once however often it is sent. Each time it is shown it gets another key, because the same key with
    /// another body would be refused.
    pub fn creating(mut self, frame: &Frame) -> Self {
        self.once = Some(frame.once());
        self
    }

    pub fn cancelled_at(mut self, href: impl Into<String>) -> Self {
        self.cancel = Some(href.into());
        self
    }

    pub fn proven(mut self, proof: Option<ProofFields>) -> Self {
        self.proof = proof;
        self
    }

    pub fn upload(mut self) -> Self {
        self.is_upload = true;
        self
    }
}

impl HtmlSafe for FormPart {}

/// The address as a part of an id.
fn slug(address: &str) -> String {
    let path = address.split('?').next().unwrap_or_default();
    let dashed = path.trim_matches('/').replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    format!("form-{dashed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_from_the_address() {
        assert_eq!(slug("/settings/tester-devices/7?a=b"), "form-settings-tester-devices-7");
        assert_eq!(slug("/"), "form-");
    }
}
