//! Mails that notify users of changes to their sign-in, so that they learn of changes they did not make themselves.

use domain::{AccountChange, BrandId, EmailAddress, Name, UserId, UserState};
use serde_json::json;
use store::Tx;
use texts::Language;

use crate::platform::audit::AuditEntry;
use crate::platform::jobs::{AccountNotice, Lease, LeaseStatus};
use crate::{App, Error};

/// Contents of the mail for a notice.
#[derive(Clone, Debug)]
pub struct NoticeEmail {
    pub recipient: EmailAddress,
    pub recipient_name: Name,
    pub brand_name: String,
    /// The recipient's language, or the brand's if they chose none.
    pub language: Language,
    /// The brand's time zone, in which the mail gives times.
    pub time_zone: String,
    pub change: AccountChange,
}

#[macros::boxed]
impl App {
    /// Enqueues a notice in the transaction of the change that it reports.
    pub(crate) async fn enqueue_account_notice(
        &self,
        tx: &mut Tx,
        (brand, user): (BrandId, UserId),
        change: AccountChange,
    ) -> Result<(), Error> {
        self.enqueue(tx, Some(brand), &AccountNotice { brand, user, change }).await.map(drop)
    }

    /// Returns the contents of a notice's mail, or `None` if the user can no longer sign in.
    pub async fn find_notice_email(&self, job: &AccountNotice) -> Result<Option<NoticeEmail>, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.read().await?;
        let Some(user) = tx.users_of(&scope).find(job.user).await? else { return Ok(None) };
        if user.state != UserState::Active {
            return Ok(None);
        }
        let brand = tx.brand_settings(&scope).await?.values;
        let preferences = tx.preferences(&scope, job.user).get().await?.effective();
        Ok(Some(NoticeEmail {
            language: Language::of_tag(preferences.language.as_str()),
            recipient: EmailAddress::parse_stored(&user.email).map_err(Error::internal)?,
            recipient_name: Name::parse_stored(&user.name).map_err(Error::internal)?,
            brand_name: brand.name.as_str().to_owned(),
            time_zone: brand.time_zone.as_str().to_owned(),
            change: job.change,
        }))
    }

    /// Records that a notice was handed over and finishes its job, in one transaction.
    pub async fn record_notice_sent(&self, lease: &Lease, job: &AccountNotice) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let entry = AuditEntry::by_service(Some(job.brand), None).on("mail.sent", "user", job.user.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "mail": job.change, "job": lease.job() })))
            .await?;
        tx.commit().await?;
        Ok(lease_status)
    }
}
