//! Fair shares of limited resources: one greedy brand, one modest brand, and the modest one is never refused. See docs/shares.md.

mod arithmetic;
mod columns;
mod connections;
mod ingest_queue;
mod jobs;
mod long_polls;
mod passwords;
mod questions;
mod scans;
mod sites;
mod streams;
mod writes;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Engine, Reply, TestApp};
use tokio::task::JoinSet;

struct TwoBrands {
    app: TestApp,
    greedy: Vec<Account>,
    modest: Account,
}

impl TwoBrands {
    /// Starts with a short wait for connections, so that callers who would have to wait for others are refused.
    async fn start(engine: Engine, change: impl FnOnce(&mut server::Config)) -> Arc<Self> {
        let app = TestApp::start_with(engine, |config| {
            config.database.acquire_timeout_s = 3;
            config.analytics.sql_timeout_s = 120;
            change(config);
        })
        .await;
        let mut greedy = Vec::new();
        for number in 0..2 {
            let email = format!("greedy{number}@example.com");
            greedy.push(app.sign_in_new_user_in_brand("Greedy", &email, Role::Admin).await);
        }
        let machine = json!({ "name": "Digger", "kind": "excavator" });
        app.post("/api/v1/machines").cookie(&greedy[0].cookie).json(&machine).send().await.expect(201);
        let modest = app.sign_in_new_user_in_brand("Modest", "modest@example.com", Role::Admin).await;
        let person = json!({ "name": "Mo", "kind": "staff" });
        app.post("/api/v1/people").cookie(&modest.cookie).json(&person).send().await.expect(201);
        Arc::new(Self { app, greedy, modest })
    }

    /// Asserts that sequential reads of the modest brand are never refused.
    async fn assert_modest_reads(&self, times: usize) {
        for _ in 0..times {
            let reply = self.app.get("/api/v1/people").cookie(&self.modest.cookie).send().await.expect(200);
            assert_eq!(reply.json()["data"].as_array().map(Vec::len), Some(1), "{}", reply.json());
        }
    }

    async fn send(&self, greedy: usize, method: Method, path: &str, body: &Value) -> Reply {
        let user = &self.greedy[greedy % self.greedy.len()];
        let request = self.app.request(method, path).bearer(&user.jwt).cookie(&user.cookie);
        if body.is_null() { request.send().await } else { request.json(body).send().await }
    }
}

/// The greedy brand: a number of connections that send calls without pause until stopped.
struct NoisyNeighbour {
    calls: JoinSet<()>,
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
    /// Error code of the first refusal.
    first_code: Arc<OnceLock<String>>,
}

impl NoisyNeighbour {
    fn start(
        brands: &Arc<TwoBrands>,
        connections: usize,
        method: &Method,
        path: &'static str,
        body: &Value,
    ) -> Self {
        let mut neighbour = Self {
            calls: JoinSet::new(),
            stop: Arc::default(),
            answered: Arc::default(),
            refused: Arc::default(),
            first_code: Arc::default(),
        };
        for number in 0..connections {
            let (of, method, body) = (Arc::clone(brands), method.clone(), body.clone());
            let (stop, answered, refused) = (
                Arc::clone(&neighbour.stop),
                Arc::clone(&neighbour.answered),
                Arc::clone(&neighbour.refused),
            );
            let first_code = Arc::clone(&neighbour.first_code);
            neighbour.calls.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let reply = of.send(number, method.clone(), path, &body).await;
                    if reply.status == 503 {
                        let is_share = ["analytics_busy", "too_busy"].contains(&reply.code().as_str());
                        assert!(is_share && !reply.header("retry-after").is_empty(), "{}", reply.json());
                        first_code.get_or_init(|| reply.code());
                        refused.fetch_add(1, Ordering::Relaxed);
                        // Sooner than `Retry-After` says.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    } else {
                        reply.expect(200);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        neighbour
    }

    /// Waits until some calls were refused, which means that the whole share is in use. Returns the error code of the first refusal.
    async fn wait_until_refused(&self) -> &str {
        while self.refused.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.first_code.get().unwrap()
    }

    async fn wait_until_answered(&self) {
        while self.answered.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Returns whether a call failed, so that the load has stopped.
    fn has_ended(&mut self) -> bool {
        self.calls.try_join_next().is_some()
    }

    /// Stops it and returns the number of answered calls.
    async fn stop(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = self.calls.join_next().await {
            ended.unwrap();
        }
        self.answered.load(Ordering::Relaxed)
    }
}
