//! What a node says that it holds, in a table of its own beside the rows.

use serde::Deserialize;

use crate::copy::{CopyId, FactTable};
use crate::schema::quoted;

/// The state of PostgreSQL whose rows are copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Distinguishes the database of this installation from all others.
    pub store_id: String,
    /// Rises when another server takes over. Without synchronous replication that server may lack changes, so that a copy of another
    /// timeline is not used until it was looked at.
    pub timeline: i64,
}

/// A node holds every change of its shard up to a number. It is written after the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub origin: Origin,
    /// Whether every change was on a synchronous standby as well, so that a server of a later timeline has it, too.
    pub is_synchronous: bool,
    /// The number of the brand's last change that the node holds.
    pub seq: i64,
    pub shard: u32,
    pub shards: u32,
    /// Chosen anew whenever a node is filled. Whoever wrote to the node before it lost its rows does not know it, and cannot tell that the
    /// node goes on from there.
    pub filling: u64,
}

/// The place of a node in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardPlacement {
    pub shard: u32,
    pub shards: u32,
}

impl Applied {
    /// Whether the node belongs to this state of the store and still has its place.
    pub fn is_of(&self, origin: &Origin, placement: ShardPlacement) -> bool {
        self.origin == *origin && self.has_place(placement)
    }

    /// Whether the rows are those of the store and of the place that the node has now, whatever the timeline.
    pub fn is_of_store(&self, store_id: &str, placement: ShardPlacement) -> bool {
        self.origin.store_id == store_id && self.has_place(placement)
    }

    /// Whether the node may hold changes that the database does not have any more: it is behind them, or it continues on another timeline,
    /// which may have begun before the last of them.
    pub fn is_ahead_of(&self, last_seq: i64, timeline: i64) -> bool {
        self.seq > last_seq || (self.origin.timeline != timeline && !self.is_synchronous)
    }

    fn has_place(&self, placement: ShardPlacement) -> bool {
        (self.shard, self.shards) == (placement.shard, placement.shards)
    }
}

/// The columns in the order in which they are read and written.
const COLUMNS: &str = "store_id, timeline, synchronous, seq, shard, shards, filling";

/// A row as it is read.
#[derive(Debug, Deserialize)]
pub(crate) struct AppliedRow(String, i64, u8, i64, u32, u32, u64);

impl From<AppliedRow> for Applied {
    fn from(AppliedRow(store_id, timeline, synchronous, seq, shard, shards, filling): AppliedRow) -> Self {
        let (origin, is_synchronous) = (Origin { store_id, timeline }, synchronous != 0);
        Self { origin, is_synchronous, seq, shard, shards, filling }
    }
}

/// Returns the statement that reads what a node says: a row for each step that is not merged yet. To sort a few rows there takes as much
/// processor time as to read them.
pub(crate) fn select_statement(copy: CopyId) -> String {
    format!("select {COLUMNS} from {} format JSONCompact", copy.applied_table())
}

/// The same, but a node that has lost a table of facts says nothing. It takes nearly twice the processor time.
pub(crate) fn select_if_whole_statement(copy: CopyId) -> String {
    let facts = FactTable::ALL.map(|table| quoted(&copy.table(table)));
    format!(
        "select {COLUMNS} from {} where (select count() from system.tables where database = currentDatabase() and name in ({})) = {} \
         format JSONCompact",
        copy.applied_table(),
        facts.join(", "),
        facts.len()
    )
}

/// Returns what a node holds from the rows that it has. The last timeline counts if a change was written twice.
pub(crate) fn latest(rows: Vec<AppliedRow>) -> Option<Applied> {
    let key =
        |applied: &Applied| (applied.seq, applied.origin.timeline, applied.filling, applied.is_synchronous);
    rows.into_iter().map(Applied::from).max_by_key(key)
}

