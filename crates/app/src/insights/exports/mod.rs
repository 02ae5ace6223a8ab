//! Exports: tables that someone asked for as files, made by a job.
//!
//! An export is its user's own: nobody else sees it, whatever their role. It is made with what they may see when it is made, and
//! can be fetched while they still see at least that. `making` is what the job does, `expiry` what time does to files.

mod config;
mod expiry;
mod formatting;
mod generation;
mod incursion_table;
mod pipe;
mod pivot_table;
mod provenance;
mod request;

use std::ops::Range;

use ::exports::{Format, Limit};
use blobs::{ByteStream, Key, Upload};
use domain::access::ReadInsights;
use domain::preferences::Preferences;
use domain::{ExportId, ExportState, Invalid};
use serde_json::json;
use store::{Export, ExportContent, NewExport, Page, PageRequest, Projects, StoredResponse};

use crate::insights::QueryScope;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::ExportBuild;
use crate::{App, Caller, Error, ErrorKind, Idempotent, Names};

pub use config::ExportsConfig;
pub use request::{ExportRequest, ExportSource};

/// How many exports of one user may wait or be made at once.
const MAX_UNFINISHED: i64 = 20;

/// An export whose file can be fetched.
#[derive(Clone, Debug)]
pub struct ExportDownload {
    /// What the file is called.
    pub file_name: String,
    /// What it is written as.
    pub format: Format,
    /// Its bytes.
    pub content: ExportContent,
    key: Key,
}

impl App {
    /// Asks for a table as a file. What can be known before is refused before there is a job.
    pub async fn request_export(
        &self,
        caller: &Caller<ReadInsights>,
        request: ExportRequest,
        idempotent: Idempotent<'_, Export>,
    ) -> Result<StoredResponse, Error> {
        let now = self.clock.now();
        let request = request.with_fixed_period(now)?;
        let preferences = self.preferences_of(caller).await?;
        if !self.has_stored_response(idempotent.key()).await? {
            self.check_size(caller.query_scope(), &request, &preferences).await?;
        }
        let (scope, user) = (caller.scope(), caller.identity.user);
        let (from, to) = request.period_text();
        let new = NewExport {
            kind: request.source.kind(),
            format: request.format.as_str(),
            request: request.to_json(&preferences)?,
            from,
            to,
            names_people: request.source.names_people(caller.names()),
        };
        self.run_idempotent(idempotent, async |tx| {
            if tx.own_exports(scope, user).count_unfinished().await? >= MAX_UNFINISHED {
                let detail =
                    format!("{MAX_UNFINISHED} of your exports are still to be made; wait, or delete some.");
                return Err(Error::new(ErrorKind::Conflict, "too_many_exports", detail));
            }
            let id = tx.own_exports(scope, user).add(&new, now).await?;
            let brand = scope.brand();
            let job = self.enqueue(tx, Some(brand), &ExportBuild { brand, export: id }).await?;
            tx.own_exports(scope, user).set_file_and_job(id, &request.file_name(id), job).await?;
            let act = AuditEntry::by_caller(caller).on("export.requested", "export", id.0);
            let details = json!({
                "kind": new.kind.as_str(), "format": new.format, "from": new.from, "to": new.to,
                "names_people": new.names_people,
            });
            self.record_audit(tx, act.with_details(details)).await?;
            tx.own_exports(scope, user).find(id).await?.ok_or_else(export_not_found)
        })
        .await
    }

    /// One page of the caller's own exports, the newest first, with how many there are if that is asked for.
    pub async fn list_exports(
        &self,
        caller: &Caller<ReadInsights>,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Export>, Option<i64>), Error> {
        let (scope, user) = (caller.scope(), caller.identity.user);
        let mut tx = self.store.read().await?;
        let found = tx.own_exports(scope, user).page(page).await?;
        let total = match include_total {
            true => Some(tx.own_exports(scope, user).count().await?),
            false => None,
        };
        Ok((found, total))
    }

    /// One of the caller's own exports.
    pub async fn find_export(&self, caller: &Caller<ReadInsights>, id: ExportId) -> Result<Export, Error> {
        let mut tx = self.store.read().await?;
        tx.own_exports(caller.scope(), caller.identity.user).find(id).await?.ok_or_else(export_not_found)
    }

