//! Incursions by their duration or the time until their acknowledgement. No index has this order, so all matching rows are read.

use domain::insights::IncursionFilter;
use domain::row::FromRow;
use domain::{IncursionDetails, IncursionOrder, IncursionSort, Slice, SortKey, Sorting, Timestamp, Window};

use crate::Error;
use crate::engine::page::Count;
use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::engine::window::{self, SortColumns, Sorted};
use crate::facts::incursion_details::{CLIP_FLAG, COLUMNS, ListedIncursion, NAME_JOINS, REVIEW_JOIN};
use crate::facts::incursion_filter;
use crate::facts::incursion_pages::IncursionPages;

/// The columns that rows are selected by. The spans take the places of the times of creation and change, by which incursions are not
/// sorted; see [`sort_key`].
const SPANS: SortColumns = SortColumns {
    id: "i.id",
    name_key: "i.uid",
    created_at: "coalesce(i.ended_at - i.started_at, -1)",
    updated_at: "coalesce(i.acknowledged_at - i.started_at, -1)",
    started_at: "i.started_at",
    registry_version: "i.seq",
};

/// The same columns of the selected rows.
const SELECTED_SPANS: SortColumns = SortColumns {
    id: "i.id",
    name_key: "i.uid",
    created_at: "i.duration_us",
    updated_at: "i.ack_us",
    started_at: "i.started_at",
    registry_version: "i.seq",
};

fn sort_key(key: IncursionSort) -> SortKey {
    match key {
        IncursionSort::StartedAt => SortKey::StartedAt,
        IncursionSort::Duration => SortKey::CreatedAt,
        IncursionSort::AckTime => SortKey::UpdatedAt,
    }
}

fn sorting(order: IncursionOrder) -> Sorting {
    let mut keys = order.keys().map(|(key, direction)| (sort_key(key), direction));
    let first = keys.next().map_or_else(Sorting::default, |(key, direction)| Sorting::by(key, direction));
    // No key is repeated, and there are fewer than a sorting can have.
    keys.fold(first, |sorting, (key, direction)| sorting.then_by(key, direction).unwrap_or(sorting))
}

/// An incursion with the spans by which it is sorted, in microseconds.
struct WithSpans {
    listed: ListedIncursion<IncursionDetails>,
    duration_us: i64,
    ack_us: i64,
}

impl FromRow<Row> for WithSpans {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            listed: ListedIncursion::from_row(row)?,
            duration_us: row.get("duration_us")?,
            ack_us: row.get("ack_us")?,
        })
    }
}

/// The spans take the places of times, as in [`SPANS`].
impl Sorted for WithSpans {
    fn id(&self) -> i64 {
        self.listed.id()
    }

    fn name_key(&self) -> &str {
        self.listed.name_key()
    }

    fn created_at(&self) -> Timestamp {
        Timestamp::from_micros(self.duration_us)
    }

    fn updated_at(&self) -> Timestamp {
        Timestamp::from_micros(self.ack_us)
    }

    fn started_at(&self) -> Timestamp {
        self.listed.started_at()
    }
}

#[macros::boxed]
impl IncursionPages<'_> {
    /// Returns a window of the list in any order and from either end. The caller must have checked with [`Self::count_up_to`] that not
    /// too many rows match.
    pub async fn by_spans(
        &mut self,
        filter: &IncursionFilter,
        now: Timestamp,
        order: IncursionOrder,
        window: &Window,
    ) -> Result<Slice<ListedIncursion<IncursionDetails>>, Error> {
        let cursors = self.cursors(filter, order);
        let window = &cursors.open(window)?;
        let (list, sorting) = (cursors.list.as_str(), sorting(order));
        let lookup = self.access_path(filter).await?;
        let [row, review, names] = COLUMNS;
        let statement = self.tx.select(&[row, review, names, CLIP_FLAG, "i.duration_us, i.ack_us"]);
        let statement = statement
            .push(" from (select i.*, ")
            .push(SPANS.created_at)
            .push(" as duration_us, ")
            .push(SPANS.updated_at)
            .push(" as ack_us from incursions i");
        let statement = incursion_filter::conditions(filter, statement, self.scope, &lookup, now);
        let statement = window::apply_window(statement, &SPANS, sorting, list, window)?
            .push(") i")
            .push(NAME_JOINS)
            .push(REVIEW_JOIN);
        let statement = window::apply_order(statement, &SELECTED_SPANS, sorting, window);
        let rows: Vec<WithSpans> = match self.timeout {
            Some(timeout) => self.tx.with_timeout(timeout, async |tx| tx.all(statement).await).await?,
            None => self.tx.all(statement).await?,
        };
        let Slice { rows, previous, next } = cursors.seal(window::into_slice(rows, sorting, list, window));
        Ok(Slice { rows: rows.into_iter().map(|row| row.listed).collect(), previous, next })
    }

    /// Counts the incursions that match the filter, up to a limit.
    pub async fn count_up_to(
        &mut self,
        filter: &IncursionFilter,
        now: Timestamp,
        limit: i64,
    ) -> Result<i64, Error> {
        let lookup = self.access_path(filter).await?;
        let statement = sql!("select count(*) as count from (select 1 from incursions i");
        let statement = incursion_filter::conditions(filter, statement, self.scope, &lookup, now)
            .push_with(" limit $?) as found", [limit.into()]);
        let Count(count) = match self.timeout {
            Some(timeout) => self.tx.with_timeout(timeout, async |tx| tx.one(statement).await).await?,
            None => self.tx.one(statement).await?,
        };
        Ok(count)
    }
}
