//! Downloads of reports. A file that was not made yet, or is missing, is made from the figures.

use std::ops::Range;

use blobs::{ByteStream, Key};
use domain::access::ReadInsights;
use domain::{BrandId, Invalid, Report, ReportContent, ReportFormat, ReportId, ReportKind, ReportState};
use store::NewReportFile;

use super::lifecycle::{report_expired, report_failed, report_not_found, report_not_ready};
use super::stored_figures::{report_key, unused_object};
use crate::{App, Caller, Error, ErrorKind, FieldLocation};

/// A file of a report that can be downloaded.
#[derive(Clone, Debug)]
pub struct ReportDownload {
    pub file_name: String,
    pub format: ReportFormat,
    pub content: ReportContent,
    key: Key,
}

impl ReportDownload {
    fn new(brand: BrandId, report: &Report, file: NewReportFile) -> Result<Self, Error> {
        let NewReportFile { format, content } = file;
        let key = report_key(brand, report.id, &content)?;
        Ok(Self { file_name: report.file_name(format), format, content, key })
    }
}

#[macros::boxed]
impl App {
    /// Opens the file of a report in the requested format, or in another one. If it does not exist yet, it is made now.
    pub async fn open_report(
        &self,
        caller: &Caller<ReadInsights>,
        id: ReportId,
        format: Option<ReportFormat>,
    ) -> Result<ReportDownload, Error> {
        let report = self.find_visible_report(caller, id).await?;
        self.open_report_file(caller.identity.brand(), &report, format.unwrap_or(report.format)).await
    }

    /// The same without a caller, for links and mails whose right was checked.
    pub(crate) async fn open_report_file(
        &self,
        brand: BrandId,
        report: &Report,
        format: ReportFormat,
    ) -> Result<ReportDownload, Error> {
        if !report.kind.formats().contains(&format) {
            return Err(Error::range_too_wide("format", unknown_format(report.kind)));
        }
        check_not_ended(report)?;
        let scope = self.scope_of(brand);
        let stored = self.store.read().await?.reports_of(&scope).file(report.id, format).await?;
        let file = match stored {
            // Also while it is made again, until there is a new file.
            Some(content) => NewReportFile { format, content },
            None if report.state.is_unfinished() => return Err(report_not_ready()),
            None => self.make_missing_file(brand, report, format, None).await?,
        };
        ReportDownload::new(brand, report, file)
    }

    /// Reads a range of the bytes of a file. One that is missing is made again, if that gives the same bytes.
    pub async fn read_report(&self, report: &ReportDownload, range: Range<u64>) -> Result<ByteStream, Error> {
        match self.blobs.read(&report.key, range.clone()).await {
            Ok(stream) => Ok(stream),
            Err(blobs::Error::NotFound(_)) => self.read_report_again(report, range).await,
            Err(error) => Err(error.into()),
        }
    }

    async fn read_report_again(
        &self,
        missing: &ReportDownload,
        range: Range<u64>,
    ) -> Result<ByteStream, Error> {
        let Key::Report(brand, id, _) = missing.key else {
            return Err(Error::internal("a report has the name of another object"));
        };
        let (scope, format) = (self.scope_of(brand), missing.format);
        let mut tx = self.store.read().await?;
        let report = tx.reports_of(&scope).find(id).await?.ok_or_else(report_not_found)?;
        let stored = tx.reports_of(&scope).file(id, format).await?;
        drop(tx);
        check_not_ended(&report)?;
        let file = match stored {
            // It was replaced a moment ago.
            Some(content) if content.upload != missing.content.upload => NewReportFile { format, content },
            _ if report.state.is_unfinished() => return Err(report_not_ready()),
            stored => {
                if stored.is_some() {
                    tracing::error!("the object {} is missing, but a row refers to it", missing.key);
                }
                self.make_missing_file(brand, &report, format, Some(&missing.content.upload)).await?
            }
        };
        // The length and the checksum of the missing one have been announced.
        if file.content.sha256 != missing.content.sha256 {
            let detail = "The file was made again meanwhile, with other names; download it again.";
            return Err(Error::new(ErrorKind::Conflict, "not_ready", detail));
        }
        Ok(self.blobs.read(&report_key(brand, id, &file.content)?, range).await?)
    }

    /// Makes a file from the figures. It is used only if nothing changed since the report was read: an erasure in between would have
    /// removed it. If someone else made it at the same time, theirs is used, unless it is the missing one.
    async fn make_missing_file(
        &self,
        brand: BrandId,
        report: &Report,
        format: ReportFormat,
        missing: Option<&str>,
    ) -> Result<NewReportFile, Error> {
        let scope = self.scope_of(brand);
        let place = self.acquire_render_place().await?;
        let mut tx = self.store.read().await?;
        let made = tx.reports_of(&scope).file(report.id, format).await?;
        if let Some(content) = made.filter(|made| Some(made.upload.as_str()) != missing) {
            return Ok(NewReportFile { format, content });
        }
        let figures = tx.reports_of(&scope).figures(report.id).await?.ok_or_else(report_expired)?;
        drop(tx);
        let figures = self.read_report_figures(brand, report.id, &figures).await?;
        let figures = figures.ok_or_else(report_expired)?;
        let made = self.make_report_file(place, &scope, report, figures, format).await;
        let bytes = made.map_err(of_parameter)?;
        let key = self.new_report_key(brand, report.id);
        let file = NewReportFile { format, content: self.write_report_object(&key, &bytes).await? };
        let mine = unused_object(brand, report.id, &file.content);

        let mut tx = self.store.begin().await?;
        let stored = tx.reports_of(&scope).file(report.id, format).await?;
        if let Some(content) = stored.filter(|stored| Some(stored.upload.as_str()) != missing) {
            drop(tx);
            self.delete_report_objects(&[mine]).await;
            return Ok(NewReportFile { format, content });
        }
        let now = self.clock.now();
        match tx.reports_of(&scope).put_file(report.id, report.generation, &file, now).await? {
            Some(replaced) => {
                // If the commit fails, the file stays, because the row may refer to it. Otherwise it is removed as an orphaned object.
                tx.commit().await?;
                self.delete_report_objects(&replaced).await;
                Ok(file)
            }
            None => {
                drop(tx);
                self.delete_report_objects(&[mine]).await;
                Err(report_not_ready())
            }
        }
    }
}

fn check_not_ended(report: &Report) -> Result<(), Error> {
    match report.state {
        ReportState::Expired => Err(report_expired()),
        ReportState::Failed => Err(report_failed()),
        ReportState::Queued | ReportState::Running | ReportState::Ready => Ok(()),
    }
}

fn unknown_format(kind: ReportKind) -> Invalid {
    let formats: Vec<&str> = kind.formats().iter().map(|format| format.as_str()).collect();
    let text = format!("must be one of {} for a report of kind {}", formats.join(", "), kind.as_str());
    Invalid::new("unknown_format", text)
}

/// Attributes a refusal of the format to the parameter that chose it.
fn of_parameter(mut error: Error) -> Error {
    if error.kind == ErrorKind::Invalid {
        error.field_location = FieldLocation::Query;
    }
    error
}
