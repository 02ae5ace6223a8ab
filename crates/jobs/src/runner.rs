//! The runner: claims jobs, has them done, and writes down how they ended.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use app::Error;
use app::jobs::{AccountMail, Job, Lease, PasswordResetRequest, Reattribution, Standing};
use domain::Span;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::{Config, Context, Outcome, Reconciler, account_mail, password_reset, reattribution, reconcilers};

type Handler =
    Box<dyn Fn(Arc<Context>, Lease) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// Does jobs and periodic work, for one process.
pub struct Runner {
    context: Arc<Context>,
    config: Config,
    worker: String,
    handlers: Vec<(&'static str, Handler)>,
    reconcilers: Vec<Reconciler>,
}

impl Runner {
    /// One that knows every job and every reconciler.
    pub fn new(context: Context, config: Config) -> Self {
        let chance = u32::from_be_bytes(context.app.random.bytes());
        let runner = Self {
            context: Arc::new(context),
            config,
            worker: format!("{}-{chance:08x}", std::process::id()),
            handlers: Vec::new(),
            reconcilers: reconcilers::all(),
        };
        runner
            .handling(AccountMail::KIND, account_mail::run)
            .handling(PasswordResetRequest::KIND, password_reset::run)
            .handling(Reattribution::KIND, reattribution::run)
    }

    /// The same, and it does jobs of that kind so.
    pub fn handling<F>(
        mut self,
        kind: &'static str,
        handler: impl Fn(Arc<Context>, Lease) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        self.handlers.push((kind, Box::new(move |context, lease| Box::pin(handler(context, lease)))));
        self
    }

    /// The same, with this periodic work too.
    pub fn reconciling(mut self, reconciler: Reconciler) -> Self {
        self.reconcilers.push(reconciler);
        self
    }

