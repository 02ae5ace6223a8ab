//! The runner: claims jobs, runs their handlers, and records their outcomes.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use app::jobs::{
    AccountMail, AccountNotice, AlertMail, ExportBuild, Job, Lease, LeaseStatus, Reattribution, ReportBuild,
    ReportMail, ReportSlot, RunFailureMail, SiteReportBuild, WebhookCallJob, WebhookNotice,
};
use app::{Error, EvaluationSummary, TaskOwner};
use domain::Span;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::accounts::account_mail;
use crate::accounts::account_notice;
use crate::alerts::{alert_mail, evaluation_loop, webhook_call, webhook_notice};
use crate::facts::reattribution;
use crate::insights::export_build;
use crate::platform::reconcilers;
use crate::platform::worker_permits::{WorkerPermit, WorkerPermits};
use crate::reports::{report_build, report_mail, report_slot, run_failure_mail, site_report};
use crate::{Config, Context, Outcome, Reconciler};

type Handler =
    Box<dyn Fn(Arc<Context>, Lease) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// Attempts that others superseded are repeated at once so often, and then after a wait, so that a job whose record changes all the time
/// does not keep a worker busy. After `MAX_REPEATS` they count as failed.
const IMMEDIATE_REPEATS: i64 = 10;
const MAX_REPEATS: i64 = 100;
const REPEAT_WAIT: Span = Span::seconds(10);

/// The expected duration of jobs of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JobLength {
    /// Usually seconds.
    Short,
    /// Possibly hours. One worker does not take long jobs, so that mails do not wait for them.
    Long,
    /// Seconds or as long as another server keeps it waiting. Such jobs have workers of their own, as many as there are for all others,
    /// so that nothing else waits for servers that do not answer.
    Call,
}

/// The workers that share a queue and permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    /// Of short and long jobs.
    Main,
    Calls,
}

/// A running job with its worker permit.
struct LeasedJob(Lease, WorkerPermit);

/// Runs jobs and periodic work in one process.
pub struct Runner {
    context: Arc<Context>,
    config: Config,
    worker: String,
    handlers: Vec<(&'static str, JobLength, Handler)>,
    permits: WorkerPermits,
    call_permits: WorkerPermits,
    reconcilers: Vec<Reconciler>,
}

impl Runner {
    /// Creates a runner with all handlers and reconcilers.
    pub fn new(context: Context, config: Config) -> Self {
        let chance = u32::from_be_bytes(context.app.random.bytes());
        let runner = Self {
            context: Arc::new(context),
            permits: WorkerPermits::new(config.workers as usize),
            call_permits: WorkerPermits::new(config.workers as usize),
            config,
            worker: format!("{}-{chance:08x}", std::process::id()),
            handlers: Vec::new(),
            reconcilers: reconcilers::all(),
        };
        runner
            .with_handler(AccountMail::KIND, account_mail::run)
            .with_handler(AccountNotice::KIND, account_notice::run)
            .with_handler(Reattribution::KIND, reattribution::run)
            .with_handler_of_length(JobLength::Long, ExportBuild::KIND, export_build::run)
            .with_handler_of_length(JobLength::Long, ReportBuild::KIND, report_build::run)
            .with_handler(ReportMail::KIND, report_mail::run)
            .with_handler(ReportSlot::KIND, report_slot::run)
            .with_handler(RunFailureMail::KIND, run_failure_mail::run)
            .with_handler_of_length(JobLength::Long, SiteReportBuild::KIND, site_report::run)
            .with_handler(AlertMail::KIND, alert_mail::run)
            .with_handler_of_length(JobLength::Call, WebhookCallJob::KIND, webhook_call::run)
            .with_handler(WebhookNotice::KIND, webhook_notice::run)
    }

    /// Adds a handler for a kind of jobs.
    pub fn with_handler<F>(
        self,
        kind: &'static str,
        handler: impl Fn(Arc<Context>, Lease) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        self.with_handler_of_length(JobLength::Short, kind, handler)
    }

    fn with_handler_of_length<F>(
        mut self,
        length: JobLength,
        kind: &'static str,
        handler: impl Fn(Arc<Context>, Lease) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let handler: Handler = Box::new(move |context, lease| Box::pin(handler(context, lease)));
        self.handlers.push((kind, length, handler));
        self
    }

