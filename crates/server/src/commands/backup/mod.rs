//! `keepclear backup`, `keepclear restore` and `keepclear check --backup`.
//!
//! A backup is a folder with a copy of the database, the objects that its rows refer to, and a manifest. The manifest is written last, and
//! the backup can be checked with nothing else.

mod check;
mod create;
mod files;
mod manifest;
mod restore;

use std::collections::BTreeMap;

pub use check::check;
pub use create::create;
use domain::Clock;
pub use restore::restore;
use store::{DatabaseCopy, TableChecksum};

use super::Failure;
use super::progress::{Progress, group_digits};

/// The folder of the objects in a backup.
const OBJECTS_FOLDER: &str = "blobs";

/// The number of objects that are copied concurrently.
const MAX_CONCURRENT_OBJECTS: usize = 4;

/// The checksums of all tables, by name.
type TableChecksums = BTreeMap<String, TableChecksum>;

async fn compute_checksums(snapshot: &mut DatabaseCopy) -> Result<TableChecksums, Failure> {
    let tables = snapshot.tables().await?;
    let mut progress = Progress::new(&Clock::System, tables.len() as u64, "tables");
    let (mut sums, mut rows) = (TableChecksums::new(), 0);
    for (done, table) in tables.iter().enumerate() {
        let on_progress = |more| {
            progress.update(done as u64, &format!("{} rows, in {}", group_digits(rows + more), table.name));
        };
        let sum = snapshot.checksum(table, on_progress).await?;
        rows += sum.rows;
        sums.insert(table.name.clone(), sum);
    }
    progress.finish();
    Ok(sums)
}

/// Compares checksums with those of the manifest. Returns a sentence for each table that differs.
fn differences(expected: &TableChecksums, actual: &TableChecksums) -> Vec<String> {
    let mut faults = Vec::new();
    for (table, kept) in expected {
        match actual.get(table) {
            None => faults.push(format!("the table {table} is missing")),
            Some(found) if found.rows != kept.rows => {
                faults.push(format!("the table {table} has {} rows instead of {}", found.rows, kept.rows));
            }
            Some(found) if found.sha256 != kept.sha256 => {
                faults.push(format!("the rows of the table {table} are not those that were backed up"));
            }
            Some(_) => {}
        }
    }
    let added = actual.keys().filter(|table| !expected.contains_key(*table));
    faults.extend(added.map(|table| format!("the table {table} was not backed up")));
    faults
}

/// Fails if there are faults, with a line for each.
fn fail_if_any(faults: &[String], what: &str) -> Result<(), Failure> {
    if faults.is_empty() { Ok(()) } else { Err(Failure(format!("{what}:\n  {}", faults.join("\n  ")))) }
}

fn total_rows(sums: &TableChecksums) -> String {
    group_digits(sums.values().map(|sum| sum.rows).sum())
}
