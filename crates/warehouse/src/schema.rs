//! The tables of a copy.
//!
//! A row is replaced by one with the same start and id and a higher number, which never changes either of the two. Its month is that of its
//! start, which attribution does not move as it moves the local day. Ids of registry records have four bytes, and 0 stands for none. No
//! table has a text about anything that a person entered.

use crate::copy::{CopyId, FactTable};

/// Parts are on disk before an insert is answered, and before merged ones replace others. By default ClickHouse starts without parts that
/// are damaged, and the numbers would be too small; with these settings it refuses the table. Months that change no more become one part.
const STORED_SAFELY: &str = "fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, \
     max_suspicious_broken_parts = 0, min_age_to_force_merge_seconds = 600, min_age_to_force_merge_on_partition_only = 1";

/// The month of a start, in UTC.
pub(crate) const MONTH_OF_START: &str = "toYYYYMM(fromUnixTimestamp64Micro(started_at, 'UTC'))";

// `T64` drops the high bits that all numbers of a block share. After that LZ4 saves nearly as much as ZSTD, and questions take up to half
// of the time. ZSTD remains where it saves much: codes, and cells, which few questions read.
const NUMBERS_IN_ORDER: &str = "codec(Delta, LZ4)";
const SMALL_NUMBERS: &str = "codec(T64, LZ4)";
const CELLS: &str = "codec(T64, ZSTD(1))";
const CODES: &str = "codec(ZSTD(1))";

/// A column: its name, its type and its codec.
type Column = (&'static str, &'static str, &'static str);

/// The columns of incursions. `Batch` writes them in this order.
const INCURSIONS: &[Column] = &[
    ("started_at", "Int64", SMALL_NUMBERS),
    ("id", "Int64", NUMBERS_IN_ORDER),
    ("seq", "UInt64", NUMBERS_IN_ORDER),
    ("duration_ms", "Int64", SMALL_NUMBERS),
    ("ack_ms", "Int64", SMALL_NUMBERS),
    ("ended", "Bool", CODES),
    ("acknowledged", "Bool", CODES),
    ("zone", "Int8", CODES),
    ("review", "Int8", CODES),
    ("project", "UInt32", SMALL_NUMBERS),
    ("worksite", "UInt32", SMALL_NUMBERS),
    ("machine", "UInt32", SMALL_NUMBERS),
    ("station", "UInt32", SMALL_NUMBERS),
    ("pedestrian", "UInt32", SMALL_NUMBERS),
    ("operator", "UInt32", SMALL_NUMBERS),
    ("tag", "UInt32", SMALL_NUMBERS),
    ("local_day", "Int32", NUMBERS_IN_ORDER),
    ("local_minute", "UInt16", SMALL_NUMBERS),
    ("cell", "Int64", CELLS),
];

/// The columns of runtime pieces. `Batch` writes them in this order.
const RUNTIME: &[Column] = &[
    ("started_at", "Int64", SMALL_NUMBERS),
    ("id", "Int64", NUMBERS_IN_ORDER),
    ("seq", "UInt64", NUMBERS_IN_ORDER),
    ("length_us", "Int64", SMALL_NUMBERS),
    ("project", "UInt32", SMALL_NUMBERS),
    ("worksite", "UInt32", SMALL_NUMBERS),
    ("machine", "UInt32", SMALL_NUMBERS),
    ("station", "UInt32", SMALL_NUMBERS),
    ("operator", "UInt32", SMALL_NUMBERS),
    ("local_day", "Int32", NUMBERS_IN_ORDER),
    ("local_hour", "UInt8", SMALL_NUMBERS),
];

const fn columns(of: FactTable) -> &'static [Column] {
    match of {
        FactTable::Incursions => INCURSIONS,
        FactTable::Runtime => RUNTIME,
    }
}

