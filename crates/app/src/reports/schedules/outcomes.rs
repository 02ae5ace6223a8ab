//! What became of the runs of schedules. A report ends in several ways, so that its schedule is updated by whoever looks for runs whose
//! report has ended, not by each of them.

use domain::{ReportState, RunState};
use store::{EndedRun, ScheduleViewer};

use crate::platform::jobs::RunFailureMail;
use crate::{App, Error, ErrorKind};

/// Runs that are read at once.
const BATCH_SIZE: usize = 100;
/// The reason of a report that someone deleted before it was made.
const CANCELLED: &str = "cancelled";

impl App {
    /// Records how runs ended, and notifies the authors of those that failed.
    pub(super) async fn settle_runs(&self) -> Result<(), Error> {
        loop {
            let limit = i64::try_from(BATCH_SIZE).map_err(Error::internal)?;
            let ended = self.store.read().await?.ended_runs(&self.platform, limit).await?;
            let mut all_settled = true;
            for run in &ended {
                match self.settle_run(run).await {
                    Ok(()) => {}
                    Err(error) if error.kind == ErrorKind::Unavailable => return Err(error),
                    Err(error) => {
                        let EndedRun { schedule, report, .. } = run;
                        tracing::error!("the end of report {report} of schedule {schedule}: {error}");
                        all_settled = false;
                    }
                }
            }
            if ended.len() < BATCH_SIZE || !all_settled {
                return Ok(());
            }
        }
    }

    async fn settle_run(&self, run: &EndedRun) -> Result<(), Error> {
        let (scope, now) = (self.scope_of(run.brand), self.clock.now());
        let mut tx = self.store.begin().await?;
        let found = tx.report_schedules(&scope).find_locked(run.schedule, ScheduleViewer::Brand).await?;
        let Some(schedule) = found else { return Ok(()) };
        if !tx.report_schedules(&scope).close_run(run.report).await? {
            return Ok(());
        }
        let has_failed = run.state == ReportState::Failed;
        let outcome = match has_failed {
            true => (RunState::Failed, run.reason.as_deref()),
            // Whatever became of the report later: it was ready.
            false => (RunState::Done, None),
        };
        if schedule.last_report == Some(run.report) {
            tx.report_schedules(&scope).record_outcome(run.schedule, outcome, now).await?;
        }
        let is_news = run.reason.as_deref() != Some(CANCELLED) && schedule.paused_reason.is_none();
        if has_failed && is_news {
            let mail = RunFailureMail {
                brand: run.brand,
                schedule: run.schedule,
                report: Some(run.report),
                reason: run.reason.clone().unwrap_or_default(),
            };
            self.enqueue(&mut tx, Some(run.brand), &mail).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
