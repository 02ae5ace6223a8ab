//! The change feed of incursions: every one at the number of its last change, the oldest change first.

use domain::{IncursionId, ProjectId};

use crate::engine::page::{Cursor, PageRequest};
use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::facts::incursion_details::{COLUMNS, NAME_JOINS, REVIEW_JOIN};
use crate::{Error, IncursionDetails, Projects, Scope, Tx};

/// How many numbers one call goes through at most: those who see little of a large brand would wait for long.
const MAX_SEQS_PER_CALL: i64 = 100_000;

/// An incursion in the feed.
#[derive(Clone, Debug)]
pub enum FeedEntry {
    /// As it is now.
    Changed(Box<IncursionDetails>),
    /// One that left the scope by the change of this number.
    Gone {
        /// Which.
        id: IncursionId,
        /// The number.
        seq: i64,
    },
}

impl FeedEntry {
    /// Its place in the feed.
    pub fn seq(&self) -> i64 {
        match self {
            Self::Changed(details) => details.stored.row.seq,
            Self::Gone { seq, .. } => *seq,
        }
    }
}

/// A piece of the feed.
#[derive(Clone, Debug)]
pub struct FeedPage {
    /// What changed, the oldest change first.
    pub entries: Vec<FeedEntry>,
    /// How far this piece reaches: nothing up to here is left to tell.
    pub seq: i64,
    /// The number of the brand's last change when it was read.
    pub last_seq: i64,
    /// Where it goes on, if there is more now.
    pub next: Option<Cursor>,
}

/// One that left.
struct LeftScope(IncursionId, i64);

impl FromRow for LeftScope {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self(row.get("incursion_id")?, row.get("replaced_seq")?))
    }
}

/// The changes of a brand's incursions, as far as the scope shows them.
pub struct IncursionFeed<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The changes of a brand's incursions, as far as the scope shows them.
    pub fn incursion_feed<'a>(&'a mut self, scope: &'a Scope) -> IncursionFeed<'a> {
        IncursionFeed(self, scope)
    }
}

impl IncursionFeed<'_> {
    /// What changed after a number; after the cursor's, if there is one.
    ///
    /// The brand's last number is read first, and nothing above it is told. Numbers become visible in their order, so
    /// what is at or below it is there; what moves above it between two statements is told by a later call.
    pub async fn after(&mut self, after: i64, page: &PageRequest) -> Result<FeedPage, Error> {
        let list = format!("incursion feed after {after}");
        let after = match &page.after {
            Some(cursor) => cursor.number(&list).ok_or(Error::InvalidCursor)?,
            None => after,
        };
        let last_seq = self.0.counters(self.1).await?.last_seq;
        let one_more = i64::from(page.limit) + 1;
        let end = last_seq.min(after.saturating_add(MAX_SEQS_PER_CALL));
        let range = (after, end, one_more);
        let changed = self.changed(range).await?;
        let mut entries: Vec<FeedEntry> =
            changed.into_iter().map(|details| FeedEntry::Changed(Box::new(details))).collect();
        if let Projects::Only(projects) = self.1.projects() {
            let left = self.left(projects, range).await?;
            entries.extend(left.into_iter().map(|LeftScope(id, seq)| FeedEntry::Gone { id, seq }));
            entries.sort_by_key(FeedEntry::seq);
        }
        let limit = usize::from(page.limit);
        let more = entries.len() > limit;
        entries.truncate(limit);
        let seq = entries.last().filter(|_| more).map_or(end, FeedEntry::seq);
        let next = (seq < last_seq).then(|| Cursor::from_number(&list, seq));
        Ok(FeedPage { entries, seq, last_seq, next })
    }

    async fn changed(
        &mut self,
        (after, last, limit): (i64, i64, i64),
    ) -> Result<Vec<IncursionDetails>, Error> {
        let statement = sql!(COLUMNS)
            .push(" from (select i.* from incursions i")
            .push_with(
                " where i.brand_id = $? and i.seq > $? and i.seq <= $?",
                [self.1.brand().into(), after.into(), last.into()],
            )
            .and_in_projects(self.1.projects(), "i.project_id")
            .push_with(" order by i.seq limit $?", [limit.into()])
            .push(")")
            .push(NAME_JOINS)
            .push(REVIEW_JOIN)
            .push(" order by i.seq");
        self.0.all(statement).await
    }

    /// Those that were in these projects and are no more. Each stands where it last left, whatever happened to it since:
    /// were it at its last change, a reader who has passed where it left would not hear of it.
    async fn left(
        &mut self,
        projects: &[ProjectId],
        (after, last, limit): (i64, i64, i64),
    ) -> Result<Vec<LeftScope>, Error> {
        if projects.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!(
            "select h.incursion_id, h.replaced_seq from incursion_history h
             join incursions i on i.brand_id = h.brand_id and i.id = h.incursion_id
             where h.brand_id = $1 and h.replaced_seq > $2 and h.replaced_seq <= $3",
            self.1.brand(),
            after,
            last
        )
        .and_in("h.project_id", projects.iter().copied())
        .push(" and (i.project_id is null or i.project_id not in ")
        .push_list(projects.iter().copied())
        .push(
            ") and not exists (select 1 from incursion_history l where l.brand_id = h.brand_id
                 and l.incursion_id = h.incursion_id and l.seq > h.seq",
        )
        .and_in("l.project_id", projects.iter().copied())
        .push_with(") order by h.replaced_seq limit $?", [limit.into()]);
        self.0.all(statement).await
    }
}