    /// Adds periodic work.
    pub fn with_reconciler(mut self, reconciler: Reconciler) -> Self {
        self.reconcilers.push(reconciler);
        self
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Works until `stop` resolves, then waits for running jobs until the shutdown timeout; the leases of the others expire.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let (stop_sender, stop_receiver) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for _ in 0..self.config.workers {
            tasks.spawn(Arc::clone(&self).run_worker(Lane::Main, stop_receiver.clone()));
            tasks.spawn(Arc::clone(&self).run_worker(Lane::Calls, stop_receiver.clone()));
        }
        for reconciler in self.reconcilers.clone() {
            tasks.spawn(Arc::clone(&self).run_reconciler(reconciler, stop_receiver.clone()));
        }
        let (context, worker) = (Arc::clone(&self.context), self.worker.clone());
        tasks.spawn(evaluation_loop::run(context, worker, stop_receiver.clone()));
        stop.await;
        let _ = stop_sender.send(true);
        let grace = Duration::from_secs(self.config.shutdown_timeout_s.into());
        let ended = timeout(grace, async { while tasks.join_next().await.is_some() {} }).await;
        if ended.is_err() {
            tracing::warn!(
                "{} tasks were still running at shutdown; the leases of their jobs will expire",
                tasks.len()
            );
        }
    }

    /// Runs all due jobs one after the other, and returns the number of attempts. For tests.
    pub async fn run_due(&self) -> Result<u32, Error> {
        let mut attempts = 0;
        loop {
            let claimed = match self.claim(Lane::Main).await? {
                Some(claimed) => Some(claimed),
                None => self.claim(Lane::Calls).await?,
            };
            let Some(claimed) = claimed else { return Ok(attempts) };
            self.run_job(claimed).await;
            attempts += 1;
        }
    }

    /// Does the periodic work whose slot no process has taken yet, and returns the names. For tests.
    pub async fn reconcile(&self) -> Result<Vec<&'static str>, Error> {
        let mut completed = Vec::new();
        self.context.app.clamp_future_expiries().await?;
        for reconciler in &self.reconcilers {
            if reconciler.run(&self.context, reconciler.slot_at(self.context.app.clock.now())).await? {
                completed.push(reconciler.name);
            }
        }
        Ok(completed)
    }

    /// Evaluates the alerts that are due, once. For tests.
    pub async fn evaluate_alerts(&self) -> Result<EvaluationSummary, Error> {
        self.context.app.evaluate_alerts(&self.worker).await
    }

