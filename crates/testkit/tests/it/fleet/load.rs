//! Stations that send without pause, and how long they had to wait.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use testkit::Database;
use tokio::time::Instant;

use crate::ledger::{Ledger, assert_tests_are_stored_once};

/// Running senders. Each sends a batch again until it is accepted, and then the next.
pub struct Load {
    shared: Arc<Shared>,
    senders: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    ledger: Ledger,
    is_over: AtomicBool,
    /// When each sender began to send a batch that was accepted, and when it was.
    accepted: Mutex<Vec<Vec<(Instant, Instant)>>>,
}

impl Load {
    /// Starts a sender for each address and token. A sender that has waited this long for a response closes its connection and sends again.
    pub fn start(senders: Vec<(SocketAddr, String)>, patience: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        shared.accepted.lock().unwrap().resize(senders.len(), Vec::new());
        let sender = |(number, (address, token)): (usize, (SocketAddr, String))| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || send(&shared, number, patience, address, &token))
        };
        let senders = senders.into_iter().enumerate().map(sender).collect();
        Self { shared, senders }
    }

    /// Waits until each sender has had some more batches accepted, so that all of them are at work.
    pub fn wait_until_working(&self) {
        let since = Instant::now();
        let is_later = |at: &&(Instant, Instant)| at.0 >= since;
        self.wait_until(|accepted| accepted.iter().rev().take_while(is_later).count() >= 5);
    }

    /// Lets something fail, waits until each sender has had a batch accepted that it began to send afterwards, and returns how long that
    /// took for the last of them.
    pub fn pause_when(&self, fails: impl FnOnce()) -> Duration {
        self.wait_until_working();
        let since = Instant::now();
        fails();
        let failed = Instant::now();
        self.wait_until(|accepted| accepted.last().is_some_and(|(began, _)| *began >= failed));
        let accepted = self.shared.accepted.lock().unwrap();
        let ends = accepted.iter().filter_map(|of| of.get(of.partition_point(|(began, _)| *began < failed)));
        ends.map(|(_, end)| end.duration_since(since)).max().unwrap_or_default()
    }

    fn wait_until(&self, is_so: impl Fn(&[(Instant, Instant)]) -> bool) {
        while !self.shared.accepted.lock().unwrap().iter().all(|accepted| is_so(accepted)) {
            assert!(!self.senders.iter().any(JoinHandle::is_finished), "a sender has failed");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Stops the senders when what they are sending is accepted. Asserts that each accepted event is stored once, that nothing else is
    /// stored, and that each refusal said when to send again. Returns a summary.
    pub async fn stop_and_compare(self, database: &Database) -> String {
        self.shared.is_over.store(true, Ordering::SeqCst);
        for sender in self.senders {
            sender.join().unwrap();
        }
        let ledger = &self.shared.ledger;
        let stored = testkit::query_raw_sql(database, "select uid from incursions").await;
        let distinct: BTreeSet<&String> = stored.iter().collect();
        assert_eq!(distinct.len(), stored.len(), "no event is doubled");
        assert_tests_are_stored_once(database, stored.len()).await;
        let accepted = ledger.accepted.lock().unwrap();
        assert!(ledger.unanswered_batches.lock().unwrap().is_empty());
        let lost = accepted.iter().filter(|uid| !distinct.contains(uid)).count();
        assert_eq!(lost, 0, "of {} accepted events are lost", accepted.len());
        assert_eq!(stored.len(), accepted.len());
        let refused = ledger.error_heads.lock().unwrap();
        for head in refused.iter() {
            let head = head.to_ascii_lowercase();
            // Responses of a balancer that reaches no host have no such header.
            let is_balancer = !head.contains("x-request-id");
            assert!(
                head.starts_with("http/1.1 50") && (is_balancer || head.contains("retry-after: ")),
                "{head}"
            );
        }
        format!("{} events accepted, {} requests refused", accepted.len(), refused.len())
    }
}

fn send(shared: &Shared, number: usize, patience: Duration, address: SocketAddr, token: &str) {
    while !shared.is_over.load(Ordering::SeqCst) {
        let began = Instant::now();
        if shared.ledger.send_until_accepted(patience, address, token, || false) {
            // The last attempt began later if it was not the first, which makes pauses longer but never shorter.
            shared.accepted.lock().unwrap()[number].push((began, Instant::now()));
        }
    }
}