/// Returns the statement that records what a node holds that was just filled, if it still has the tables that were filled: these names
/// with these uuids.
pub(crate) fn insert_statement(copy: CopyId, applied: &Applied, filled: &[(String, String)]) -> String {
    let pair = |(name, uuid): &(String, String)| format!("({}, {})", quoted(name), quoted(uuid));
    let pairs: Vec<String> = filled.iter().map(pair).collect();
    format!(
        "insert into {} (brand, {COLUMNS}) select {} from (select count() as found from system.tables \
         where database = currentDatabase() and (name, toString(uuid)) in ({})) where found = {}",
        copy.applied_table(),
        values(copy, applied),
        pairs.join(", "),
        filled.len()
    )
}

/// Returns the statement that records what a node holds now, if it still holds the changes up to `after` of the same filling.
pub(crate) fn advance_statement(copy: CopyId, applied: &Applied, after: i64) -> String {
    let table = copy.applied_table();
    format!(
        "insert into {table} (brand, {COLUMNS}) select {} from {table} where filling = {} and seq >= {after} limit 1",
        values(copy, applied),
        applied.filling
    )
}

fn values(copy: CopyId, applied: &Applied) -> String {
    let Applied { origin, is_synchronous, seq, shard, shards, filling } = applied;
    format!(
        "{}, {}, {}, {}, {seq}, {shard}, {shards}, {filling}",
        copy.brand,
        quoted(&origin.store_id),
        origin.timeline,
        u8::from(*is_synchronous)
    )
}

#[cfg(test)]
mod tests {
    use domain::BrandId;

    use super::*;

    const COPY: CopyId = CopyId { brand: BrandId(1), token: 2 };

    fn applied() -> Applied {
        let origin = Origin { store_id: "s".to_owned(), timeline: 3 };
        Applied { origin, is_synchronous: true, seq: 10, shard: 1, shards: 2, filling: 77 }
    }

    #[test]
    fn a_node_goes_on_from_what_it_holds() {
        let text = advance_statement(COPY, &applied(), 8);
        let expected = "insert into b1_0000000000000002_applied (brand, store_id, timeline, synchronous, seq, shard, shards, \
             filling) select 1, 's', 3, 1, 10, 1, 2, 77 from b1_0000000000000002_applied where filling = 77 and seq >= 8 limit 1";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_node_that_was_filled_must_still_have_the_same_tables() {
        let filled = [("a".to_owned(), "1-2".to_owned()), ("b".to_owned(), "3-4".to_owned())];
        let text = insert_statement(COPY, &applied(), &filled);
        let expected = "select 1, 's', 3, 1, 10, 1, 2, 77 from (select count() as found from system.tables where database = \
             currentDatabase() and (name, toString(uuid)) in (('a', '1-2'), ('b', '3-4'))) where found = 2";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn a_row_is_read_in_the_order_of_its_columns() {
        let row: AppliedRow = serde_json::from_str(r#"["s", 3, 1, 10, 1, 2, 77]"#).unwrap();
        assert_eq!(Applied::from(row), applied());
    }

    #[test]
    fn the_last_step_counts_and_then_the_last_timeline() {
        let row = |timeline, seq| AppliedRow("s".to_owned(), timeline, 1, seq, 1, 2, 77);
        assert_eq!(latest(vec![row(3, 9), row(3, 10), row(2, 10), row(4, 8)]), Some(applied()));
        assert_eq!(latest(Vec::new()), None);
    }

    #[test]
    fn another_store_timeline_or_place_does_not_count() {
        let (place, own) = (ShardPlacement { shard: 1, shards: 2 }, applied());
        assert!(own.is_of(&own.origin, place));
        assert!(!own.is_of(&own.origin, ShardPlacement { shards: 3, ..place }));
        assert!(!own.is_of(&own.origin, ShardPlacement { shard: 2, ..place }));
        let later = Origin { timeline: 4, ..own.origin.clone() };
        assert!(!own.is_of(&later, place) && own.is_of_store("s", place));
        assert!(!own.is_of_store("other", place));
    }

    #[test]
    fn a_database_that_went_back_is_noticed() {
        let synchronous = applied();
        assert!(!synchronous.is_ahead_of(10, 3) && synchronous.is_ahead_of(9, 3));
        let alone = Applied { is_synchronous: false, ..synchronous.clone() };
        assert!(!synchronous.is_ahead_of(10, 4) && alone.is_ahead_of(500, 4));
    }
}
