//! Mails that carry the report of a schedule to its recipients.

use domain::locale::Locale;
use domain::{
    BrandId, Day, EmailAddress, Name, PeriodBound, Report, ReportState, Span, TimeZone, Timestamp, UserState,
};
use futures_util::TryStreamExt;
use serde_json::json;
use store::{ScheduleViewer, Scope, Tx};
use texts::{Language, schedules};

use super::author_of;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::{Lease, LeaseStatus, ReportMail};
use crate::reports::names::title_for_mails;
use crate::{App, Error};

/// Contents of the mail to one recipient.
#[derive(Clone, Debug)]
pub struct ReportEmail {
    pub recipient: EmailAddress,
    /// None if the address belongs to no user of the brand.
    pub recipient_name: Option<Name>,
    pub brand_name: String,
    /// The recipient's, or that of the brand.
    pub language: Language,
    pub schedule_name: String,
    pub author_name: String,
    /// Where the author can be asked; none for a service account, and for someone who was deactivated.
    pub author_email: Option<String>,
    pub report_title: String,
    /// Formatted for people.
    pub period: String,
    /// In which the mail gives times: the recipient's, or that of the brand.
    pub time_zone: String,
    pub delivery: Delivery,
}

/// How a recipient gets the file.
#[derive(Clone, Debug)]
pub enum Delivery {
    Attached {
        file_name: String,
        content_type: &'static str,
        bytes: Vec<u8>,
    },
    /// The file is too large. The token is the end of a link.
    Linked {
        token: String,
        size_bytes: u64,
        expires_at: Timestamp,
    },
}

/// Who receives a mail, and in which form.
struct Reader {
    name: Option<Name>,
    locale: Locale,
    time_zone: TimeZone,
}

#[macros::boxed]
impl App {
    /// Enqueues a mail to each recipient of a schedule, in the transaction that completes its report.
    pub(crate) async fn enqueue_report_mails(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        report: &Report,
    ) -> Result<(), Error> {
        let Some(schedule) = report.schedule else { return Ok(()) };
        let scope = self.scope_of(brand);
        for (_, recipient) in tx.report_schedules(&scope).recipients(&[schedule]).await? {
            let job = ReportMail { brand, report: report.id, recipient: recipient.id };
            self.enqueue(tx, Some(brand), &job).await?;
        }
        Ok(())
    }

