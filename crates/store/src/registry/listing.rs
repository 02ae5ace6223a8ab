//! The conditions that all lists of the registry share, and the records that left a scope.

use domain::{RegistryRows, VersionRange};

use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::SortColumns;
use crate::{Error, Projects, Scope, Tx};

/// Ends a statement that inserts departures: the last one of a record from a project replaces the one before.
pub(crate) const LATEST_DEPARTURE: &str = " on conflict (brand_id, kind, row_id, project_id)
    do update set deleted = excluded.deleted, registry_version = excluded.registry_version";

/// The records that left a scope, as a part of them is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepartureRequest {
    /// The versions in which they left.
    pub range: VersionRange,
    /// The last departure of the previous page.
    pub after: Option<DeparturePosition>,
    /// Maximum number of departures.
    pub limit: u16,
}

/// The position of a departure in the order of the versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct DeparturePosition {
    #[row(column = "registry_version")]
    pub version: i64,
    #[row(column = "row_id")]
    pub id: i64,
}

/// A page of the records that left a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Departures {
    /// Ids of the records, each once.
    pub ids: Vec<i64>,
    /// The last departure of this page, or none if there are no more.
    pub next: Option<DeparturePosition>,
}

impl Departures {
    /// Leaves out the records that are visible in the scope again.
    pub(crate) fn without(mut self, visible: &[Id<i64>]) -> Self {
        self.ids.retain(|id| !visible.iter().any(|Id(seen)| seen == id));
        self
    }
}

/// Appends the conditions on the rows of a table.
pub(crate) fn and_rows(mut statement: Statement, rows: &RegistryRows, columns: &SortColumns) -> Statement {
    if let Some(ids) = &rows.ids {
        statement = statement.and_in(columns.id, ids.iter().copied()).uncached();
    }
    if let Some(VersionRange { after, up_to }) = rows.changed {
        statement = statement.push(" and ").push(columns.registry_version).push_with(" > $?", [after.into()]);
        statement =
            statement.push(" and ").push(columns.registry_version).push_with(" <= $?", [up_to.into()]);
    }
    statement
}

/// Rows with these ids, archived or not.
pub(crate) fn rows_of_ids(ids: &[i64]) -> RegistryRows {
    let any = VersionRange { after: -1, up_to: i64::MAX };
    RegistryRows { ids: Some(ids.to_vec()), changed: Some(any) }
}

/// Returns the records of a kind that were deleted in these versions or, in a restricted scope, left one of its projects. They may be
/// visible in the scope again.
pub(crate) async fn departed(
    tx: &mut Tx,
    scope: &Scope,
    kind: &'static str,
    request: &DepartureRequest,
) -> Result<Departures, Error> {
    let DepartureRequest { range, after, limit } = *request;
    if range.after >= range.up_to {
        return Ok(Departures::default());
    }
    let statement = sql!(
        "select row_id, registry_version from registry_departures
         where brand_id = $1 and kind = $2 and registry_version > $3 and registry_version <= $4",
        scope.brand(),
        kind,
        range.after,
        range.up_to
    );
    let statement = match after {
        Some(last) => statement
            .push_with(" and (registry_version, row_id) > ($?, $?)", [last.version.into(), last.id.into()]),
        None => statement,
    };
    let statement = match scope.projects() {
        Projects::All => statement.push(" and deleted"),
        Projects::Only(_) => statement.and_in_projects(scope.projects(), "project_id"),
    };
    let one_more = i64::from(limit) + 1;
    let statement = statement.push_with(" order by registry_version, row_id limit $?", [one_more.into()]);
    let mut found: Vec<DeparturePosition> = tx.all(statement).await?;
    let more = found.len() > usize::from(limit);
    found.truncate(usize::from(limit));
    let next = found.last().copied().filter(|_| more);
    let mut ids: Vec<i64> = found.into_iter().map(|departure| departure.id).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(Departures { ids, next })
}
