//! Pages of incursions, sorted by the time at which they started.

use std::time::Duration;

use domain::insights::{IncursionFilter, LocalHours};
use domain::row::FromRow;
use domain::{
    Direction, IncursionDetails, IncursionId, IncursionOrder, IncursionSort, Page, PageRequest, PeriodBound,
    ReviewedIncursion, Slice, SortKey, Sorting, StoredIncursion, Timestamp, Window, WindowPosition,
};

use crate::engine::page::Count;
use crate::engine::row::Row;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::facts::incursion_cursors::{self, ListCursors};
use crate::facts::incursion_details::{
    CLIP_FLAG, COLUMNS, COLUMNS_WITHOUT_NAMES, ListedIncursion, NAME_JOINS, REVIEW_JOIN,
};
use crate::facts::incursion_filter::{self, AccessPath};
use crate::{Error, Scope, Tx};

/// Incursions are sorted by their start only. They have no name and are not part of the registry.
const SORT_COLUMNS: SortColumns = SortColumns {
    id: "i.id",
    name_key: "i.uid",
    created_at: "i.received_at",
    updated_at: "i.received_at",
    started_at: "i.started_at",
    registry_version: "i.seq",
};

impl<T: AsRef<StoredIncursion>> Sorted for ListedIncursion<T> {
    fn id(&self) -> i64 {
        self.incursion.as_ref().id.0
    }

    fn name_key(&self) -> &str {
        &self.incursion.as_ref().row.uid
    }

    fn created_at(&self) -> Timestamp {
        self.incursion.as_ref().row.received_at
    }

    fn updated_at(&self) -> Timestamp {
        self.incursion.as_ref().row.received_at
    }

    fn started_at(&self) -> Timestamp {
        self.incursion.as_ref().row.started_at
    }
}

/// The incursions of a brand that are visible in the scope, in pages.
pub struct IncursionPages<'a> {
    pub(super) tx: &'a mut Tx,
    pub(super) scope: &'a Scope,
    /// Only the incursions with these ids, if there are any.
    ids: &'a [IncursionId],
    /// Only the incursions that started at these hours.
    hours: LocalHours,
    /// The filter as it was sent, if it differs from that of the pages.
    sent: Option<&'a IncursionFilter>,
    pub(super) timeout: Option<Duration>,
}

impl Tx {
    pub fn incursion_pages<'a>(&'a mut self, scope: &'a Scope) -> IncursionPages<'a> {
        IncursionPages { tx: self, scope, ids: &[], hours: LocalHours::default(), sent: None, timeout: None }
    }
}

impl<'a> IncursionPages<'a> {
    /// Limits the pages to incursions with these ids. No ids do not limit them.
    #[must_use]
    pub fn with_ids(self, ids: &'a [IncursionId]) -> Self {
        Self { ids, ..self }
    }

    /// Limits the first page to incursions that started at these hours. No index has them, so that all others of the period may be read.
    #[must_use]
    pub fn at_hours(self, hours: LocalHours) -> Self {
        Self { hours, ..self }
    }

    /// Binds cursors to the filter as it was sent. If its period has no start, that of the filter of the pages has one, which the cursors
    /// carry.
    #[must_use]
    pub fn sent_as(self, sent: &'a IncursionFilter) -> Self {
        Self { sent: Some(sent), ..self }
    }

    /// Interrupts what reads all matching rows after this time with [`Error::TimedOut`]. For snapshots only.
    #[must_use]
    pub fn within(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Returns the start of the period that the cursor of a page carries: that of the list's first page. It is none on the first page, and
    /// if the filter as it was sent has a start.
    pub fn carried_start(
        sent: &IncursionFilter,
        ids: &[IncursionId],
        order: IncursionOrder,
        position: &WindowPosition,
    ) -> Result<Option<PeriodBound>, Error> {
        incursion_cursors::carried_start(sent, ids, order, position)
    }

    pub(super) fn cursors(&self, filter: &IncursionFilter, order: IncursionOrder) -> ListCursors {
        ListCursors::new((self.sent.unwrap_or(filter), filter), self.ids, order)
    }

    /// Returns the index by which the rows are found.
    pub(super) async fn access_path(&mut self, filter: &IncursionFilter) -> Result<AccessPath, Error> {
        match self.ids {
            [] => incursion_filter::choose_access_path(filter, self.tx, self.scope).await,
            ids => Ok(AccessPath::Ids(ids.to_vec())),
        }
    }
}

#[macros::boxed]
impl IncursionPages<'_> {
    /// Returns a page, newest first. A period without a beginning is computed from `now`.
    pub async fn page(
        &mut self,
        filter: &IncursionFilter,
        now: Timestamp,
        page: &PageRequest,
    ) -> Result<Page<ListedIncursion<IncursionDetails>>, Error> {
        let position = page.after.clone().map_or(WindowPosition::Start, WindowPosition::After);
        let window = Window { size: page.limit, position };
        let Slice { rows, next, .. } = self.slice(filter, now, Direction::Descending, &window).await?;
        Ok(Page { rows, next })
    }

