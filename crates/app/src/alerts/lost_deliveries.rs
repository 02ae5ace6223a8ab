//! Deliveries whose jobs have ended without an outcome: they have failed, and say so.

use std::collections::HashSet;

use domain::{AlertDeliveryId, BrandId, Span};

use crate::platform::jobs::{AlertMail, Job, Lease, LeaseStatus, WebhookCallJob};
use crate::{App, Error};

/// The reason of a delivery whose job was given up, whatever for.
const GIVEN_UP: &str = "given_up";

/// How long after its time an attempt may be made before its job is looked for.
const GRACE: Span = Span::minutes(60);

#[macros::boxed]
impl App {
    /// Marks the job of a mail or of a call as failed permanently, and with it what it was to deliver, in one transaction.
    pub async fn fail_delivery(&self, lease: &Lease, reason: &str) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.fail_job_in(&mut tx, lease, reason).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        // Both kinds of jobs name their delivery alike.
        if let Ok(AlertMail { brand, delivery }) = lease.payload() {
            let scope = self.scope_of(brand);
            tx.alert_deliveries(&scope).give_up(delivery, GIVEN_UP, self.clock.now()).await?;
        }
        tx.commit().await?;
        Ok(lease_status)
    }

    /// Gives up deliveries that are queued although no job will send them, and returns how many.
    pub async fn give_up_lost_deliveries(&self) -> Result<u64, Error> {
        let brands = self.store.read().await?.brands(&self.platform).all().await?;
        let mut given_up = 0;
        for brand in brands {
            given_up += self.give_up_lost_deliveries_of(brand.id).await?;
        }
        Ok(given_up)
    }
}

impl App {
    async fn give_up_lost_deliveries_of(&self, brand: BrandId) -> Result<u64, Error> {
        let (scope, now) = (self.scope_of(brand), self.clock.now());
        let mut tx = self.store.read().await?;
        let overdue = tx.alert_deliveries(&scope).overdue(now - GRACE).await?;
        if overdue.is_empty() {
            return Ok(0);
        }
        let mut with_jobs: HashSet<AlertDeliveryId> = HashSet::new();
        for kind in [AlertMail::KIND, WebhookCallJob::KIND] {
            let payloads = tx.jobs(&self.platform).unfinished_payloads(kind, brand).await?;
            let jobs = payloads.iter().filter_map(|payload| serde_json::from_str::<AlertMail>(payload).ok());
            with_jobs.extend(jobs.map(|job| job.delivery));
        }
        drop(tx);
        let mut given_up = 0;
        let mut tx = self.store.begin().await?;
        for delivery in overdue.into_iter().filter(|delivery| !with_jobs.contains(delivery)) {
            given_up += u64::from(tx.alert_deliveries(&scope).give_up(delivery, GIVEN_UP, now).await?);
        }
        tx.commit().await?;
        if given_up > 0 {
            tracing::warn!("{given_up} deliveries of brand {brand} had no job left, and were given up");
        }
        Ok(given_up)
    }
}
