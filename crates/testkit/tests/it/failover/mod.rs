//! PostgreSQL fails: connections end or stall, commits have no answer, and a successor lacks commits.

mod connections;
mod outcomes;
mod timelines;

use domain::{Role, Timestamp};
use serde_json::json;
use server::Config;
use testbed::PostgresProxy;
use testkit::{Account, Database, Engine, Reply, TestApp};

/// Noon on Sunday, 1 March 2026, as in other tests.
const NOW: Timestamp = Timestamp::from_seconds(1_772_366_430);

/// An application that reaches its database by way of a proxy.
struct Behind {
    app: TestApp,
    admin: Account,
    proxy: PostgresProxy,
    /// The same database without the proxy.
    direct: Database,
}

impl Behind {
    async fn start(change: impl FnOnce(&mut Config)) -> Self {
        let direct = Database::migrated(Engine::Postgres).await;
        let proxy = Database::start_proxy();
        let app = TestApp::open_existing(direct.through(&proxy), NOW, change).await;
        let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let behind = Self { app, admin, proxy, direct };
        // The first use of a session is recorded, which is a commit of its own.
        behind.app.get("/api/v1/projects").cookie(&behind.admin.cookie).send().await.expect(200);
        behind
    }

    /// Adds a project, with an `Idempotency-Key` unless it is empty.
    async fn add_project(&self, key: &str) -> Reply {
        let request = self.app.post("/api/v1/projects").cookie(&self.admin.cookie);
        let request = if key.is_empty() { request } else { request.header("idempotency-key", key) };
        request.json(&json!({ "name": "Bridge" })).send().await
    }

    /// The same until the database is reached again. Meanwhile the service says that it cannot be reached, and when to retry.
    async fn add_project_with_retries(&self, key: &str) -> Reply {
        loop {
            let reply = self.add_project(key).await;
            if reply.status.as_u16() != 503 {
                return reply.expect(201);
            }
            assert_retryable(&reply);
        }
    }

    async fn project_count(&self) -> i64 {
        testkit::count_rows(&self.direct).await["projects"]
    }
}

#[track_caller]
fn assert_retryable(reply: &Reply) {
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (503, "store_unavailable"));
    assert!(reply.header("retry-after").parse::<u32>().unwrap() > 0);
}
