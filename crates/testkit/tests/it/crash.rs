//! The server is killed under ingest load: nothing that was accepted is lost, and nothing is stored twice.
//!
//! A few kills are part of every test run; `make crash` does many more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testbed::PostgresCluster;
use testkit::{Database, Engine, Process, on_both_engines};

use crate::ledger::{Ledger, run, station_token};
use crate::program;

on_both_engines!(killed_under_load_nothing_is_lost_or_doubled);

const SENDERS: usize = 4;

async fn killed_under_load_nothing_is_lost_or_doubled(engine: Engine) {
    kill_repeatedly(Database::empty(engine), 3, |server| drop(server.stop("-KILL"))).await;
}

#[test]
#[ignore = "takes minutes: make crash"]
fn killed_50_times_on_sqlite() {
    testkit::run(Engine::Sqlite, async |engine: Engine| {
        kill_repeatedly(Database::empty(engine), 50, |server| drop(server.stop("-KILL"))).await;
    });
}

#[test]
#[ignore = "takes minutes: make crash"]
fn killed_50_times_on_postgresql() {
    testkit::run(Engine::Postgres, async |engine: Engine| {
        kill_repeatedly(Database::empty(engine), 50, |server| drop(server.stop("-KILL"))).await;
    });
}

#[test]
#[ignore = "takes minutes: make crash"]
fn postgresql_stopped_at_once_5_times() {
    testkit::run(Engine::Postgres, async |_: Engine| {
        let cluster = PostgresCluster::start_durable().unwrap();
        let database = Database::in_cluster(&cluster);
        kill_repeatedly(database, 5, |server| {
            cluster.crash().unwrap();
            drop(server.stop("-KILL"));
        })
        .await;
    });
}

async fn kill_repeatedly(database: Database, kills: usize, mut kill: impl FnMut(Process)) {
    let token = station_token(&database);
    let ledger = Arc::new(Ledger::default());
    let generous = [("KEEPCLEAR__LIMITS__INGEST_PER_MINUTE", "10000000")];
    for life in 0..kills {
        let server = Process::serve(program(), &database, &generous);
        let (address, stop) = (server.address, Arc::new(AtomicBool::new(false)));
        // Batches without a response are sent again first: they may or may not be stored.
        let retries = std::mem::take(&mut *ledger.unanswered_batches.lock().unwrap());
        let before = ledger.accepted_batches.load(Ordering::Relaxed);
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let (ledger, stop, token) = (Arc::clone(&ledger), Arc::clone(&stop), token.clone());
                let again: Vec<_> = retries.iter().skip(sender).step_by(SENDERS).cloned().collect();
                std::thread::spawn(move || {
                    for uids in again {
                        ledger.send(address, &token, uids);
                    }
                    while !stop.load(Ordering::Relaxed) {
                        if !ledger.send(address, &token, ledger.next_batch()) {
                            return;
                        }
                    }
                })
            })
            .collect();
        // Killed at a different moment each time, once it is working.
        while ledger.accepted_batches.load(Ordering::Relaxed) < before + 5 {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(life as u64 * 7_919 % 40_000));
        kill(server);
        stop.store(true, Ordering::Relaxed);
        for sender in senders {
            sender.join().unwrap();
        }
    }
    run(&database, &["check"]);
    let report = ledger.compare_with_database(&database).await;
    print_summary(format_args!("{kills} kills, {report}"));
}

/// Reports progress for `make crash`.
#[expect(clippy::print_stdout, reason = "shown only with --nocapture")]
fn print_summary(words: std::fmt::Arguments<'_>) {
    println!("{words}");
}
