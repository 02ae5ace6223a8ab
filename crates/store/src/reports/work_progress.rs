//! How far the reports, exports and site reports of a brand are, for live streams.

use domain::{ExportState, Timestamp, UserId, WorkKind, WorkProgress, export};

use crate::engine::row::impl_from_word;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

impl_from_word! { WorkKind, |word| WorkKind::parse(word).ok_or(()); }

/// The progress of work, and who ordered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedWork {
    pub user: UserId,
    pub progress: WorkProgress,
    pub is_finished: bool,
    pub finished_at: Option<Timestamp>,
}

/// The same as rows have it. Exports count rows, the others percent.
#[derive(macros::FromRow)]
struct WorkRow {
    #[row(column = "work")]
    kind: WorkKind,
    id: i64,
    #[row(column = "user_id")]
    user: UserId,
    state: String,
    percent: Option<i64>,
    rows_done: Option<i64>,
    rows_expected: Option<i64>,
    finished_at: Option<Timestamp>,
}

/// A kind of work, its rows `r` of a brand, and the condition that they are among the newest of the installation and finished after a
/// time. Without it, all that was ever finished would be read.
const TABLES: [(WorkKind, &str, &str); 3] = [
    (
        WorkKind::Report,
        "select 'report' as work, r.id, r.author_id as user_id, r.state, r.percent, cast(null as bigint) as rows_done,
             cast(null as bigint) as rows_expected, r.finished_at
         from reports r where r.brand_id = $1",
        " and r.id > (select coalesce(max(n.id), 0) - 1000 from reports n) and r.finished_at > $2",
    ),
    (
        WorkKind::Export,
        "select 'export' as work, r.id, r.user_id, r.state, cast(null as bigint) as percent, r.rows_done,
             r.rows_expected, r.finished_at
         from exports r where r.brand_id = $1",
        " and r.id > (select coalesce(max(n.id), 0) - 1000 from exports n) and r.finished_at > $2",
    ),
    (
        WorkKind::SiteReport,
        "select 'site_report' as work, r.id, r.author_id as user_id, r.state, r.percent, cast(null as bigint) as rows_done,
             cast(null as bigint) as rows_expected, r.finished_at
         from site_reports r where r.brand_id = $1",
        " and r.id > (select coalesce(max(n.id), 0) - 1000 from site_reports n) and r.finished_at > $2",
    ),
];

/// The condition as the indexes of unfinished work have it.
const UNFINISHED: &str = " and r.state in ('queued', 'running')";

/// The work that users of a brand ordered.
pub struct WorkOfBrand<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn work_of<'a>(&'a mut self, scope: &'a Scope) -> WorkOfBrand<'a> {
        WorkOfBrand(self, scope)
    }
}

#[macros::boxed]
impl WorkOfBrand<'_> {
    /// Returns all work that is queued or running, and of the newest what was finished after a time. One may come twice.
    pub async fn current(&mut self, finished_after: Timestamp) -> Result<Vec<OwnedWork>, Error> {
        let mut statement = sql!("", self.1.brand(), finished_after);
        for (index, (_, select, newly_finished)) in TABLES.into_iter().enumerate() {
            statement = statement
                .push(if index == 0 { "" } else { " union all " })
                .push(select)
                .push(UNFINISHED)
                .push(" union all ")
                .push(select)
                .push(newly_finished);
        }
        let rows: Vec<WorkRow> = self.0.all(statement).await?;
        rows.into_iter().map(owned_work).collect()
    }

    /// Returns work of one kind by id, whatever its state.
    pub async fn among(&mut self, kind: WorkKind, ids: &[i64]) -> Result<Vec<OwnedWork>, Error> {
        let Some((_, select, _)) = TABLES.into_iter().find(|(known, ..)| *known == kind) else {
            return Ok(Vec::new());
        };
        let statement = sql!(select, self.1.brand()).and_in_padded("r.id", ids.iter().copied());
        let rows: Vec<WorkRow> = self.0.all(statement).await?;
        rows.into_iter().map(owned_work).collect()
    }
}

fn owned_work(row: WorkRow) -> Result<OwnedWork, Error> {
    let percent = match (row.percent, row.rows_done) {
        (Some(percent), _) => percent,
        (None, rows_done) => {
            let state = ExportState::parse(&row.state)
                .map_err(|_| Error::Unusable(format!("an export has the unknown state {:?}", row.state)))?;
            export::percent_done(state, rows_done.unwrap_or(0), row.rows_expected)
        }
    };
    let is_finished = !matches!(row.state.as_str(), "queued" | "running");
    let progress = WorkProgress { kind: row.kind, id: row.id, state: row.state, percent };
    Ok(OwnedWork { user: row.user, progress, is_finished, finished_at: row.finished_at })
}