/// Where a node stands in the cluster, and for which store. It is the comment of a table: tables with another one are not used.
pub(crate) fn comment(store_id: &str, shard: u32, shards: u32) -> String {
    format!("store {store_id}, shard {shard} of {shards}")
}

/// Returns the statements that create the tables of a copy on a node, unless they exist.
pub(crate) fn create_statements(copy: CopyId, comment: &str) -> Vec<String> {
    let comment = quoted(comment);
    let facts = FactTable::ALL.map(|of| {
        let columns: Vec<String> =
            columns(of).iter().map(|(name, kind, codec)| format!("{name} {kind} {codec}")).collect();
        format!(
            "create table if not exists {} ({}) engine = ReplacingMergeTree(seq) order by (started_at, id) \
             partition by {MONTH_OF_START} settings {STORED_SAFELY} comment {comment}",
            copy.table(of),
            columns.join(", ")
        )
    });
    let applied = format!(
        "create table if not exists {} (brand Int64, store_id String, timeline Int64, synchronous UInt8, seq UInt64, \
         shard UInt32, shards UInt32, filling UInt64) engine = ReplacingMergeTree(seq) order by brand settings fsync_after_insert = 1, \
         fsync_part_directory = 1 comment {comment}",
        copy.applied_table()
    );
    facts.into_iter().chain([applied]).collect()
}

/// Returns the statements that drop the tables of a copy. What the node says that it holds goes first.
pub(crate) fn drop_statements(copy: CopyId) -> Vec<String> {
    copy.tables().iter().rev().map(|table| format!("drop table if exists {table} sync")).collect()
}

/// Returns the statement after which rows follow.
pub(crate) fn insert_statement(copy: CopyId, of: FactTable) -> String {
    let names: Vec<&str> = columns(of).iter().map(|(name, ..)| *name).collect();
    format!("insert into {} ({}) format RowBinary", copy.table(of), names.join(", "))
}

/// Returns a text as a literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use domain::BrandId;

    use super::*;

    const COPY: CopyId = CopyId { brand: BrandId(1), token: 2 };

    #[test]
    fn rows_are_replaced_by_number_within_the_month_of_their_start() {
        let all = create_statements(COPY, &comment("s", 1, 2));
        assert_eq!(all.len(), 3);
        for text in &all[..2] {
            assert!(text.contains("engine = ReplacingMergeTree(seq) order by (started_at, id)"), "{text}");
            assert!(
                text.contains("partition by toYYYYMM(fromUnixTimestamp64Micro(started_at, 'UTC'))"),
                "{text}"
            );
            // A part that is damaged must not be left out.
            assert!(text.contains("max_suspicious_broken_parts = 0"), "{text}");
        }
        for text in &all {
            assert!(text.contains("fsync_after_insert = 1, fsync_part_directory = 1"), "{text}");
            assert!(text.ends_with("comment 'store s, shard 1 of 2'"), "{text}");
        }
    }

    #[test]
    fn facts_have_no_text() {
        for (name, kind, _) in INCURSIONS.iter().chain(RUNTIME) {
            assert!(kind.contains("Int") || *kind == "Bool", "{name} {kind}");
        }
    }

    #[test]
    fn what_a_node_holds_is_created_last_and_dropped_first() {
        assert!(create_statements(COPY, "").last().unwrap().contains("_applied"));
        let dropped = drop_statements(COPY);
        assert_eq!(dropped[0], "drop table if exists b1_0000000000000002_applied sync");
        assert_eq!(dropped.len(), 3);
    }

    #[test]
    fn rows_follow_in_the_order_of_the_columns() {
        let text = insert_statement(COPY, FactTable::Runtime);
        let expected = "insert into b1_0000000000000002_runtime (started_at, id, seq, length_us, project, worksite, machine, \
             station, operator, local_day, local_hour) format RowBinary";
        assert_eq!(text, expected);
    }

    #[test]
    fn quotes_end_no_text() {
        assert_eq!(quoted(r"it's \ that"), r"'it\'s \\ that'");
    }
}
