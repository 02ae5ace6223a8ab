//! What wrote the sentences of a site report, and why.

use domain::{SiteReport, SiteReportGenerator};
use serde_json::Value;
use texts::console::site_reports as t;
use texts::narrative as words;

use crate::frame::Frame;

/// What wrote the sentences, and what was done with each answer of the language model.
pub struct Writing {
    pub said: String,
    pub answers: Vec<Answer>,
}

/// An answer of the language model.
pub struct Answer {
    pub title: String,
    pub outcome: &'static str,
    /// The sentences that were dropped, and why.
    pub dropped: Vec<String>,
}

/// Returns none until the report is written.
pub fn of(frame: &Frame, report: &SiteReport) -> Option<Writing> {
    let said = match (report.generator?, &report.fallback_reason, &report.model) {
        (SiteReportGenerator::Model, _, Some(model)) => frame.fill(words::BY_MODEL, &[("model", model)]),
        (_, Some(reason), _) => {
            frame.fill(words::BY_RULES_INSTEAD, &[("reason", t::outcome(frame.language, reason))])
        }
        _ => frame.text(words::BY_RULES).to_owned(),
    };
    let checks: Value =
        report.checks.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let attempts = checks["attempts"].as_array().cloned().unwrap_or_default();
    let answers = attempts.iter().enumerate().map(|(index, attempt)| answer(frame, index + 1, attempt));
    Some(Writing { said, answers: answers.collect() })
}

fn answer(frame: &Frame, number: usize, attempt: &Value) -> Answer {
    let outcome = attempt["outcome"].as_str().unwrap_or_default();
    let dropped = attempt["dropped"].as_array().map(Vec::as_slice).unwrap_or_default();
    Answer {
        title: frame.fill(t::ANSWER, &[("number", &number.to_string())]),
        outcome: t::outcome(frame.language, outcome),
        dropped: dropped.iter().map(|sentence| drop_text(frame, sentence)).collect(),
    }
}

fn drop_text(frame: &Frame, sentence: &Value) -> String {
    let number = sentence["sentence"].as_i64().unwrap_or_default().to_string();
    let reason = t::drop_reason(frame.language, sentence["reason"].as_str().unwrap_or_default());
    match sentence["detail"].as_str() {
        Some(detail) => {
            frame.fill(t::DROPPED_AT, &[("number", &number), ("detail", detail), ("reason", reason)])
        }
        None => frame.fill(t::DROPPED, &[("number", &number), ("reason", reason)]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use texts::Language;

    use super::*;

    #[test]
    fn each_dropped_sentence_has_its_reason() {
        let frame = crate::frame::sample(Language::English, "/reports/site-reports/1");
        let attempt = json!({
            "outcome": "checks_failed", "sentences": 3,
            "dropped": [{ "sentence": 2, "reason": "number", "detail": "311" }, { "sentence": 3, "reason": "words" }],
        });
        let answer = answer(&frame, 1, &attempt);
        assert_eq!(answer.title, "Answer 1");
        assert_eq!(
            answer.dropped,
            [
                "Sentence 2 was dropped at “311”: the number is not that of the fact.",
                "Sentence 3 was dropped: the facts do not say this.",
            ]
        );
        assert!(answer.outcome.contains("did not agree with the facts"));
    }
}
