//! Facts from before the watermark of retention count nowhere, and everywhere once they are kept for longer.

use app::Engine;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::columns::{busy_yard, query, saved_manifest};
use super::{Yard, incursion, runtime};

on_both_engines!(
    columns_and_rows_agree_about_facts_that_arrive_too_late,
    columns_and_rows_agree_after_retention_became_longer,
);

/// All facts of the yard are of 24 to 26 February. It is noon on 1 March.
pub const TOTALS: &str = "/totals?from=2026-02-20&to=2026-03-01";

/// Sets for how many days incursions and runtime are kept, none for ever, and deletes the others; returns how many.
pub async fn keep_facts(yard: &Yard, days: Option<i64>) -> u64 {
    let change = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
    let body = json!({ "keep_incursions_days": days, "keep_runtime_days": days });
    change.json(&body).send().await.expect(200);
    yard.app.app.delete_expired_facts().await.unwrap()
}

/// Adds an incursion and half an hour of runtime of 24 February.
pub async fn add_old_facts(yard: &Yard) {
    yard.facts.add_incursions(vec![incursion(yard, "2026-02-24T09:30:00Z", 5)]).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T11:00:00Z", 30)]).await;
}

/// Returns the number of incursions and the hours of runtime of an answer.
pub fn counted(answer: &Value) -> (i64, f64) {
    let value = |metric: &str| answer["metrics"][metric]["value"].clone();
    (value("incursions").as_i64().unwrap(), value("runtime_hours").as_f64().unwrap())
}

/// A host whose columns follow all changes, and one that answers from the rows.
struct Hosts {
    yard: Yard,
    following: TestApp,
    by_rows: TestApp,
}

impl Hosts {
    async fn new(app: TestApp) -> Self {
        let yard = busy_yard(app).await;
        let following =
            yard.app.second_instance_with(|config| config.analytics.column_wait_timeout_ms = 60_000).await;
        let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
        assert_eq!(counted(&query(&following, &yard.admin, TOTALS).await), (300, 1.0));
        assert_eq!(following.app.column_cache_stats().0, 1);
        saved_manifest(&yard).await;
        Self { yard, following, by_rows }
    }

    /// Returns what the rows say. Columns say the same, whether they have followed, were opened or are built.
    async fn agreed(&self) -> (i64, f64) {
        let admin = &self.yard.admin;
        let expected = query(&self.by_rows, admin, TOTALS).await;
        assert_eq!(query(&self.following, admin, TOTALS).await, expected, "columns that followed");
        for is_built in [false, true] {
            if is_built {
                let forget = "update saved_columns set manifest = null";
                testkit::execute_raw_sql(self.yard.app.database(), forget).await.unwrap();
            }
            let app = &self.yard.app;
            let host =
                app.second_instance_with(|config| config.analytics.column_wait_timeout_ms = 60_000).await;
            assert_eq!(query(&host, admin, TOTALS).await, expected, "is built: {is_built}");
            assert_eq!(host.app.column_cache_stats().0, 1);
        }
        counted(&expected)
    }
}

async fn columns_and_rows_agree_about_facts_that_arrive_too_late(app: TestApp) {
    let hosts = Hosts::new(app).await;
    assert!(keep_facts(&hosts.yard, Some(4)).await > 0);
    let kept = hosts.agreed().await;
    assert!((1..300).contains(&kept.0), "{kept:?}");
    add_old_facts(&hosts.yard).await;
    assert_eq!(hosts.agreed().await, kept);
    assert_eq!(hosts.yard.app.app.delete_expired_facts().await.unwrap(), 2);
    assert_eq!(hosts.agreed().await, kept);
}

async fn columns_and_rows_agree_after_retention_became_longer(app: TestApp) {
    let hosts = Hosts::new(app).await;
    keep_facts(&hosts.yard, Some(4)).await;
    let (incursions, hours) = hosts.agreed().await;
    add_old_facts(&hosts.yard).await;
    // What was deleted does not come back.
    assert_eq!(keep_facts(&hosts.yard, None).await, 0);
    assert_eq!(hosts.agreed().await, (incursions + 1, hours + 0.5));
    // Again, with a longer time instead of no end.
    assert_eq!(keep_facts(&hosts.yard, Some(4)).await, 2);
    assert_eq!(hosts.agreed().await, (incursions, hours));
    add_old_facts(&hosts.yard).await;
    assert_eq!(keep_facts(&hosts.yard, Some(30)).await, 0);
    assert_eq!(hosts.agreed().await, (incursions + 1, hours + 0.5));
}
