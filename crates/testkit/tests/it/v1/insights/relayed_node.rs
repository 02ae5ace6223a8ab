//! A node behind something that delays or refuses what is sent to it, or holds it for a while.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use testbed::ClickHouseNode;
use testkit::http_client;
use tokio::sync::Notify;

/// What passes everything on to a node: after a while, as one whose disk is slow, or without rows, as one whose disk is full.
pub struct RelayedNode {
    pub address: String,
    seen: Arc<Seen>,
}

/// What was sent to a node, and what is to happen with it.
#[derive(Default)]
struct Seen {
    delay_ms: AtomicU64,
    refuses_rows: AtomicBool,
    holds_rows: AtomicBool,
    /// How often rows were sent.
    inserts: AtomicUsize,
    /// How many of them were held, and how many are.
    held: AtomicUsize,
    held_now: AtomicUsize,
    /// How often it was asked what it holds.
    looks: AtomicUsize,
    /// How often it was emptied to be filled.
    fills: AtomicUsize,
    /// So many questions are passed on, the next one is held, and then all.
    questions_before_held: Mutex<Option<usize>>,
    is_held: Notify,
    is_released: Notify,
}

/// Counts rows that are held until whoever sent them goes away.
struct HeldRows<'a>(&'a Seen);

impl<'a> HeldRows<'a> {
    fn new(seen: &'a Seen) -> Self {
        seen.held.fetch_add(1, Ordering::SeqCst);
        seen.held_now.fetch_add(1, Ordering::SeqCst);
        Self(seen)
    }
}

impl Drop for HeldRows<'_> {
    fn drop(&mut self) {
        self.0.held_now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What becomes of a statement.
enum Passing {
    Passes,
    IsHeld,
    IsRefused,
}

impl Seen {
    fn note(&self, uri: &Uri, statement: &[u8]) -> Passing {
        let is_insert = uri.query().is_some_and(|query| query.contains("query=insert"));
        let statement = String::from_utf8_lossy(statement);
        let is_fill = statement.starts_with("create table") && statement.contains("_incursions ");
        for (count, is_one) in [
            (&self.inserts, is_insert),
            (&self.looks, statement.starts_with("select store_id")),
            (&self.fills, is_fill),
        ] {
            count.fetch_add(usize::from(is_one), Ordering::SeqCst);
        }
        match is_insert {
            true if self.refuses_rows.load(Ordering::SeqCst) => Passing::IsRefused,
            true if self.holds_rows.load(Ordering::SeqCst) => Passing::IsHeld,
            _ => Passing::Passes,
        }
    }

    /// Whether a statement is the question that is to be held.
    fn is_to_be_held(&self, statement: &[u8]) -> bool {
        let mut before = self.questions_before_held.lock().unwrap();
        match *before {
            Some(count) if String::from_utf8_lossy(statement).contains("group by") => {
                *before = count.checked_sub(1);
                count == 0
            }
            _ => false,
        }
    }
}

impl RelayedNode {
    /// Starts it. It passes everything on at once until it is said otherwise.
    pub async fn start(node: &ClickHouseNode) -> Self {
        const EXCEPTION: &str = "x-clickhouse-exception-code";
        let seen = Arc::new(Seen::default());
        let (noted, http, url) = (Arc::clone(&seen), http_client().build().unwrap(), node.url());
        let pass_on = Router::new().fallback(move |uri: Uri, body: Bytes| {
            let (passing, is_to_be_held) = (noted.note(&uri, &body), noted.is_to_be_held(&body));
            let request = http.post(format!("{url}{uri}")).body(body);
            let request = request.header("X-ClickHouse-User", ClickHouseNode::USER);
            let request = request.header("X-ClickHouse-Key", ClickHouseNode::PASSWORD);
            let delay = Duration::from_millis(noted.delay_ms.load(Ordering::SeqCst));
            let seen = Arc::clone(&noted);
            async move {
                let mut headers = HeaderMap::new();
                match passing {
                    Passing::Passes => {}
                    Passing::IsHeld => {
                        let _held = HeldRows::new(&seen);
                        std::future::pending::<()>().await;
                    }
                    Passing::IsRefused => {
                        headers.insert(EXCEPTION, "243".parse().unwrap());
                        let reason = "Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space";
                        return (StatusCode::INTERNAL_SERVER_ERROR, headers, Bytes::from(reason));
                    }
                }
                if is_to_be_held {
                    seen.is_held.notify_one();
                    seen.is_released.notified().await;
                }
                tokio::time::sleep(delay).await;
                let answered = request.send().await.unwrap();
                if let Some(code) = answered.headers().get(EXCEPTION) {
                    headers.insert(EXCEPTION, code.clone());
                }
                (answered.status(), headers, answered.bytes().await.unwrap())
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            axum::serve(listener, pass_on).await.unwrap();
        });
        Self { address, seen }
    }

    pub fn make_slow(&self, delay_ms: u64) {
        self.seen.delay_ms.store(delay_ms, Ordering::SeqCst);
    }

    pub fn refuse_rows(&self, refuses_rows: bool) {
        self.seen.refuses_rows.store(refuses_rows, Ordering::SeqCst);
    }

    /// From now on, rows arrive nowhere, and nobody says so.
    pub fn hold_rows(&self) {
        self.seen.holds_rows.store(true, Ordering::SeqCst);
    }

    /// Which rows are held; none while there are none.
    pub fn held_rows(&self) -> Option<usize> {
        let is_holding = self.seen.held_now.load(Ordering::SeqCst) > 0;
        is_holding.then(|| self.seen.held.load(Ordering::SeqCst))
    }

    pub fn inserts(&self) -> usize {
        self.seen.inserts.load(Ordering::SeqCst)
    }

    /// Holds a question after so many others, until it is released.
    pub fn hold_question(&self, after: usize) {
        *self.seen.questions_before_held.lock().unwrap() = Some(after);
    }

    /// Waits until a question is held.
    pub async fn wait_for_question(&self) {
        self.seen.is_held.notified().await;
    }

    /// Whether as many questions have come since.
    pub fn has_held(&self) -> bool {
        self.seen.questions_before_held.lock().unwrap().is_none()
    }

    pub fn release_question(&self) {
        self.seen.is_released.notify_one();
    }

    /// How often it was looked at, and filled.
    pub fn looks_and_fills(&self) -> (usize, usize) {
        (self.seen.looks.load(Ordering::SeqCst), self.seen.fills.load(Ordering::SeqCst))
    }
}
