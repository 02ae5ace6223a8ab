//! Has a site report written from its facts: by the language model, if there is one, or by rules.

use std::sync::Arc;

use ai::{AskError, Client};
use app::jobs::{AttemptEnd, Lease, SiteReportBuild};
use app::{
    Error, ErrorKind, NoAnswer, SiteReportDraft, SiteReportStep, SiteReportWriting, WrittenSiteReport,
};

use crate::{Context, Outcome};

/// Maximum number of attempts before the report fails; fewer than for other jobs, because a user is waiting.
const MAX_ATTEMPTS: i64 = 4;

/// Computes the facts, has them written and stores the text. No transaction is open while the model is asked.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: SiteReportBuild = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let ended = match context.app.begin_site_report(&lease, &job).await {
        Ok(SiteReportStep::Done(ended)) => Ok(ended),
        Ok(SiteReportStep::Write(draft)) => {
            let written = write(context.ai.as_ref(), &draft).await;
            context.app.finish_site_report(&lease, &job, &draft, &written).await
        }
        Err(error) => Err(error),
    };
    let error = match ended {
        Ok(AttemptEnd::Finished(standing)) => return Outcome::FinishedInTransaction(standing),
        Ok(AttemptEnd::Superseded) => return Outcome::Repeat,
        Err(error) if error.code == Error::HISTORY_LOADING => return Outcome::Wait,
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

/// Asks the model for as long as the writing wants an answer.
async fn write(model: Option<&Client>, draft: &SiteReportDraft) -> WrittenSiteReport {
    let mut writing = SiteReportWriting::new(draft, model.map(Client::model));
    while let (Some(model), Some(prompt)) = (model, writing.prompt()) {
        let answer = model.complete(&prompt.system, &prompt.user, &prompt.schema).await;
        writing.take_answer(answer.map_err(|error| no_answer(&error)));
    }
    writing.finish()
}

/// Logs why there is no answer, and returns it as it is stored.
fn no_answer(error: &AskError) -> NoAnswer {
    tracing::warn!("a site report is written by rules or asked for again: {error}");
    let can_ask_again = matches!(error, AskError::Empty | AskError::Broken(_));
    NoAnswer { reason: error.reason(), can_ask_again }
}

#[cfg(test)]
mod tests {
    use app::reports::narrative::AnswerError;

    use super::*;

    #[test]
    fn every_reason_is_documented() {
        let asked = [
            AskError::Unreachable(String::new()),
            AskError::TimedOut,
            AskError::Refused(500),
            AskError::Redirected(302),
            AskError::TooLong,
            AskError::Empty,
            AskError::Broken(String::new()),
        ];
        let checked = [AnswerError::Broken, AnswerError::Empty, AnswerError::TooManySentences];
        let reasons = asked.iter().map(|error| no_answer(error).reason);
        for reason in reasons.chain(checked.map(AnswerError::as_str)) {
            assert!(SiteReportWriting::FALLBACK_REASONS.contains(&reason), "{reason}");
        }
    }
}
