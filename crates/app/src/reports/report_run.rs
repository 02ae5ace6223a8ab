//! One run of a report's job: its progress, and why it may end without a file.

use std::time::Duration;

use domain::{PersonId, ReportId};
use store::Scope;

use super::AuthorLookup;
use super::request::ReportRequest;
use crate::{App, Error};

/// Interval at which progress is recorded and cancellation is noticed.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
/// Percentages at which the figures are begun and complete.
const FIGURES_BEGUN: i64 = 10;
pub(super) const FIGURES_COMPLETE: i64 = 70;

/// The reason why a run ended without a file.
pub(super) enum Stop {
    /// The report has ended, or must be started again.
    Superseded,
    /// The author may no longer have it.
    NotAllowed(AuthorLookup),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<store::Error> for Stop {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

pub(super) struct ReportRun<'a> {
    pub brand: &'a Scope,
    pub report: ReportId,
    pub request: &'a ReportRequest,
    pub generation: i64,
    pub names_people: bool,
}

impl ReportRun<'_> {
    /// Returns the people whom files name: those in the figures and those in the filters.
    pub fn named_people(&self, in_figures: Vec<PersonId>) -> Vec<PersonId> {
        match self.names_people {
            true => in_figures.into_iter().chain(self.request.filtered_people()).collect(),
            false => Vec::new(),
        }
    }
}

/// Returns the code of the first invalid field, or else that of the error.
pub(super) fn reason_of(error: &Error) -> &'static str {
    error.fields.first().map_or(error.code, |fault| fault.invalid.code)
}

/// Returns the progress of a report from that of its figures, in percent.
pub(super) fn percent_of_report(percent_of_figures: i64) -> i64 {
    FIGURES_BEGUN + (FIGURES_COMPLETE - FIGURES_BEGUN) * percent_of_figures.clamp(0, 100) / 100
}

impl App {
    /// Records progress now and then, until this run may no longer make the report.
    pub(super) async fn record_until_superseded(
        &self,
        run: &ReportRun<'_>,
        percent: &(dyn Fn() -> i64 + Send + Sync),
    ) -> Stop {
        loop {
            tokio::time::sleep(PROGRESS_INTERVAL).await;
            match self.record_report_progress(run, percent()).await {
                Ok(true) => {}
                Ok(false) => return Stop::Superseded,
                // Progress is worth less than the work itself.
                Err(error) => tracing::warn!("the progress of report {} was not stored: {error}", run.report),
            }
        }
    }

    async fn record_report_progress(&self, run: &ReportRun<'_>, percent: i64) -> Result<bool, Error> {
        let mut tx = self.store.begin().await?;
        let now = self.clock.now();
        let is_held =
            tx.reports_of(run.brand).record_progress(run.report, run.generation, percent, now).await?;
        tx.commit().await?;
        Ok(is_held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_the_larger_part_of_the_work() {
        let percents = [-5, 0, 50, 100, 250].map(percent_of_report);
        assert_eq!(percents, [10, 10, 40, 70, 70]);
    }
}
