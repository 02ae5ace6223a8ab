//! A disk that is full while columns are saved: questions go on, the log says why, and columns are saved when there is room.
//!
//! The disk is a small tmpfs, which only root can mount; without root these tests report that and end.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use testkit::{Database, Engine, Process, on_both_engines};

use crate::columns_killed::{read_figures, simulated_world};
use crate::disk_full::{Disk, print_note};
use crate::program;

on_both_engines!(columns_that_find_no_room_are_saved_when_there_is_some);

/// A row for every brand whose columns a process began to save, and gave up.
const GIVEN_UP: &str =
    "select cast('x' as text) from saved_columns where worker is null and manifest is null";
const SAVED: &str = "select manifest from saved_columns where manifest is not null";

/// Returns the names of all files in a folder and the folders within.
fn file_names(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            names.extend(file_names(&entry.path()));
        } else {
            names.insert(entry.file_name().into_string().unwrap());
        }
    }
    names
}

/// Waits until a query finds rows, and returns the first.
async fn wait_for_row(database: &Database, query: &str) -> String {
    loop {
        if let Some(row) = testkit::query_raw_sql(database, query).await.into_iter().next() {
            return row;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn columns_that_find_no_room_are_saved_when_there_is_some(engine: Engine) {
    let place = testkit::temporary_folder();
    let Some(disk) = Disk::mount(place.path(), 16) else {
        return print_note("not run: mounting a tmpfs requires root");
    };
    // The database is on another disk, so that only objects lack room.
    let database = simulated_world(engine);
    let by_rows = Process::serve(program(), &database, &[("KEEPCLEAR__ANALYTICS__ENGINE", "sql")]);
    let expected = read_figures(&by_rows);
    let objects = place.path().join("objects");
    fs::create_dir(&objects).unwrap();
    let folder = objects.display().to_string();
    let settings = [("KEEPCLEAR__BLOBS__FOLDER", folder.as_str())];
    disk.fill();
    let server = Process::serve(program(), &database, &settings);
    assert_eq!(read_figures(&server), expected);
    wait_for_row(&database, GIVEN_UP).await;
    assert_eq!(read_figures(&server), expected, "without saved columns, too");
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
    assert_eq!(file_names(&objects), BTreeSet::new());
    let reasons: Vec<&str> = log.lines().filter(|line| line.contains("were not saved")).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|line| line.contains("No space left")), "{log}");
    disk.free();
    let server = Process::serve(program(), &database, &settings);
    assert_eq!(read_figures(&server), expected);
    let manifest: Value = serde_json::from_str(&wait_for_row(&database, SAVED).await).unwrap();
    let named = manifest["parts"].as_array().unwrap().iter().chain([&manifest["outline"]]);
    let named: BTreeSet<String> = named.map(|object| object["upload"].as_str().unwrap().to_owned()).collect();
    assert_eq!(file_names(&objects), named);
    let (status, log) = server.stop("-KILL");
    assert!(!status.success() && !log.contains("were not saved"), "{log}");
    let opened = Process::serve(program(), &database, &settings);
    assert_eq!(read_figures(&opened), expected);
}