    /// Returns the contents of a mail whose job was enqueued at that time, or `None` if there is no reason left to send it: the report was
    /// deleted, the schedule too, the address was removed from it, or its user was deactivated.
    pub async fn find_report_email(
        &self,
        job: &ReportMail,
        enqueued_at: Timestamp,
    ) -> Result<Option<ReportEmail>, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.read().await?;
        let report = tx.reports_of(&scope).find(job.report).await?;
        let gone = [ReportState::Failed, ReportState::Expired];
        let Some(report) = report.filter(|report| !gone.contains(&report.state)) else { return Ok(None) };
        let found = tx.report_schedules(&scope).recipient(job.recipient).await?;
        let Some((schedule, recipient)) = found.filter(|(of, _)| Some(*of) == report.schedule) else {
            return Ok(None);
        };
        let schedule = tx.report_schedules(&scope).find(schedule, ScheduleViewer::Brand).await?;
        let Some(schedule) = schedule else { return Ok(None) };
        let recipient = EmailAddress::parse_stored(&recipient.email).map_err(Error::internal)?;
        let Some(reader) = self.find_reader(&mut tx, &scope, &recipient).await? else { return Ok(None) };
        let author = tx.users_of(&scope).find_owner(author_of(&schedule)?).await?;
        let person = tx.users_of(&scope).find(author_of(&schedule)?).await?;
        let person = person.filter(|person| person.state == UserState::Active);
        let brand_name = tx.brand_settings(&scope).await?.values.name.to_string();
        let language = Language::of_tag(reader.locale.as_str());
        let report_title = title_for_mails(&mut tx, &scope, &report, language).await?;
        drop(tx);
        Ok(Some(ReportEmail {
            recipient,
            recipient_name: reader.name,
            author_name: author.map_or_else(|| brand_name.clone(), |author| author.name),
            author_email: person.map(|person| person.email),
            brand_name,
            language,
            schedule_name: schedule.name,
            report_title,
            period: describe_period(language, &report),
            time_zone: reader.time_zone.as_str().to_owned(),
            delivery: self.deliver(job.brand, &report, enqueued_at).await?,
        }))
    }

    /// Records that a mail was handed over and finishes its job, in one transaction.
    pub async fn record_report_email_sent(
        &self,
        lease: &Lease,
        job: &ReportMail,
    ) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let entry = AuditEntry::by_service(Some(job.brand), None).on("report.mailed", "report", job.report.0);
        let details = json!({ "recipient": job.recipient, "job": lease.job() });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        tx.commit().await?;
        Ok(lease_status)
    }

    /// Returns the user of the brand who has the address, or someone who reads mails as the brand does. Returns none if the user was
    /// deactivated: whoever is locked out gets nothing more from the brand.
    async fn find_reader(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        address: &EmailAddress,
    ) -> Result<Option<Reader>, Error> {
        let found = tx.users(&self.platform).by_email(address).await?.map(|found| found.user);
        let user = found.filter(|user| user.brand == scope.brand());
        match user {
            Some(user) if user.state == UserState::Deactivated => Ok(None),
            Some(user) if user.state == UserState::Active => {
                let preferences = tx.preferences(scope, user.id).get().await?.effective();
                Ok(Some(Reader {
                    name: Some(Name::parse_stored(&user.name).map_err(Error::internal)?),
                    locale: preferences.language,
                    time_zone: preferences.time_zone,
                }))
            }
            _ => {
                let brand = tx.brand_settings(scope).await?.values;
                Ok(Some(Reader { name: None, locale: brand.locale, time_zone: brand.time_zone }))
            }
        }
    }

    /// Reads the file, or signs a link to it if it is too large. A retry gives the same: the link expires so long after its mail was
    /// enqueued, whether the file has been made again or not.
    async fn deliver(
        &self,
        brand: BrandId,
        report: &Report,
        enqueued_at: Timestamp,
    ) -> Result<Delivery, Error> {
        let config = &self.reports_setup.config;
        let file = self.open_report_file(brand, report, report.format).await?;
        let size_bytes = file.content.size_bytes.unsigned_abs();
        if size_bytes > u64::from(config.max_attachment_mb) * 1_000_000 {
            let lifetime = Span::minutes(i64::from(config.link_lifetime_days) * 24 * 60);
            let expires_at = enqueued_at + lifetime;
            // The mail must not promise a file that is deleted earlier.
            let expires_at = report.expires_at.map_or(expires_at, |gone_at| gone_at.min(expires_at));
            let token = self.sign_report_link(brand, report.id, report.format, expires_at);
            return Ok(Delivery::Linked { token, size_bytes, expires_at });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size_bytes).unwrap_or_default());
        let mut pieces = self.read_report(&file, 0..size_bytes).await?;
        while let Some(piece) = pieces.try_next().await? {
            bytes.extend_from_slice(&piece);
        }
        let content_type = file.format.content_type();
        Ok(Delivery::Attached { file_name: file.file_name, content_type, bytes })
    }
}

/// Writes the days of a report, whose end is exclusive.
pub(super) fn describe_period(language: Language, report: &Report) -> String {
    let day = |text: &str, back: i64| match PeriodBound::parse(text) {
        Ok(PeriodBound::Day(day)) => long_date(language, &Day::from_number(day.number() - back).to_string()),
        Ok(PeriodBound::Instant(_)) | Err(_) => text.to_owned(),
    };
    let (from, to) = (day(&report.from, 0), day(&report.to, 1));
    if from == to { from } else { schedules::FROM_TO.fill(language, &[("from", &from), ("to", &to)]) }
}

/// Writes a day such as `2026-03-02` with the name of its month.
fn long_date(language: Language, day: &str) -> String {
    let numbers: Option<Vec<i64>> = day.split('-').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        Some([year, month, day]) => schedules::long_date(language, (*year, *month, *day)),
        _ => day.to_owned(),
    }
}
