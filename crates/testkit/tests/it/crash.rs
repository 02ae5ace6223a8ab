//! The server under ingest load, killed in the midst of it: nothing that was accepted is lost, nothing is there twice.
//!
//! A few kills are part of every run; `make crash` does the rest.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::{BaseStationId, BrandId};
use serde_json::{Value, json};
use store::Projects;
use testbed::Postgres;
use testkit::{Database, Engine, Process, on_both_engines};

use crate::program;

on_both_engines!(killed_under_load_nothing_is_lost_or_doubled);

const SENDERS: usize = 4;
const BATCH: usize = 40;

async fn killed_under_load_nothing_is_lost_or_doubled(engine: Engine) {
    kill_often(Database::empty(engine), 3, |server| drop(server.stop("-KILL"))).await;
}

#[test]
#[ignore = "takes minutes: make crash"]
fn killed_50_times_on_sqlite() {
    testkit::run(Engine::Sqlite, async |engine: Engine| {
        kill_often(Database::empty(engine), 50, |server| drop(server.stop("-KILL"))).await;
    });
}

#[test]
#[ignore = "takes minutes: make crash"]
fn killed_20_times_on_postgresql() {
    testkit::run(Engine::Postgres, async |engine: Engine| {
        kill_often(Database::empty(engine), 20, |server| drop(server.stop("-KILL"))).await;
    });
}

#[test]
#[ignore = "takes minutes: make crash"]
fn postgresql_stopped_at_once_5_times() {
    testkit::run(Engine::Postgres, async |_: Engine| {
        let cluster = Postgres::durable().unwrap();
        let database = Database::in_cluster(&cluster);
        kill_often(database, 5, |server| {
            cluster.crash().unwrap();
            drop(server.stop("-KILL"));
        })
        .await;
    });
}

/// What was sent and what was said of it.
#[derive(Default)]
struct Ledger {
    accepted: Mutex<BTreeSet<String>>,
    unanswered: Mutex<Vec<Vec<String>>>,
    next: AtomicUsize,
    answers: AtomicUsize,
}

/// An event of each uid, half of them completing another that came before.
fn body(uids: &[String]) -> String {
    let event = |uid: &String| {
        json!({ "uid": uid, "kind": "incursion", "tag": "T-1", "started_at": "2026-03-01T08:00:00Z", "zone": "warning",
            "duration_ms": 1_000 })
    };
    Value::from_iter(uids.iter().map(event)).to_string()
}

/// Sends a batch; tells how many were kept before or now, if there was an answer.
fn post(address: SocketAddr, token: &str, uids: &[String]) -> Option<u64> {
    let body = body(uids);
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    let head = format!(
        "POST /ingest/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let answer = answer.strip_prefix("HTTP/1.1 200")?;
    let answer: Value = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
    assert_eq!(answer["rejected"], json!([]));
    Some(answer["accepted"].as_u64()? + answer["duplicates"].as_u64()?)
}

fn send(ledger: &Ledger, address: SocketAddr, token: &str, uids: Vec<String>) -> bool {
    match post(address, token, &uids) {
        Some(kept) => {
            assert_eq!(kept, uids.len() as u64);
            ledger.accepted.lock().unwrap().extend(uids);
            ledger.answers.fetch_add(1, Ordering::Relaxed);
            true
        }
        None => {
            ledger.unanswered.lock().unwrap().push(uids);
            false
        }
    }
}

fn run(database: &Database, arguments: &[&str]) -> String {
    let output = Process::run(program(), database, arguments, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

async fn kill_often(database: Database, kills: usize, mut kill: impl FnMut(Process)) {
    run(&database, &["brand", "create", "Acme"]);
    let token = run(&database, &["token", "issue", "--brand", "Acme", "--kind", "station", "--name", "ST-1"]);
    let ledger = Arc::new(Ledger::default());
    let generous = [("KEEPCLEAR__LIMITS__INGEST", "10000000")];
    for life in 0..kills {
        let server = Process::serve(program(), &database, &generous);
        let (address, stop) = (server.address, Arc::new(AtomicBool::new(false)));
        // What was not answered before is sent again first: it may be there or not.
        let again = std::mem::take(&mut *ledger.unanswered.lock().unwrap());
        let before = ledger.answers.load(Ordering::Relaxed);
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let (ledger, stop, token) = (Arc::clone(&ledger), Arc::clone(&stop), token.clone());
                let again: Vec<_> = again.iter().skip(sender).step_by(SENDERS).cloned().collect();
                std::thread::spawn(move || {
                    for uids in again {
                        send(&ledger, address, &token, uids);
                    }
                    while !stop.load(Ordering::Relaxed) {
                        let first = ledger.next.fetch_add(BATCH, Ordering::Relaxed);
                        let uids = (first..first + BATCH).map(|number| format!("u{number}")).collect();
                        if !send(&ledger, address, &token, uids) {
                            return;
                        }
                    }
                })
            })
            .collect();
        // At another moment of its life each time, once it is at work.
        while ledger.answers.load(Ordering::Relaxed) < before + 5 {
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
    let (store, platform) = database.open().await;
    let scope = platform.scope(BrandId(1), Projects::All);
    let mut tx = store.read().await.unwrap();
    let accepted: Vec<String> = ledger.accepted.lock().unwrap().iter().cloned().collect();
    let mut found = BTreeSet::new();
    for uids in accepted.chunks(1_000) {
        let uids: Vec<_> = uids.iter().map(|uid| (BaseStationId(1), uid.as_str())).collect();
        for kept in tx.incursions(&scope).by_uids(&uids).await.unwrap() {
            assert!(found.insert(kept.row.uid.clone()), "{} is there twice", kept.row.uid);
        }
    }
    let lost: Vec<_> = accepted.iter().filter(|uid| !found.contains(*uid)).collect();
    assert!(lost.is_empty(), "{} of {} accepted events are lost: {lost:?}", lost.len(), accepted.len());
    // And nothing is there that nobody sent.
    let unanswered: usize = ledger.unanswered.lock().unwrap().iter().map(Vec::len).sum();
    let rows = testkit::count_rows(&database).await["incursions"] as usize;
    assert!((accepted.len()..=accepted.len() + unanswered).contains(&rows), "{rows} rows");
    tell(format_args!(
        "{kills} kills, {} events accepted, {unanswered} unanswered at the end, {rows} rows",
        accepted.len()
    ));
}

/// For whoever runs `make crash`.
#[expect(clippy::print_stdout, reason = "shown with --nocapture alone")]
fn tell(words: std::fmt::Arguments<'_>) {
    println!("{words}");
}