    /// Ends one of the caller's own exports: what is not made yet will not be, and a file that is there goes. Doing so twice is
    /// fine.
    pub async fn delete_export(&self, caller: &Caller<ReadInsights>, id: ExportId) -> Result<Export, Error> {
        let (scope, user) = (caller.scope(), caller.identity.user);
        let mut tx = self.store.begin().await?;
        let before = tx.own_exports(scope, user).find_locked(id).await?.ok_or_else(export_not_found)?;
        let reason = match before.state {
            ExportState::Queued | ExportState::Running => "cancelled",
            ExportState::Done => "deleted",
            ExportState::Failed | ExportState::Expired => return Ok(before),
        };
        tx.own_exports(scope, user).end(&before, reason, self.clock.now()).await?;
        let act = AuditEntry::by_caller(caller).on("export.deleted", "export", id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "state": before.state.as_str() }))).await?;
        let after = tx.own_exports(scope, user).find(id).await?.ok_or_else(export_not_found)?;
        tx.commit().await?;
        if let Some(content) = before.content {
            let object = store::ExportObject { brand: scope.brand(), export: id, upload: content.upload };
            self.delete_export_files(&[object]).await;
        }
        Ok(after)
    }

    /// One of the caller's own exports, to be fetched.
    pub async fn open_export(
        &self,
        caller: &Caller<ReadInsights>,
        id: ExportId,
    ) -> Result<ExportDownload, Error> {
        let export = self.find_export(caller, id).await?;
        match export.state {
            ExportState::Queued | ExportState::Running => {
                return Err(Error::new(ErrorKind::Conflict, "not_ready", "The file is not made yet."));
            }
            ExportState::Expired => return Err(export_expired()),
            ExportState::Failed => {
                let detail = "There is no file: making it failed, or was cancelled.";
                return Err(Error::new(ErrorKind::NotFound, "export_failed", detail));
            }
            ExportState::Done => {}
        }
        if !can_still_see(caller.query_scope(), &export) {
            let detail = "The file was made when you saw more than you do now. Make another one.";
            return Err(Error::new(ErrorKind::Forbidden, "restricted", detail));
        }
        let content = export.content.ok_or_else(|| Error::internal("an export that is done has no file"))?;
        let upload =
            Upload::parse(&content.upload).ok_or_else(|| Error::internal("an upload has no name"))?;
        let format = Format::parse(&export.format).ok_or_else(|| Error::internal("a format has no name"))?;
        let key = Key::Export(caller.identity.brand(), id, upload);
        Ok(ExportDownload { file_name: export.file_name, format, content, key })
    }

    /// Some of the bytes of an export.
    pub async fn read_export(&self, export: &ExportDownload, range: Range<u64>) -> Result<ByteStream, Error> {
        match self.blobs.read(&export.key, range).await {
            Ok(stream) => Ok(stream),
            // It may have gone a moment ago; if it has not, whoever looks after the objects should know.
            Err(blobs::Error::NotFound(name)) => {
                tracing::error!("the object {name} is not where its row says");
                Err(export_expired())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses what its format cannot hold, or nobody could count.
    async fn check_size(
        &self,
        query_scope: QueryScope<'_>,
        request: &ExportRequest,
        preferences: &Preferences,
    ) -> Result<(), Error> {
        let checked = match &request.source {
            ExportSource::Pivot(filter, pivot) => {
                let found = self.pivot_in(query_scope, filter, pivot, preferences).await;
                let found = found.map_err(|error| error.inside_field("pivot"))?;
                pivot_table::table(&found, pivot, request.format)
                    .and_then(|table| table.check(request.format))
            }
            ExportSource::Incursions(filter) if request.format.max_lines().is_some() => {
                let rows = self.count_incursions_to_export(query_scope, filter).await?.rows;
                request.format.check(rows.unsigned_abs(), incursion_table::COLUMNS as u64, 1)
            }
            ExportSource::Incursions(_) => Ok(()),
        };
        checked.map_err(table_error)
    }
}

/// What a table was refused for.
fn table_error(error: ::exports::Error) -> Error {
    let ::exports::Error::TooLarge { limit, max: most, wanted } = error else {
        return Error::internal(error);
    };
    let code = match limit {
        Limit::Columns => "too_many_columns",
        Limit::Rows | Limit::SheetBytes | Limit::FileBytes => "too_many_rows",
    };
    let text = format!(
        "holds {most} {limit} at most, and there are {wanted}; choose another, or narrow the filters"
    );
    Error::invalid_field("format", Invalid::new(code, text))
}

fn export_not_found() -> Error {
    Error::not_found("export")
}

fn export_expired() -> Error {
    Error::new(ErrorKind::NotFound, "export_expired", "The file was kept its time, or deleted, and is gone.")
}

/// Whether someone sees at least what a file was made with.
fn can_still_see(query_scope: QueryScope<'_>, export: &Export) -> bool {
    let sees_names = !export.names_people || query_scope.names == Names::Shown;
    let sees_projects = match (query_scope.scope.projects(), &export.projects) {
        (Projects::All, _) => true,
        (Projects::Only(_), None) => false,
        (Projects::Only(seen), Some(made_with)) => serde_json::from_str::<Vec<domain::ProjectId>>(made_with)
            .is_ok_and(|made_with| made_with.iter().all(|project| seen.contains(project))),
    };
    sees_names && sees_projects
}
