//! Questions while the object store, which has the saved columns, is away.

use blobs::Backend;
use serde_json::json;
use testkit::{Engine, TestApp, objects_config, on_both_engines, temporary_folder};

use super::columns::{add_many, busy_yard, query, saved_manifest};

on_both_engines!(a_question_about_many_facts_is_refused_while_objects_are_away);

const FEW: &str = "/totals?from=2026-02-24&to=2026-02-27";
const ALL: &str = "/totals?from=2022-01-01";

/// The database would take too long for them, and the parts that the host needs are neither in its memory nor in its cache.
async fn a_question_about_many_facts_is_refused_while_objects_are_away(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.blobs = objects_config(Backend::S3);
        config.analytics.column_wait_timeout_ms = 60_000;
    });
    let yard = busy_yard(app.await).await;
    add_many(&yard.app, 210_000).await;
    query(&yard.app, &yard.admin, ALL).await;
    saved_manifest(&yard).await;
    // Another host fetches what a question about the last days needs, which is then in the cache of its folder.
    let folder = temporary_folder();
    let elsewhere = folder.path().to_owned();
    let host = yard.app.second_instance_with(|config| config.data = elsewhere).await;
    assert_eq!(query(&host, &yard.admin, FEW).await["metrics"]["incursions"]["value"], json!(300));
    // It is started again without the object store.
    let elsewhere = folder.path().to_owned();
    let cut_off = yard.app.second_instance_with(|config| {
        config.data = elsewhere;
        "http://127.0.0.1:9".clone_into(&mut config.blobs.s3.endpoint);
    });
    let cut_off = cut_off.await;
    assert_eq!(query(&cut_off, &yard.admin, FEW).await["metrics"]["incursions"]["value"], json!(300));
    assert_eq!(cut_off.app.column_cache_stats().0, 1, "they were counted by columns");
    let path = format!("/api/v1/insights{ALL}");
    let refused = cut_off.get(&path).cookie(&yard.admin.cookie).send().await.expect(503);
    assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("objects_unavailable", "5"));
    // What is at hand is counted as before, and a host that reaches the objects counts everything.
    assert_eq!(query(&cut_off, &yard.admin, FEW).await["metrics"]["incursions"]["value"], json!(300));
    assert_eq!(query(&host, &yard.admin, ALL).await["metrics"]["incursions"]["value"], json!(210_300));
}
