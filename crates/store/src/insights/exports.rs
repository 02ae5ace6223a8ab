//! Exports: requested files, their progress and their result. The files themselves are objects in blob storage.

use domain::row::FromRow;
use domain::{
    Export, ExportContent, ExportId, ExportKind, ExportState, JobId, Page, PageRequest, Timestamp, UserId,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::insights::expired_exports::ExportObject;
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewExport {
    pub kind: ExportKind,
    /// File format, such as `csv`.
    pub format: &'static str,
    /// The request as JSON.
    pub request: String,
    /// Beginning of the period, in the form in which it is shown.
    pub from: String,
    /// End of the period, in the form in which it is shown.
    pub to: String,
    /// True if the file will contain names of people.
    pub names_people: bool,
}

/// The conditions under which a run of an export starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportStart {
    /// Sequence number of the brand's last change that it includes.
    pub seq: i64,
    /// The projects visible to the user, as a JSON list; none means all.
    pub projects: Option<String>,
    /// True if the file will contain names of people.
    pub names_people: bool,
}

const COLUMNS: &str = "select id, user_id, kind, format, request, state, reason, rows_expected, rows_done, seq, from_cut,
    to_cut, projects, names_people, file_name, size_bytes, sha256, upload, created_at, updated_at, finished_at, expires_at";

#[derive(macros::FromRow)]
struct Generation(#[row(column = "generation")] i64);

/// None before the export has content.
impl FromRow<Row> for Option<ExportContent> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(match (row.get("size_bytes")?, row.get("sha256")?, row.get("upload")?) {
            (Some(size_bytes), Some(sha256), Some(upload)) => {
                Some(ExportContent { size_bytes, sha256, upload })
            }
            _ => None,
        })
    }
}

impl Keyed for Export {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The exports that one user of a brand has requested.
pub struct OwnExports<'a>(&'a mut Tx, &'a Scope, UserId);

/// The exports of a brand, for the job that makes them and for the erasure of names.
pub struct ExportsOfBrand<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn own_exports<'a>(&'a mut self, scope: &'a Scope, user: UserId) -> OwnExports<'a> {
        OwnExports(self, scope, user)
    }

    pub fn exports_of<'a>(&'a mut self, scope: &'a Scope) -> ExportsOfBrand<'a> {
        ExportsOfBrand(self, scope)
    }
}

