//! A disk that fills up under load and is freed again: only writes during that time fail, and nothing that was accepted is lost.
//!
//! The disk is a small tmpfs, which only root can mount; without root these tests report that and end. `store` also tests SQLite
//! without free space, by a limit on the size of the database.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testbed::PostgresCluster;
use testkit::{Database, Engine, Process, on_both_engines};

use crate::ledger::{Ledger, run, station_token};
use crate::program;

on_both_engines!(a_disk_that_was_full_takes_writes_again_without_a_restart);

const SENDERS: usize = 2;

async fn a_disk_that_was_full_takes_writes_again_without_a_restart(engine: Engine) {
    fill_and_free(engine, 2).await;
}

#[test]
#[ignore = "takes minutes: make soak"]
fn filled_30_times_on_sqlite() {
    testkit::run(Engine::Sqlite, |engine: Engine| fill_and_free(engine, 30));
}

#[test]
#[ignore = "takes minutes: make soak"]
fn filled_30_times_on_postgresql() {
    testkit::run(Engine::Postgres, |engine: Engine| fill_and_free(engine, 30));
}

/// A small file system of its own.
pub struct Disk(PathBuf);

impl Disk {
    /// Mounts one of this size; none without the right to.
    pub fn mount(folder: &Path, mib: u32) -> Option<Self> {
        let size = format!("size={mib}m,mode=755");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(folder.to_owned())),
            _ => None,
        }
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    /// Uses all free space.
    pub fn fill(&self) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.filler()).unwrap();
        for size in [1 << 20, 1 << 12] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
    }

    /// Frees what [`Disk::fill`] has used.
    pub fn free(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily, because a process that is just ending may still have files open.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Logs that a test could not run.
#[expect(clippy::print_stderr, reason = "shown to the person who runs the tests")]
pub fn print_note(words: &str) {
    eprintln!("{words}");
}

fn get(server: &Process, path: &str) -> String {
    server.send_raw(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
}

/// Polls until the condition holds, and panics after a timeout.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("timed out waiting until {what}");
}

async fn fill_and_free(engine: Engine, rounds: usize) {
    let place = testkit::temporary_folder();
    let Some(disk) = Disk::mount(place.path(), 160) else {
        return print_note("not run: mounting a tmpfs requires root");
    };
    // Declared after the disk, so that it is dropped first.
    let cluster = (engine == Engine::Postgres).then(|| PostgresCluster::start().unwrap());
    let database = Database::in_folder(cluster.as_ref(), place.path());
    let token = station_token(&database);
    let generous = [
        ("KEEPCLEAR__LIMITS__INGEST_PER_MINUTE", "10000000"),
        ("KEEPCLEAR__LIMITS__PROBE_PER_MINUTE", "10000000"),
    ];
    let server = Process::serve(program(), &database, &generous);
    let (ledger, stop) = (Arc::new(Ledger::default()), Arc::new(AtomicBool::new(false)));
    let senders: Vec<_> = (0..SENDERS)
        .map(|_| {
            let (ledger, stop, token) = (Arc::clone(&ledger), Arc::clone(&stop), token.clone());
            let address = server.address;
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    if !ledger.send(address, &token, ledger.next_batch()) {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                }
            })
        })
        .collect();
    let answers = || ledger.accepted_batches.load(Ordering::Relaxed);
    let is_ready = || get(&server, "/health/ready").starts_with("HTTP/1.1 200");
    for round in 0..rounds {
        let before = answers();
        wait_until("writes are answered", || answers() >= before + 5 + round % 7);
        assert!(is_ready());
        let refusals = ledger.error_heads.lock().unwrap().len();
        wait_until("a write fails for want of space", || {
            // Repeatedly, because writes in between may have freed some space.
            disk.fill();
            ledger.error_heads.lock().unwrap().len() > refusals
        });
        wait_until("it says that it is not ready", || {
            disk.fill();
            let answer = get(&server, "/health/ready");
            answer.starts_with("HTTP/1.1 503")
                && answer.contains("storage_full")
                && answer.contains("retry-after: ")
        });
        assert!(get(&server, "/health/live").starts_with("HTTP/1.1 200"), "it lives all the same");
        disk.free();
        wait_until("it is ready again", is_ready);
        let before = answers();
        wait_until("writes are answered again", || answers() >= before + 5);
    }
    stop.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.join().unwrap();
    }
    for head in ledger.error_heads.lock().unwrap().iter() {
        assert!(head.starts_with("HTTP/1.1 503") && head.contains("retry-after: "), "{head}");
    }
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
    run(&database, &["check", "--deep"]);
    print_note(&format!("{rounds} rounds, {}", ledger.compare_with_database(&database).await));
}