    /// What handlers can reach.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Works until `stop` is done, then waits a while for what is in hand; what takes longer is left to its lease.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let (tell, told) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for _ in 0..self.config.workers {
            tasks.spawn(Arc::clone(&self).work(told.clone()));
        }
        for reconciler in self.reconcilers.clone() {
            tasks.spawn(Arc::clone(&self).reconcile_for_ever(reconciler, told.clone()));
        }
        stop.await;
        let _ = tell.send(true);
        let grace = Duration::from_secs(self.config.grace_s.into());
        let ended = timeout(grace, async { while tasks.join_next().await.is_some() {} }).await;
        if ended.is_err() {
            tracing::warn!("{} jobs in hand were left to their leases", tasks.len());
        }
    }

    /// Does what is due now, one after the other, and tells how many attempts that were. For tests.
    pub async fn run_due(&self) -> Result<u32, Error> {
        let mut attempts = 0;
        while let Some(lease) = self.claim().await? {
            self.perform(lease).await;
            attempts += 1;
        }
        Ok(attempts)
    }

    /// Does the periodic work whose tick no process has taken yet, and tells which. For tests.
    pub async fn reconcile(&self) -> Result<Vec<&'static str>, Error> {
        let mut did = Vec::new();
        for reconciler in &self.reconcilers {
            if reconciler.run(&self.context, reconciler.slot(self.context.app.clock.now())).await? {
                did.push(reconciler.name);
            }
        }
        Ok(did)
    }

    /// One worker: does job after job, and waits when there is none.
    async fn work(self: Arc<Self>, mut stopped: watch::Receiver<bool>) {
        let pause = Duration::from_millis(self.config.poll_ms.into());
        while !*stopped.borrow() {
            match self.claim().await {
                Ok(Some(lease)) => {
                    // There may be more than this one.
                    self.context.app.job_enqueued().notify_one();
                    self.perform(lease).await;
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!("claiming a job: {error}"),
            }
            tokio::select! {
                () = self.context.app.job_enqueued().notified() => {}
                () = sleep(pause) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    async fn reconcile_for_ever(self: Arc<Self>, reconciler: Reconciler, mut stopped: watch::Receiver<bool>) {
        let mut last = None;
        while !*stopped.borrow() {
            let slot = reconciler.slot(self.context.app.clock.now());
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

    /// Takes the next job of a kind that this program knows; another version may know more.
    async fn claim(&self) -> Result<Option<Lease>, Error> {
        let kinds: Vec<&'static str> = self.handlers.iter().map(|(kind, _)| *kind).collect();
        let lease = Span::seconds(self.config.lease_s.into());
        self.context.app.claim_job(&kinds, &self.worker, lease).await
    }

    async fn perform(&self, lease: Lease) {
        // More attempts than there may be: the last ones ended with their workers.
        let most = i64::from(self.config.max_attempts);
        let outcome = if lease.attempt() > most {
            Outcome::fail(format!("none of {most} attempts came to an end"))
        } else {
            let Some(outcome) = self.attempt(&lease).await else { return };
            outcome
        };
        self.settle(&lease, outcome).await;
    }

    /// Has a job done, on a task of its own, and says every so often that it is still being done. None if it turns out to
    /// be another's.
    async fn attempt(&self, lease: &Lease) -> Option<Outcome> {
        let (_, handler) = self.handlers.iter().find(|(kind, _)| *kind == lease.kind())?;
        // Dropped with its set, the task ends.
        let mut task = JoinSet::new();
        task.spawn(handler(Arc::clone(&self.context), lease.clone()));
        let held = Duration::from_secs(self.config.lease_s.into());
        let mut beat = interval(held / 3);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        beat.reset();
        let limit = sleep(Duration::from_secs(self.config.run_limit_s.into()));
        tokio::pin!(limit);
        loop {
            tokio::select! {
                ended = task.join_next() => return match ended {
                    Some(Ok(outcome)) => Some(outcome),
                    Some(Err(error)) if error.is_panic() => {
                        Some(Outcome::retry(format!("it panicked: {}", words(&*error.into_panic()))))
                    }
                    _ => None,
                },
                _ = beat.tick() => {
                    match self.context.app.extend_lease(lease, Span::seconds(self.config.lease_s.into())).await {
                        Ok(Standing::Held) => {}
                        Ok(Standing::Lost) => {
                            tracing::warn!("job {} ({}) is another worker's now", lease.job(), lease.kind());
                            return None;
                        }
                        // If it stays so the lease runs out, and then the fence refuses what is done here.
                        Err(error) => tracing::warn!("holding job {}: {error}", lease.job()),
                    }
                }
                () = &mut limit => {
                    return Some(Outcome::retry(format!("it took longer than {} s", self.config.run_limit_s)));
                }
            }
        }
    }

    /// Writes down how it ended. If that fails, the lease runs out and the job is done again.
    async fn settle(&self, lease: &Lease, outcome: Outcome) {
        let (job, kind, attempt) = (lease.job(), lease.kind(), lease.attempt());
        let app = &self.context.app;
        let outcome = match outcome {
            Outcome::Retry { reason } if attempt >= self.config.max_attempts.into() => {
                Outcome::Fail { reason }
            }
            other => other,
        };
        let written = match outcome {
            Outcome::Done => app.finish_job(lease).await,
            Outcome::Finished(standing) => Ok(standing),
            Outcome::Retry { reason } => {
                let wait = self.config.backoff(attempt, u64::from_be_bytes(app.random.bytes()));
                let seconds = wait.seconds_up();
                tracing::warn!(
                    "job {job} ({kind}), attempt {attempt}, is tried again in {seconds} s: {reason}"
                );
                app.retry_job(lease, wait, &reason).await
            }
            Outcome::Fail { reason } => {
                tracing::error!("job {job} ({kind}) is given up after {attempt} attempts: {reason}");
                app.fail_job(lease, &reason).await
            }
        };
        match written {
            Ok(Standing::Held) => {}
            Ok(Standing::Lost) => {
                tracing::warn!("job {job} ({kind}) was another worker's by the time it ended");
            }
            Err(error) => tracing::warn!("writing down how job {job} ({kind}) ended: {error}"),
        }
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}