    /// Runs one job after the other, and waits when there is none.
    async fn run_worker(self: Arc<Self>, lane: Lane, mut stopped: watch::Receiver<bool>) {
        let notify = match lane {
            Lane::Main => self.context.app.job_notify(),
            Lane::Calls => self.context.app.call_notify(),
        };
        let poll_interval = Duration::from_millis(self.config.poll_interval_ms.into());
        while !*stopped.borrow() {
            match self.claim(lane).await {
                Ok(Some(claimed)) => {
                    // There may be more jobs for other workers.
                    notify.notify_one();
                    self.run_job(claimed).await;
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!("a job could not be claimed: {error}"),
            }
            tokio::select! {
                () = notify.notified() => {}
                () = sleep(poll_interval) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    async fn run_reconciler(self: Arc<Self>, reconciler: Reconciler, mut stopped: watch::Receiver<bool>) {
        let mut last = None;
        while !*stopped.borrow() {
            let slot = reconciler.slot_at(self.context.app.clock.now());
            if last.replace(slot) != Some(slot)
                && let Err(error) = reconciler.run(&self.context, slot).await
            {
                tracing::warn!("{}: {error}", reconciler.name);
            }
            tokio::select! {
                () = sleep(Duration::from_secs(1)) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    /// Claims the next job of a lane, of a known kind for which there is a permit; another version may know more kinds.
    async fn claim(&self, lane: Lane) -> Result<Option<LeasedJob>, Error> {
        let kinds = |length: JobLength| -> Vec<&'static str> {
            self.handlers.iter().filter(|(_, of, _)| *of == length).map(|(kind, _, _)| *kind).collect()
        };
        let (permits, short, long) = match lane {
            Lane::Main => (&self.permits, kinds(JobLength::Short), kinds(JobLength::Long)),
            Lane::Calls => (&self.call_permits, kinds(JobLength::Call), Vec::new()),
        };
        let mut turn = permits.lock_claim_turn().await;
        let claimable = turn.claimable(short, long);
        let lease_duration = Span::seconds(self.config.lease_s.into());
        let lease = self
            .context
            .app
            .claim_next_job(turn.last_brand(), &claimable, &self.worker, lease_duration)
            .await?;
        Ok(lease.map(|lease| {
            let is_long = self.length_of(&lease) == JobLength::Long;
            let permit = turn.acquire(lease.brand(), is_long);
            LeasedJob(lease, permit)
        }))
    }

    fn length_of(&self, lease: &Lease) -> JobLength {
        let handler = self.handlers.iter().find(|(kind, ..)| *kind == lease.kind());
        handler.map_or(JobLength::Short, |(_, length, _)| *length)
    }

    async fn run_job(&self, LeasedJob(lease, _place): LeasedJob) {
        // There were more attempts than allowed because the workers of the last ones died.
        let max_attempts = i64::from(self.config.max_attempts);
        let outcome = if lease.attempt() > max_attempts {
            Outcome::fail(format!("none of {max_attempts} attempts finished"))
        } else {
            let Some(outcome) = self.run_attempt(&lease).await else { return };
            outcome
        };
        self.record_outcome(&lease, outcome).await;
    }

    /// Runs a job on a task of its own and extends its lease meanwhile. Returns none if another worker has taken it over.
    async fn run_attempt(&self, lease: &Lease) -> Option<Outcome> {
        let (_, length, handler) = self.handlers.iter().find(|(kind, ..)| *kind == lease.kind())?;
        let limit_s = match length {
            JobLength::Short | JobLength::Call => self.config.run_timeout_s,
            JobLength::Long => self.config.long_run_timeout_s,
        };
        // Dropping the set ends the task.
        let mut task = JoinSet::new();
        let work = handler(Arc::clone(&self.context), lease.clone());
        match lease.brand() {
            Some(brand) => task.spawn(TaskOwner::job(brand).run(work)),
            None => task.spawn(work),
        };
        let lease_duration = Duration::from_secs(self.config.lease_s.into());
        let mut heartbeat = interval(lease_duration / 3);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        let limit = sleep(Duration::from_secs(limit_s.into()));
        tokio::pin!(limit);
        loop {
            tokio::select! {
                ended = task.join_next() => return match ended {
                    Some(Ok(outcome)) => Some(outcome),
                    Some(Err(error)) if error.is_panic() => {
                        Some(Outcome::retry(format!("the job panicked: {}", panic_message(&*error.into_panic()))))
                    }
                    _ => None,
                },
                _ = heartbeat.tick() => {
                    match self.context.app.extend_lease(lease, Span::seconds(self.config.lease_s.into())).await {
                        Ok(LeaseStatus::Held) => {}
                        Ok(LeaseStatus::Lost) => {
                            tracing::warn!("job {} ({}) was taken over by another worker", lease.job(), lease.kind());
                            return None;
                        }
                        // If this persists, the lease expires, and the fencing number makes later changes fail.
                        Err(error) => tracing::warn!("the lease of job {} could not be extended: {error}", lease.job()),
                    }
                }
                () = &mut limit => {
                    return Some(Outcome::retry(format!("the job took longer than {limit_s} s")));
                }
            }
        }
    }

    /// Records an outcome. If that fails, the lease expires and the job runs again.
    async fn record_outcome(&self, lease: &Lease, outcome: Outcome) {
        let (job, kind, attempt) = (lease.job(), lease.kind(), lease.attempt());
        let app = &self.context.app;
        let outcome = match outcome {
            Outcome::Repeat if lease.repeats() >= MAX_REPEATS => {
                Outcome::retry("what it works on was changed during each of many attempts")
            }
            other => other,
        };
        let outcome = match outcome {
            Outcome::Retry { reason } if attempt >= self.config.max_attempts.into() => {
                Outcome::Fail { reason }
            }
            other => other,
        };
        let written = match outcome {
            Outcome::Done => app.finish_job(lease).await,
            Outcome::FinishedInTransaction(standing) => Ok(standing),
            Outcome::Repeat => {
                let is_immediate = lease.repeats() < IMMEDIATE_REPEATS;
                let wait = if is_immediate { Span::seconds(0) } else { REPEAT_WAIT };
                tracing::info!("job {job} ({kind}) is run again, because what it works on was changed");
                app.repeat_job(lease, wait).await
            }
            Outcome::Retry { reason } => {
                let wait = self.config.backoff(attempt, u64::from_be_bytes(app.random.bytes()));
                let seconds = wait.ceil_seconds();
                tracing::warn!(
                    "job {job} ({kind}), attempt {attempt}, will be retried in {seconds} s: {reason}"
                );
                app.retry_job(lease, wait, &reason).await
            }
            Outcome::Fail { reason } => {
                tracing::error!("job {job} ({kind}) failed permanently after {attempt} attempts: {reason}");
                match kind {
                    AlertMail::KIND | WebhookCallJob::KIND => app.fail_delivery(lease, &reason).await,
                    _ => app.fail_job(lease, &reason).await,
                }
            }
        };
        match written {
            Ok(LeaseStatus::Held) => {}
            Ok(LeaseStatus::Lost) => {
                tracing::warn!("job {job} ({kind}) had been taken over by another worker when it ended");
            }
            Err(error) => tracing::warn!("the outcome of job {job} ({kind}) could not be recorded: {error}"),
        }
    }
}

/// Returns the message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
