//! A station that sends events without pause and records the response to each, to compare it with the database at the end.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::{BaseStationId, BrandId, Clock};
use serde_json::{Value, json};
use store::Projects;
use testkit::{Database, Process};

use crate::program;

/// Incursions of a batch, which also has one test of a tag.
pub const BATCH: usize = 40;

/// The events that were sent and the responses to them.
#[derive(Default)]
pub struct Ledger {
    pub accepted: Mutex<BTreeSet<String>>,
    pub unanswered_batches: Mutex<Vec<Vec<String>>>,
    /// Heads of responses other than 200.
    pub error_heads: Mutex<Vec<String>>,
    pub accepted_batches: AtomicUsize,
    next: AtomicUsize,
}

impl Ledger {
    /// Returns new uids.
    pub fn next_batch(&self) -> Vec<String> {
        let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
        (first..first + BATCH).map(|number| format!("u{number}")).collect()
    }

    /// Sends a batch and returns whether it was accepted.
    pub fn send(&self, address: SocketAddr, token: &str, uids: Vec<String>) -> bool {
        self.send_within(Duration::from_secs(30), address, token, uids)
    }

    /// Sends a new batch again and again until it is accepted, each time for at most as long. Gives up if `is_over` says so, and returns
    /// whether it was accepted.
    pub fn send_until_accepted(
        &self,
        patience: Duration,
        address: SocketAddr,
        token: &str,
        is_over: impl Fn() -> bool,
    ) -> bool {
        let uids = self.next_batch();
        while !self.send_within(patience, address, token, uids.clone()) {
            if is_over() {
                return false;
            }
            self.unanswered_batches.lock().unwrap().retain(|batch| *batch != uids);
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }

    /// Sends a batch, waits for the response for at most as long, and returns whether it was accepted.
    fn send_within(&self, patience: Duration, address: SocketAddr, token: &str, uids: Vec<String>) -> bool {
        let answer = post(patience, address, token, &uids).unwrap_or_default();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        if !head.starts_with("HTTP/1.1 200") {
            if !head.is_empty() {
                self.error_heads.lock().unwrap().push(head.to_owned());
            }
            self.unanswered_batches.lock().unwrap().push(uids);
            return false;
        }
        let Ok(body) = serde_json::from_str::<Value>(body) else {
            self.unanswered_batches.lock().unwrap().push(uids);
            return false;
        };
        assert_eq!(body["rejected"], json!([]));
        let kept = body["accepted"].as_u64().unwrap() + body["duplicates"].as_u64().unwrap();
        assert_eq!(kept, uids.len() as u64 + 1);
        self.accepted.lock().unwrap().extend(uids);
        self.accepted_batches.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Asserts that every accepted event is stored once and that nothing else is stored. Returns a summary.
    pub async fn compare_with_database(&self, database: &Database) -> String {
        let (store, platform) = database.open().await;
        let scope = platform.scope(BrandId(1), Projects::All);
        let mut tx = store.read().await.unwrap();
        let accepted: Vec<String> = self.accepted.lock().unwrap().iter().cloned().collect();
        let mut found = BTreeSet::new();
        for uids in accepted.chunks(1_000) {
            let uids: Vec<_> = uids.iter().map(|uid| (BaseStationId(1), uid.as_str())).collect();
            for kept in tx.incursions(&scope).by_uids(&uids).await.unwrap() {
                assert!(found.insert(kept.row.uid.clone()), "{} is there twice", kept.row.uid);
            }
        }
        let lost: Vec<_> = accepted.iter().filter(|uid| !found.contains(*uid)).collect();
        assert!(lost.is_empty(), "{} of {} accepted events are lost: {lost:?}", lost.len(), accepted.len());
        drop(tx);
        let unanswered: usize = self.unanswered_batches.lock().unwrap().iter().map(Vec::len).sum();
        let rows = testkit::count_rows(database).await["incursions"] as usize;
        assert!((accepted.len()..=accepted.len() + unanswered).contains(&rows), "{rows} rows");
        assert_tests_are_stored_once(database, rows).await;
        store.close().await;
        format!("{} events accepted, {unanswered} unanswered at the end, {rows} rows", accepted.len())
    }
}

/// Asserts that there is one test of a tag for each batch of stored incursions. Unlike incursions, tests have no uid by which the database
/// itself would refuse the second.
pub async fn assert_tests_are_stored_once(database: &Database, incursions: usize) {
    let tests = testkit::count_rows(database).await["tag_tests"] as usize;
    assert_eq!(tests * BATCH, incursions, "a batch is stored as a whole, and once");
}

/// Sends an incursion for each uid and the test of a tag, and returns the response, if there was one.
fn post(patience: Duration, address: SocketAddr, token: &str, uids: &[String]) -> Option<String> {
    let event = |uid: &String| {
        json!({ "uid": uid, "kind": "incursion", "tag": "T-1", "started_at": "2026-03-01T08:00:00Z", "zone": "warning",
            "duration_ms": 1_000 })
    };
    let uid = format!("test {}", uids[0]);
    let test =
        json!({ "uid": uid, "kind": "tag_test", "tag": "T-1", "at": Clock::System.now(), "passed": true });
    let body = Value::from_iter(uids.iter().map(event).chain([test])).to_string();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(patience)).ok()?;
    let head = format!(
        "POST /ingest/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Runs a command of the program, which must succeed.
pub fn run(database: &Database, arguments: &[&str]) -> String {
    let output = Process::run(program(), database, arguments, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Creates a station in a new brand and returns its token.
pub fn station_token(database: &Database) -> String {
    run(database, &["brand", "create", "Acme"]);
    run(database, &["token", "issue", "--brand", "Acme", "--kind", "station", "--name", "ST-1"])
}
