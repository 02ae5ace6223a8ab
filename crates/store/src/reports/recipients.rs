//! The addresses that schedules mail to.

use std::collections::BTreeSet;

use domain::{EmailAddress, PauseReason, ReportRecipient, ReportRecipientId, ReportScheduleId, Timestamp};

use crate::Error;
use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::reports::schedules::ReportSchedules;

#[derive(macros::FromRow)]
struct RecipientOfSchedule {
    schedule_id: ReportScheduleId,
    #[row(flatten)]
    recipient: ReportRecipient,
}

#[derive(macros::FromRow)]
struct StoredAddress {
    id: ReportRecipientId,
    email_key: String,
}

#[macros::boxed]
impl ReportSchedules<'_> {
    /// Returns the recipients of these schedules, in the order in which they were added.
    pub async fn recipients(
        &mut self,
        schedules: &[ReportScheduleId],
    ) -> Result<Vec<(ReportScheduleId, ReportRecipient)>, Error> {
        let text = "select id, schedule_id, email from report_recipients where brand_id = $1";
        let statement = sql!(text, self.1.brand()).and_in("schedule_id", schedules.iter().copied());
        let found: Vec<RecipientOfSchedule> =
            self.0.all(statement.push(" order by schedule_id, id").uncached()).await?;
        Ok(found.into_iter().map(|one| (one.schedule_id, one.recipient)).collect())
    }

    /// Returns a recipient with the schedule, or none if the address was removed.
    pub async fn recipient(
        &mut self,
        id: ReportRecipientId,
    ) -> Result<Option<(ReportScheduleId, ReportRecipient)>, Error> {
        let text = "select id, schedule_id, email from report_recipients where brand_id = $1 and id = $2";
        let found: Option<RecipientOfSchedule> = self.0.optional(sql!(text, self.1.brand(), id)).await?;
        Ok(found.map(|one| (one.schedule_id, one.recipient)))
    }

    /// Removes an address, given by its key, from all schedules, and pauses those that have none left. Returns from how many it was
    /// removed.
    pub async fn remove_address(&mut self, email_key: &str, now: Timestamp) -> Result<u64, Error> {
        let (brand, lock) = (self.1.brand(), self.0.row_lock());
        // A change holds its schedule when it comes to the recipients, so that the schedules are locked before them here, too; and
        // wherever several are locked, it is in the order of their ids.
        let text = "select s.id from report_schedules s where s.brand_id = $1 and s.id in (
                 select p.schedule_id from report_recipients p where p.brand_id = $1 and p.email_key = $2)
             order by s.id";
        let _: Vec<Id<ReportScheduleId>> = self.0.all(sql!(text, brand, email_key).push(lock)).await?;
        let text = "delete from report_recipients where brand_id = $1 and email_key = $2 returning schedule_id as id";
        let touched: Vec<Id<ReportScheduleId>> = self.0.all(sql!(text, brand, email_key)).await?;
        for Id(schedule) in &touched {
            // Either way the schedule is shown otherwise than before.
            let text = "update report_schedules set version = version + 1, updated_at = $3 where brand_id = $1 and id = $2";
            self.0.execute(sql!(text, brand, *schedule, now)).await?;
            let text =
                "update report_schedules set paused_reason = $3, next_slot_at = null, next_run_at = null
                 where brand_id = $1 and id = $2 and paused_reason is null and not exists (
                     select 1 from report_recipients p where p.brand_id = $1 and p.schedule_id = $2)";
            self.0.execute(sql!(text, brand, *schedule, PauseReason::NoRecipients.as_str())).await?;
        }
        Ok(touched.len() as u64)
    }

    /// Sets the recipients of a schedule, each address once. Those who stay keep their ids, to which jobs refer.
    pub(super) async fn replace_recipients(
        &mut self,
        schedule: ReportScheduleId,
        recipients: &[EmailAddress],
    ) -> Result<(), Error> {
        let brand = self.1.brand();
        let mut wanted: BTreeSet<String> = recipients.iter().map(EmailAddress::key).collect();
        let text = "select id, email_key from report_recipients where brand_id = $1 and schedule_id = $2";
        let stored: Vec<StoredAddress> = self.0.all(sql!(text, brand, schedule)).await?;
        for StoredAddress { id, email_key } in stored {
            if !wanted.remove(&email_key) {
                let text = "delete from report_recipients where brand_id = $1 and id = $2";
                self.0.execute(sql!(text, brand, id)).await?;
            }
        }
        for address in recipients {
            let key = address.key();
            if wanted.remove(&key) {
                let text = "insert into report_recipients (brand_id, schedule_id, email, email_key) values ($1, $2, $3, $4)";
                self.0.execute(sql!(text, brand, schedule, address.as_str(), key)).await?;
            }
        }
        Ok(())
    }
}