    /// Returns a window of the list by the time at which they started, in either direction and from either end.
    pub async fn slice(
        &mut self,
        filter: &IncursionFilter,
        now: Timestamp,
        direction: Direction,
        window: &Window,
    ) -> Result<Slice<ListedIncursion<IncursionDetails>>, Error> {
        let [row, review, names] = COLUMNS;
        let (columns, joins) = ([row, review, names, CLIP_FLAG], [NAME_JOINS, REVIEW_JOIN]);
        self.window_of((&columns, &joins), filter, now, direction, window).await
    }

    /// The same without the names of what they are linked to.
    pub async fn slice_without_names(
        &mut self,
        filter: &IncursionFilter,
        now: Timestamp,
        direction: Direction,
        window: &Window,
    ) -> Result<Slice<ListedIncursion<ReviewedIncursion>>, Error> {
        let [row, review] = COLUMNS_WITHOUT_NAMES;
        let (columns, joins) = ([row, review, CLIP_FLAG], [REVIEW_JOIN]);
        self.window_of((&columns, &joins), filter, now, direction, window).await
    }

    /// `columns` are those of the records, and `joins` are the tables that hold them besides that of incursions.
    async fn window_of<T>(
        &mut self,
        (columns, joins): (&[&'static str], &[&'static str]),
        filter: &IncursionFilter,
        now: Timestamp,
        direction: Direction,
        window: &Window,
    ) -> Result<Slice<ListedIncursion<T>>, Error>
    where
        T: AsRef<StoredIncursion>,
        ListedIncursion<T>: FromRow<Row> + Send,
    {
        let cursors = self.cursors(filter, IncursionOrder::by(IncursionSort::StartedAt, direction));
        let window = &cursors.open(window)?;
        let list = cursors.list.as_str();
        let (scope, hours) = (self.scope, self.hours);
        let sorting = Sorting::by(SortKey::StartedAt, direction);
        let parts = self.access_path(filter).await?.split();
        let statement = self.tx.select(columns);
        // With names, an engine might begin with the stations or tags, and read all of their incursions.
        let is_flat = self.tx.joins_while_reading() && !joins.contains(&NAME_JOINS);
        let join = |statement: Statement| joins.iter().copied().fold(statement, Statement::push);
        let of_part = |statement: Statement, part: &AccessPath| {
            let statement = incursion_filter::page_conditions(filter, statement, scope, part, now);
            let statement = incursion_filter::hour_conditions(hours, statement);
            window::apply_window(statement, &SORT_COLUMNS, sorting, list, window)
        };
        let statement = match &parts[..] {
            [whole] if is_flat && whole.is_in_order_of_time() => {
                of_part(join(statement.push(" from incursions i")), whole)?
            }
            // The page is selected before other tables are joined, so that rows which have to be sorted are small.
            [whole] => {
                let page = of_part(statement.push(" from (select i.* from incursions i"), whole)?;
                window::apply_order(join(page.push(") i")), &SORT_COLUMNS, sorting, window)
            }
            parts => {
                let mut statement = statement.push(" from (select i.* from (");
                for (number, part) in parts.iter().enumerate() {
                    statement = statement
                        .push(if number == 0 { "" } else { " union all " })
                        .push("select * from (select i.* from incursions i");
                    statement = of_part(statement, part)?.push(") as part");
                }
                let statement = window::apply_order(statement.push(") as i"), &SORT_COLUMNS, sorting, window);
                let one_more = i64::from(window.size) + 1;
                let page = statement.push_with(" limit $?) i", [one_more.into()]);
                window::apply_order(join(page), &SORT_COLUMNS, sorting, window)
            }
        };
        let rows: Vec<ListedIncursion<T>> = match self.timeout {
            Some(timeout) => self.tx.with_timeout(timeout, async |tx| tx.all(statement).await).await?,
            None => self.tx.all(statement).await?,
        };
        Ok(cursors.seal(window::into_slice(rows, sorting, list, window)))
    }

    /// Counts the incursions that match the filter.
    pub async fn count(&mut self, filter: &IncursionFilter, now: Timestamp) -> Result<i64, Error> {
        let lookup = self.access_path(filter).await?;
        let statement = sql!("select count(*) as count from incursions i");
        let statement = incursion_filter::conditions(filter, statement, self.scope, &lookup, now);
        let Count(count) = self.tx.one(statement).await?;
        Ok(count)
    }
}
