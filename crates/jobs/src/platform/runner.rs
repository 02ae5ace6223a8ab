//! The runner: claims jobs, and does periodic work. `attempts` runs a job that was claimed.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use app::jobs::{
    AccountMail, AccountNotice, AlertMail, ExportBuild, Job, Lease, Reattribution, ReportBuild, ReportMail,
    ReportSlot, RunFailureMail, SiteReportBuild, WebhookCallJob, WebhookNotice,
};
use app::{Error, EvaluationSummary};
use domain::Span;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::accounts::account_mail;
use crate::accounts::account_notice;
use crate::alerts::{alert_mail, evaluation_loop, webhook_call, webhook_notice};
use crate::facts::reattribution;
use crate::insights::{export_build, warehouse_loop};
use crate::platform::reconcilers;
use crate::platform::worker_permits::{WorkerPermit, WorkerPermits};
use crate::reports::{report_build, report_mail, report_slot, run_failure_mail, site_report};
use crate::{Config, Context, Outcome, Reconciler};

pub(super) type Handler =
    Box<dyn Fn(Arc<Context>, Lease) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// The expected duration of jobs of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobLength {
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
pub(super) struct LeasedJob(pub Lease, pub WorkerPermit);

/// Runs jobs and periodic work in one process.
pub struct Runner {
    pub(super) context: Arc<Context>,
    pub(super) config: Config,
    worker: String,
    pub(super) handlers: Vec<(&'static str, JobLength, Handler)>,
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
        let (context, worker) = (Arc::clone(&self.context), self.worker.clone());
        tasks.spawn(warehouse_loop::run(context, worker, stop_receiver.clone()));
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
}
