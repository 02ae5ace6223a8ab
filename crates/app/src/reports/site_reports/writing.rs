//! Who writes the sentences of a site report: the language model if its answer passes the checks, otherwise the rules.
//!
//! The job asks the model, because only it has the client; what is asked, how often, and what becomes of the answers is decided here.

use domain::SiteReportGenerator;
use narrative::{CheckedAnswer, Prompt, Sentence, check_answer, write_by_rules};
use serde_json::{Value, json};

use super::{SiteReportDraft, WrittenSiteReport};

/// After this many answers that fail the checks, the rules write the report.
const MAX_ANSWERS: usize = 2;
/// The reason for which the rules write the report if the last answer failed the checks.
const CHECKS_FAILED: &str = "checks_failed";

/// Why a model that was asked gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// The reason that is stored and shown, such as `timed_out`.
    pub reason: &'static str,
    /// Whether the model gave some response. If it cannot be reached, asking again would only take longer.
    pub can_ask_again: bool,
}

/// A site report whose sentences are being written.
pub struct SiteReportWriting<'a> {
    draft: &'a SiteReportDraft,
    model: Option<&'a str>,
    /// What the model is to be asked; none if it is not, or not any more.
    prompt: Option<Prompt>,
    /// Of the last prompt that was asked.
    prompt_sha256: Option<Vec<u8>>,
    /// What was done with each answer.
    attempts: Vec<Value>,
    /// The sentences of the model that passed the checks, or why there are none.
    result: Result<Vec<Sentence>, Option<&'static str>>,
}

impl SiteReportWriting<'_> {
    /// Every reason for which the rules write a report although there is a model: its answers failed the checks or cannot be checked,
    /// or it gave none.
    pub const FALLBACK_REASONS: [&'static str; 9] = [
        CHECKS_FAILED,
        "unreachable",
        "timed_out",
        "refused",
        "redirected",
        "answer_too_long",
        "answer_empty",
        "answer_broken",
        "too_many_sentences",
    ];
}

impl<'a> SiteReportWriting<'a> {
    /// Begins to write, with the model of this name if there is one.
    pub fn new(draft: &'a SiteReportDraft, model: Option<&'a str>) -> Self {
        Self {
            draft,
            model,
            prompt: model.map(|_| draft.prompt.clone()),
            prompt_sha256: None,
            attempts: Vec::new(),
            result: Err(None),
        }
    }

    /// Returns what the model is to be asked now; none if nothing more is asked.
    pub fn prompt(&self) -> Option<&Prompt> {
        self.prompt.as_ref()
    }

    /// Takes the answer to the prompt, which is checked. The model is asked once more if it fails.
    pub fn take_answer(&mut self, answer: Result<String, NoAnswer>) {
        let (Some(prompt), Some(model)) = (self.prompt.take(), self.model) else { return };
        self.prompt_sha256 = Some(prompt.sha256(model).to_vec());
        let draft = self.draft;
        let checked = answer.and_then(|text| {
            let checked = check_answer(&draft.sheet, draft.language, &draft.roles, &text);
            checked.map_err(|error| NoAnswer { reason: error.as_str(), can_ask_again: true })
        });
        let refused = match checked {
            Ok(checked) if checked.is_enough() => {
                self.attempts.push(describe(draft, &checked, "accepted"));
                self.result = Ok(checked.sentences);
                return;
            }
            Ok(checked) => {
                self.attempts.push(describe(draft, &checked, CHECKS_FAILED));
                self.result = Err(Some(CHECKS_FAILED));
                Some(checked)
            }
            Err(failure) => {
                self.attempts.push(json!({ "outcome": failure.reason }));
                self.result = Err(Some(failure.reason));
                if !failure.can_ask_again {
                    return;
                }
                None
            }
        };
        if self.attempts.len() < MAX_ANSWERS {
            self.prompt = Some(draft.prompt.again(refused.as_ref()));
        }
    }

    /// Returns what was written: by the rules, if the model has no sentences that pass.
    pub fn finish(self) -> WrittenSiteReport {
        let (sentences, generator, fallback_reason) = match self.result {
            Ok(sentences) => (sentences, SiteReportGenerator::Model, None),
            Err(reason) => {
                let sentences = write_by_rules(&self.draft.sheet, self.draft.language);
                (sentences, SiteReportGenerator::Rules, reason.map(str::to_owned))
            }
        };
        WrittenSiteReport {
            sentences,
            generator,
            model: self.model.map(str::to_owned),
            prompt_sha256: self.prompt_sha256,
            checks: json!({ "attempts": self.attempts }),
            fallback_reason,
        }
    }
}

/// Describes what was done with an answer. What the model wrote is left out if it knew names, because nothing with names is stored.
fn describe(draft: &SiteReportDraft, checked: &CheckedAnswer, outcome: &str) -> Value {
    let has_names = draft.roles.has_names();
    let dropped = checked.dropped.iter().map(|dropped| {
        let detail = (!has_names && !dropped.detail.is_empty()).then_some(&dropped.detail);
        json!({ "sentence": dropped.sentence + 1, "reason": dropped.reason.as_str(), "detail": detail })
    });
    json!({
        "outcome": outcome,
        "sentences": checked.sentences.len() + checked.dropped.len(),
        "dropped": dropped.collect::<Vec<Value>>(),
    })
}
