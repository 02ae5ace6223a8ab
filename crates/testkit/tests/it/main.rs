//! Integration tests through HTTP and the command line, on both engines. The module tree mirrors the URLs.

#![expect(clippy::unwrap_used, reason = "a test that meets something unexpected has failed")]

mod account;
mod audit;
mod authorisation;
mod blobs;
mod browser;
mod clocks;
mod columns_disk_full;
mod columns_killed;
mod command_line;
mod console;
mod contract;
mod crash;
mod disk_full;
mod docs;
mod edge;
mod failover;
mod fleet;
mod forged_jwt;
mod hosts;
mod ingest;
mod jobs;
mod keys;
mod ledger;
mod links;
mod mail;
mod older_installations;
mod openapi;
mod pdf;
mod processes;
mod shares;
mod store;
mod v1;
mod v2;
mod video;
mod video_by_curl;
mod warehouse;
mod workers;

use std::path::Path;

/// Returns the path of the program under test.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_keepclear-under-test"))
}
