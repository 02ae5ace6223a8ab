//! Columns in memory: the same numbers from every process, after every write, whatever happened to the column files.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use app::Engine;
use domain::Zone;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{Yard, acknowledged, incursion, runtime};

on_both_engines!(
    columns_and_rows_answer_alike,
    what_another_process_wrote_is_counted,
    files_that_are_damaged_or_gone_change_no_number,
);

const QUESTIONS: [&str; 8] = [
    "",
    "/totals?compare=previous",
    "/trends?interval=hour&from=2026-02-24&to=2026-02-27&metric=incursions&metric=incursions_per_runtime_hour",
    "/trends?split_by=machine_kind&metric=p95_duration",
    "/breakdown?by=machine&metric=pedestrians&metric=runtime_hours&metric=median_duration",
    "/breakdown?by=zone&acknowledged=true",
    "/durations",
    "/heatmap",
];

async fn query(app: &TestApp, user: &Account, rest: &str) -> Value {
    let path = format!("/api/v1/insights{rest}");
    app.get(&path).cookie(&user.cookie).send().await.expect(200).json()
}

/// Adds a few hundred incursions over three days, and runtime.
async fn busy_yard(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut rows = Vec::new();
    for number in 0..300 {
        let (day, hour, minute) = (24 + number % 3, number % 24, number % 60);
        let mut row = incursion(&yard, &format!("2026-02-{day}T{hour:02}:{minute:02}:00Z"), number % 97);
        if number % 4 == 0 {
            row = acknowledged(row, number % 7);
        }
        row.zone = if number % 5 == 0 { Zone::Danger } else { Zone::Warning };
        row.attribution.machine = Some(domain::MachineId(1 + number % 3));
        rows.push(row);
    }
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 45), runtime("2026-02-25T10:00:00Z", 15)]).await;
    yard
}

async fn columns_and_rows_answer_alike(app: TestApp) {
    let yard = busy_yard(app).await;
    let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
    for question in QUESTIONS {
        assert_eq!(
            query(&yard.app, &yard.admin, question).await,
            query(&by_rows, &yard.admin, question).await,
            "{question}"
        );
    }
    assert_eq!(yard.app.app.column_cache_stats().0, 1);
    assert_eq!(by_rows.app.column_cache_stats().0, 0);
}

async fn what_another_process_wrote_is_counted(app: TestApp) {
    let yard = busy_yard(app).await;
    let other = yard.app.second_instance().await;
    let count = async |app: &TestApp| {
        query(app, &yard.admin, "/totals").await["metrics"]["incursions"]["value"].clone()
    };
    assert_eq!((count(&yard.app).await, count(&other).await), (json!(300), json!(300)));
    for round in 1..=3 {
        let review = json!({ "state": "dismissed" });
        let path = format!("/api/v1/incursions/{round}/review");
        yard.app.post(&path).cookie(&yard.admin.cookie).json(&review).send().await.expect(200);
        let left = json!(300 - round);
        assert_eq!((count(&other).await, count(&yard.app).await), (left.clone(), left));
    }
    // Also when a kind was corrected in another process.
    let kinds = async |app: &TestApp| {
        let answer = query(app, &yard.admin, "/breakdown?by=machine_kind&metric=incursions").await;
        answer["rows"].as_array().unwrap().iter().map(|row| row["part"]["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&other).await, [json!("crane")]);
    for id in 1..=3 {
        let change = yard.app.patch(&format!("/api/v1/machines/{id}")).cookie(&yard.admin.cookie);
        change.json(&json!({ "kind": "dozer" })).send().await.expect(200);
    }
    assert_eq!(kinds(&other).await, [json!("dozer")]);
}

async fn files_that_are_damaged_or_gone_change_no_number(app: TestApp) {
    let yard = busy_yard(app).await;
    let expected = query(&yard.app, &yard.admin, "/totals").await;
    let folder = yard.app.data().join("columns/1");
    while !folder.join("manifest.json").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let files =
        || -> Vec<PathBuf> { fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect() };
    let whole: Vec<(PathBuf, Vec<u8>)> =
        files().into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    assert!(whole.iter().any(|(path, _)| path.extension().is_some_and(|end| end == "arrow")));
    let again = async || {
        let other = yard.app.second_instance().await;
        for question in ["/totals", "/breakdown?by=machine"] {
            query(&other, &yard.admin, question).await;
        }
        query(&other, &yard.admin, "/totals").await
    };
    assert_eq!(again().await, expected);
    for (path, bytes) in &whole {
        if path.ends_with("lock") {
            continue;
        }
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 0x10;
        for damage in [Some(changed), Some(bytes[..middle].to_vec()), Some(Vec::new()), None] {
            match damage {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
            assert_eq!(again().await, expected, "{}", path.display());
            fs::write(path, bytes).unwrap();
        }
    }
    // Files of another database, or ahead of the rows, as after a restore.
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    for (field, value) in
        [("store_id", json!("another")), ("incursions_seq", json!(1_000_000)), ("form", json!(99))]
    {
        let mut changed = manifest.clone();
        changed[field] = value;
        fs::write(folder.join("manifest.json"), changed.to_string()).unwrap();
        assert_eq!(again().await, expected, "{field}");
    }
}
