//! Writes a site report from its facts: by rules, or by the language model, whose answer is checked.

use std::sync::Arc;

use ai::{AskError, Client};
use app::jobs::{Lease, SiteReportBuild};
use app::{ErrorKind, SiteReportDraft, SiteReportStep, WrittenSiteReport};
use domain::SiteReportGenerator;
use narrative::{AnswerError, CheckedAnswer, Prompt, Sentence, check_answer, write_by_rules};
use serde_json::{Value, json};

use crate::{Context, Outcome};

/// Maximum number of attempts before the report fails; fewer than for other jobs, because a user is waiting.
const MAX_ATTEMPTS: i64 = 4;
/// After this many answers that fail the checks, the rules write the report.
const MAX_ANSWERS: usize = 2;

/// Computes the facts, has them written and stores the text. No transaction is open while the model is asked.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: SiteReportBuild = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let finished = match context.app.begin_site_report(&lease, &job).await {
        Ok(SiteReportStep::Done(standing)) => Ok(standing),
        Ok(SiteReportStep::Write(draft)) => {
            let written = write(context.ai.as_ref(), &draft).await;
            context.app.finish_site_report(&lease, &job, &draft, &written).await
        }
        Err(error) => Err(error),
    };
    let error = match finished {
        Ok(standing) => return Outcome::FinishedInTransaction(standing),
        Err(error) if lease.attempt() < MAX_ATTEMPTS => return Outcome::retry(error),
        // A full disk or an unreachable store is not a fault of the report, so that it is retried as often as any job.
        Err(error) if error.kind == ErrorKind::Unavailable => return Outcome::retry(error),
        Err(error) => error,
    };
    tracing::error!("site report {} failed permanently: {error}", job.site_report);
    match context.app.fail_site_report(&lease, &job, error.code).await {
        Ok(standing) => Outcome::FinishedInTransaction(standing),
        Err(error) => Outcome::retry(error),
    }
}

/// Has the facts written by the model, if there is one. If it gives no answer, or none that passes the checks, the rules write them.
async fn write(model: Option<&Client>, draft: &SiteReportDraft) -> WrittenSiteReport {
    let Some(model) = model else {
        return WrittenSiteReport {
            sentences: write_by_rules(&draft.sheet, draft.language),
            generator: SiteReportGenerator::Rules,
            model: None,
            prompt_sha256: None,
            checks: json!({ "attempts": [] }),
            fallback_reason: None,
        };
    };
    let asked = ask(model, draft).await;
    let (sentences, generator, fallback_reason) = match asked.result {
        Ok(sentences) => (sentences, SiteReportGenerator::Model, None),
        Err(reason) => {
            let sentences = write_by_rules(&draft.sheet, draft.language);
            (sentences, SiteReportGenerator::Rules, Some(reason.to_owned()))
        }
    };
    WrittenSiteReport {
        sentences,
        generator,
        model: Some(model.model().to_owned()),
        prompt_sha256: Some(asked.prompt_sha256),
        checks: json!({ "attempts": asked.attempts }),
        fallback_reason,
    }
}

/// What came of asking the model.
struct Asked {
    /// The sentences that passed the checks, or why there are none.
    result: Result<Vec<Sentence>, &'static str>,
    /// Of the last prompt.
    prompt_sha256: Vec<u8>,
    /// What was done with each answer.
    attempts: Vec<Value>,
}

/// Asks the model, and once more if its answer fails the checks.
async fn ask(model: &Client, draft: &SiteReportDraft) -> Asked {
    let mut prompt = draft.prompt.clone();
    let mut asked = Asked { result: Err("checks_failed"), prompt_sha256: Vec::new(), attempts: Vec::new() };
    for _ in 0..MAX_ANSWERS {
        asked.prompt_sha256 = prompt.sha256(model.model()).to_vec();
        let refused = match answer(model, draft, &prompt).await {
            Ok(checked) => {
                let is_enough = checked.is_enough();
                let outcome = if is_enough { "accepted" } else { "checks_failed" };
                asked.attempts.push(describe(draft, &checked, outcome));
                if is_enough {
                    asked.result = Ok(checked.sentences);
                    return asked;
                }
                asked.result = Err("checks_failed");
                Some(checked)
            }
            Err(failure) => {
                asked.attempts.push(json!({ "outcome": failure.reason() }));
                asked.result = Err(failure.reason());
                if !failure.is_an_answer() {
                    return asked;
                }
                None
            }
        };
        prompt = draft.prompt.again(refused.as_ref());
    }
    asked
}

/// Why there is nothing to check.
enum Failure {
    Ask(AskError),
    Answer(AnswerError),
}

impl Failure {
    const fn reason(&self) -> &'static str {
        match self {
            Self::Ask(error) => error.reason(),
            Self::Answer(error) => error.as_str(),
        }
    }

    /// Whether the model answered at all. If it cannot be reached, asking again would only take longer.
    const fn is_an_answer(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Ask(AskError::Empty | AskError::Broken(_)))
    }
}

async fn answer(model: &Client, draft: &SiteReportDraft, prompt: &Prompt) -> Result<CheckedAnswer, Failure> {
    let text = model.complete(&prompt.system, &prompt.user, &prompt.schema).await.map_err(|error| {
        tracing::warn!("a site report is written by rules or asked for again: {error}");
        Failure::Ask(error)
    })?;
    check_answer(&draft.sheet, draft.language, &draft.roles, &text).map_err(Failure::Answer)
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
