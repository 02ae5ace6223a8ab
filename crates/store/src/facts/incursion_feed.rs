//! The change feed: every incursion at the sequence number of its last change, oldest change first.

use domain::{Cursor, IncursionDetails, IncursionId, PageRequest, ProjectId, sorted};

use crate::engine::page::CursorCodec as _;
use crate::engine::statement::sql;
use crate::facts::incursion_details::{CLIP_FLAG, COLUMNS, ListedIncursion, NAME_JOINS, REVIEW_JOIN};
use crate::{Error, Projects, Scope, Tx};

/// Limits the sequence numbers that one call covers, so that callers who see little of a large brand do not wait long.
const MAX_SEQS_PER_CALL: i64 = 100_000;

#[derive(Clone, Debug)]
pub enum FeedEntry {
    /// The current state of a changed incursion.
    Changed(Box<ListedIncursion<IncursionDetails>>),
    /// An incursion that left the scope with the change of this sequence number.
    Gone { id: IncursionId, seq: i64 },
}

impl FeedEntry {
    pub fn seq(&self) -> i64 {
        match self {
            Self::Changed(listed) => listed.incursion.stored.row.seq,
            Self::Gone { seq, .. } => *seq,
        }
    }
}

#[derive(Clone, Debug)]
pub struct FeedPage {
    /// Oldest change first.
    pub entries: Vec<FeedEntry>,
    /// The sequence number up to which this page is complete.
    pub seq: i64,
    /// The brand's last sequence number at the time of the read.
    pub last_seq: i64,
    /// The position of the next page, if there is more at present.
    pub next: Option<Cursor>,
}

#[derive(macros::FromRow)]
struct LeftScope(#[row(column = "incursion_id")] IncursionId, #[row(column = "replaced_seq")] i64);

/// The changes of a brand's incursions that are visible in the scope.
pub struct IncursionFeed<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn incursion_feed<'a>(&'a mut self, scope: &'a Scope) -> IncursionFeed<'a> {
        IncursionFeed(self, scope)
    }
}

#[macros::boxed]
impl IncursionFeed<'_> {
    /// Returns the changes after a sequence number, or after the cursor if there is one.
    ///
    /// The brand's last number is read first, and nothing above it is returned. Numbers become visible in order, so all
    /// changes up to it are present; a row that moves above it between two statements is returned by a later call.
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
            changed.into_iter().map(|listed| FeedEntry::Changed(Box::new(listed))).collect();
        if let Projects::Only(projects) = self.1.projects() {
            let left = self.left(projects, range).await?;
            entries.extend(left.into_iter().map(|LeftScope(id, seq)| FeedEntry::Gone { id, seq }));
            sorted::sort_by_key(&mut entries, FeedEntry::seq);
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
    ) -> Result<Vec<ListedIncursion<IncursionDetails>>, Error> {
        let [row, review, names] = COLUMNS;
        let statement = self.0.select(&[row, review, names, CLIP_FLAG]);
        let statement = statement
            .push(" from (select i.* from incursions i")
            .push_with(
                " where i.brand_id = $? and i.seq > $? and i.seq <= $?",
                [self.1.brand().into(), after.into(), last.into()],
            )
            .and_in_projects(self.1.projects(), "i.project_id")
            .push_with(" order by i.seq limit $?", [limit.into()])
            .push(") i")
            .push(NAME_JOINS)
            .push(REVIEW_JOIN)
            .push(" order by i.seq");
        self.0.all(statement).await
    }

    /// Finds incursions that were in these projects and no longer are. Each is placed at the change with which it last left,
    /// even if it changed again since, so that a reader who has not reached that change yet still learns of it.
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