#[macros::boxed]
impl OwnExports<'_> {
    /// Adds a queued export.
    pub async fn add(&mut self, new: &NewExport, now: Timestamp) -> Result<ExportId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into exports (brand_id, user_id, kind, format, request, state, generation, rows_done, from_cut, to_cut,
                     names_people, file_name, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, 'queued', 0, 0, $6, $7, $8, '', $9, $9) returning id",
                self.1.brand(),
                self.2,
                new.kind.as_str(),
                new.format,
                new.request.as_str(),
                new.from.as_str(),
                new.to.as_str(),
                new.names_people,
                now
            ))
            .await?;
        Ok(id)
    }

    pub async fn set_file_and_job(&mut self, id: ExportId, file_name: &str, job: JobId) -> Result<(), Error> {
        let update = sql!("update exports set file_name = $1, job_id = $2", file_name, job);
        self.0.execute(self.owned(update, id)).await?;
        Ok(())
    }

    pub async fn find(&mut self, id: ExportId) -> Result<Option<Export>, Error> {
        let statement = self.owned(sql!(COLUMNS).push(" from exports"), id);
        self.0.optional(statement).await
    }

    /// Finds an export and locks its row until the end of the transaction.
    pub async fn find_locked(&mut self, id: ExportId) -> Result<Option<Export>, Error> {
        let lock = self.0.row_lock();
        let statement = self.owned(sql!(COLUMNS).push(" from exports"), id).push(lock);
        self.0.optional(statement).await
    }

    /// Returns a page, newest first.
    pub async fn page(&mut self, page: &PageRequest) -> Result<Page<Export>, Error> {
        let list = "exports";
        let order = (" and id < $?", " order by id desc");
        let statement = self.all(sql!(COLUMNS));
        let rows = self.0.all(page::order_by_id(statement, order, list, page)?).await?;
        Ok(page::into_page(rows, list, page))
    }

    pub async fn count(&mut self) -> Result<i64, Error> {
        let statement = self.all(sql!("select count(*) as count"));
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Counts the exports that are queued or running.
    pub async fn count_unfinished(&mut self) -> Result<i64, Error> {
        let statement =
            self.all(sql!("select count(*) as count")).push(" and state in ('queued', 'running')");
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Ends an export that was found and locked: fails it if it is queued or running, and expires its file if it is done.
    pub async fn end(&mut self, export: &Export, reason: &str, now: Timestamp) -> Result<(), Error> {
        let state = match export.state {
            ExportState::Queued | ExportState::Running => ExportState::Failed,
            ExportState::Done => ExportState::Expired,
            ExportState::Failed | ExportState::Expired => return Ok(()),
        };
        let update = sql!(
            "update exports set state = $1, reason = $2, upload = null, expires_at = null, generation = generation + 1,
                 finished_at = coalesce(finished_at, $3), updated_at = $3",
            state.as_str(),
            reason,
            now
        );
        self.0.execute(self.owned(update, export.id)).await?;
        Ok(())
    }

    fn all(&self, statement: Statement) -> Statement {
        statement
            .push(" from exports")
            .push_with(" where brand_id = $? and user_id = $?", [self.1.brand().into(), self.2.into()])
    }

    fn owned(&self, statement: Statement, id: ExportId) -> Statement {
        statement.push_with(
            " where brand_id = $? and user_id = $? and id = $?",
            [self.1.brand().into(), self.2.into(), id.into()],
        )
    }
}

#[macros::boxed]
impl ExportsOfBrand<'_> {
    pub async fn find(&mut self, id: ExportId) -> Result<Option<Export>, Error> {
        let statement = sql!(COLUMNS)
            .push_with(" from exports where brand_id = $? and id = $?", [self.1.brand().into(), id.into()]);
        self.0.optional(statement).await
    }

    /// Starts or restarts an unfinished export from its first row, and returns its new generation, which is valid until the next
    /// start. Returns none if the export does not exist or has ended.
    ///
    /// Must be called under the brand's lock: an erasure of names then either finds the export running, or precedes its reads.
    pub async fn begin(
        &mut self,
        id: ExportId,
        began: &ExportStart,
        now: Timestamp,
    ) -> Result<Option<i64>, Error> {
        let found: Option<Generation> = self
            .0
            .optional(sql!(
                "update exports set state = 'running', generation = generation + 1, rows_expected = null, rows_done = 0,
                     seq = $3, projects = $4, names_people = $5, updated_at = $6
                 where brand_id = $1 and id = $2 and state in ('queued', 'running') returning generation",
                self.1.brand(),
                id,
                began.seq,
                began.projects.as_deref(),
                began.names_people,
                now
            ))
            .await?;
        Ok(found.map(|Generation(generation)| generation))
    }

    /// Stores the progress; returns false if this generation has been superseded.
    pub async fn record_progress(
        &mut self,
        id: ExportId,
        generation: i64,
        (done, expected): (i64, i64),
        now: Timestamp,
    ) -> Result<bool, Error> {
        let update = sql!(
            "update exports set rows_done = $1, rows_expected = $2, updated_at = $3",
            done,
            expected,
            now
        );
        self.update_if_current(update, id, generation).await
    }

    /// Marks the export as done with its file; returns false if this generation has been superseded.
    pub async fn finish(
        &mut self,
        id: ExportId,
        generation: i64,
        content: &ExportContent,
        (rows, seq): (i64, i64),
        (now, expires_at): (Timestamp, Timestamp),
    ) -> Result<bool, Error> {
        let update = sql!(
            "update exports set state = 'done', rows_done = $1, rows_expected = $1, seq = $2, size_bytes = $3, sha256 = $4,
                 upload = $5, finished_at = $6, updated_at = $6, expires_at = $7",
            rows,
            seq,
            content.size_bytes,
            content.sha256.as_slice(),
            content.upload.as_str(),
            now,
            expires_at
        );
        self.update_if_current(update, id, generation).await
    }

    /// Fails an export that is queued or running, and returns whether it was.
    pub async fn fail(&mut self, id: ExportId, reason: &str, now: Timestamp) -> Result<bool, Error> {
        let touched = self
            .0
            .execute(sql!(
                "update exports set state = 'failed', reason = $3, finished_at = $4, updated_at = $4
                 where brand_id = $1 and id = $2 and state in ('queued', 'running')",
                self.1.brand(),
                id,
                reason,
                now
            ))
            .await?;
        Ok(touched > 0)
    }

    /// Discards everything that names people, under the brand's lock: expires stored files, whose objects are returned for
    /// deletion, and restarts running exports, which may have read names already.
    pub async fn erase_names(&mut self, reason: &str, now: Timestamp) -> Result<Vec<ExportObject>, Error> {
        // The rows are locked, so an export that is just being finished is seen as done once that is committed.
        let lock = self.0.row_lock();
        let found: Vec<Export> = self
            .0
            .all(
                sql!(COLUMNS)
                    .push_with(
                        " from exports where brand_id = $? and names_people and state in ('running', 'done') order by id",
                        [self.1.brand().into()],
                    )
                    .push(lock),
            )
            .await?;
        let mut gone = Vec::new();
        for export in found {
            match export.content {
                Some(content) if export.state == ExportState::Done => {
                    gone.push(ExportObject {
                        brand: self.1.brand(),
                        export: export.id,
                        upload: content.upload,
                    });
                    let update = sql!(
                        "update exports set state = 'expired', reason = $2, upload = null, expires_at = null, updated_at = $3
                         where id = $1",
                        export.id,
                        reason,
                        now
                    );
                    self.0.execute(update).await?;
                }
                _ => {
                    let update = sql!(
                        "update exports set state = 'queued', generation = generation + 1, updated_at = $2 where id = $1",
                        export.id,
                        now
                    );
                    self.0.execute(update).await?;
                }
            }
        }
        Ok(gone)
    }

    async fn update_if_current(
        &mut self,
        update: Statement,
        id: ExportId,
        generation: i64,
    ) -> Result<bool, Error> {
        let update = update.push_with(
            " where brand_id = $? and id = $? and generation = $? and state = 'running'",
            [self.1.brand().into(), id.into(), generation.into()],
        );
        Ok(self.0.execute(update).await? > 0)
    }
}
