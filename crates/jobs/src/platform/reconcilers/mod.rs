//! Periodic work. A reconciler takes no input: it inspects the state of the store and repairs it, and what it could not do this time
//! remains for the next. The process that records the slot of a tick first does its work.
//!
//! To add one: a use case without arguments, and a line in [`all`].

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use app::Error;
use domain::{Span, Timestamp};

use crate::Context;

type ReconcileFn =
    Arc<dyn Fn(Arc<Context>) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> + Send + Sync>;

/// Periodic work that runs once per interval, whatever the number of processes.
#[derive(Clone)]
pub struct Reconciler {
    /// The stable name.
    pub name: &'static str,
    interval: Span,
    reconcile: ReconcileFn,
}

impl Reconciler {
    /// Creates a reconciler that runs `work` once per interval.
    pub fn new<F>(
        name: &'static str,
        interval: Span,
        work: impl Fn(Arc<Context>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        Self { name, interval, reconcile: Arc::new(move |context| Box::pin(work(context))) }
    }

    /// Returns the number of the slot that contains a time.
    pub(crate) fn slot_at(&self, at: Timestamp) -> i64 {
        at.micros().div_euclid(self.interval.micros().max(1))
    }

    /// Does the work of a slot unless another process has taken it. Returns whether it did.
    pub(crate) async fn run(&self, context: &Arc<Context>, slot: i64) -> Result<bool, Error> {
        if !context.app.take_slot(self.name, slot).await? {
            return Ok(false);
        }
        (self.reconcile)(Arc::clone(context)).await?;
        Ok(true)
    }
}

/// Returns all reconcilers.
pub(crate) fn all() -> Vec<Reconciler> {
    vec![
        Reconciler::new("sum_refused_logins", Span::seconds(20), async |context: Arc<Context>| {
            context.app.audit_failed_logins().await
        }),
        Reconciler::new("close_overdue_visits", Span::minutes(1), async |context: Arc<Context>| {
            context.app.close_overdue_visits().await.map(drop)
        }),
        Reconciler::new("close_overdue_incursions", Span::minutes(10), async |context: Arc<Context>| {
            context.app.close_overdue_incursions().await.map(drop)
        }),
        Reconciler::new("forget_old_facts", Span::minutes(60), async |context: Arc<Context>| {
            context.app.delete_expired_facts().await.map(drop)
        }),
        Reconciler::new("expire_video_clips", Span::minutes(5), async |context: Arc<Context>| {
            context.app.expire_video_clips().await.map(drop)
        }),
        Reconciler::new("expire_exports", Span::minutes(5), async |context: Arc<Context>| {
            context.app.expire_exports().await.map(drop)
        }),
        Reconciler::new("run_report_schedules", Span::seconds(20), async |context: Arc<Context>| {
            context.app.run_due_schedules().await.map(drop)
        }),
        Reconciler::new("expire_reports", Span::minutes(5), async |context: Arc<Context>| {
            context.app.expire_reports().await.map(drop)
        }),
        Reconciler::new("give_up_lost_deliveries", Span::minutes(60), async |context: Arc<Context>| {
            context.app.give_up_lost_deliveries().await.map(drop)
        }),
        Reconciler::new("remove_orphaned_objects", Span::minutes(24 * 60), async |context: Arc<Context>| {
            context.app.remove_orphaned_objects().await.map(drop)
        }),
        Reconciler::new("empty_write_ahead_log", Span::minutes(60), async |context: Arc<Context>| {
            context.app.empty_write_ahead_log().await
        }),
        Reconciler::new("forget_old", Span::minutes(60), async |context: Arc<Context>| {
            context.app.delete_expired().await
        }),
    ]
}
