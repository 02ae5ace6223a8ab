//! `keepclear backup`, `keepclear restore` and `keepclear check --backup`.
//!
//! A backup is a folder: a copy of the database, the objects that its rows name, and a manifest, written last, by which all of it can
//! be checked with nothing else at hand.

mod checking;
mod files;
mod making;
mod manifest;
mod restoring;

use std::collections::BTreeMap;

pub use checking::check;
use domain::Clock;
pub use making::make;
pub use restoring::restore;
use store::{DatabaseCopy, TableSum};

use super::Failure;
use super::progress::{Progress, grouped};

/// Where objects lie in a backup.
const OBJECTS: &str = "blobs";

/// How many objects are on their way at once.
const AT_ONCE: usize = 4;

/// The sums of all tables, by name.
type Sums = BTreeMap<String, TableSum>;

async fn sums_of(snapshot: &mut DatabaseCopy) -> Result<Sums, Failure> {
    let tables = snapshot.tables().await?;
    let mut progress = Progress::new(&Clock::System, tables.len() as u64, "tables");
    let (mut sums, mut rows) = (Sums::new(), 0);
    for (done, table) in tables.iter().enumerate() {
        let told =
            |more| progress.at(done as u64, &format!("{} rows, in {}", grouped(rows + more), table.name));
        let sum = snapshot.sum(table, told).await?;
        rows += sum.rows;
        sums.insert(table.name.clone(), sum);
    }
    progress.finish();
    Ok(sums)
}

/// What tells the sums that were found from those of the manifest, a sentence for each table.
fn differences(kept: &Sums, found: &Sums) -> Vec<String> {
    let mut faults = Vec::new();
    for (table, kept) in kept {
        match found.get(table) {
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
    let added = found.keys().filter(|table| !kept.contains_key(*table));
    faults.extend(added.map(|table| format!("the table {table} was not backed up")));
    faults
}

/// Fails with all that was found, a line each.
fn fail_for(faults: &[String], what: &str) -> Result<(), Failure> {
    if faults.is_empty() { Ok(()) } else { Err(Failure(format!("{what}:\n  {}", faults.join("\n  ")))) }
}

fn rows_in(sums: &Sums) -> String {
    grouped(sums.values().map(|sum| sum.rows).sum())
}
