//! Columns in memory: the same numbers from every process, after every write, whatever happened to the saved ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::Engine;
use blobs::{Backend, Blobs, Key, Upload};
use domain::insights::ColumnsFormat;
use domain::{BrandId, Random, Span, Zone};
use serde_json::{Value, json};
use testkit::{Account, Engine as TestEngine, TestApp, objects_config, on_both_engines, temporary_folder};

use super::{Yard, acknowledged, incursion, runtime};

on_both_engines!(
    columns_and_rows_answer_alike,
    what_another_process_wrote_is_counted,
    objects_that_are_damaged_or_gone_change_no_number,
    saved_columns_of_another_state_of_the_database_are_not_opened,
    columns_that_turn_out_to_be_damaged_are_saved_anew,
    a_host_opens_what_another_one_has_saved,
    parts_that_no_manifest_names_are_collected,
    a_brand_of_several_pages_is_built_from_the_newest_backwards,
    a_question_about_many_facts_waits_for_columns,
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

pub async fn query(app: &TestApp, user: &Account, rest: &str) -> Value {
    let path = format!("/api/v1/insights{rest}");
    app.get(&path).cookie(&user.cookie).send().await.expect(200).json()
}

/// Adds a few hundred incursions over three days, and runtime.
pub async fn busy_yard(app: TestApp) -> Yard {
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
    let by_columns =
        yard.app.second_instance_with(|config| config.analytics.column_wait_timeout_ms = 60_000).await;
    for question in QUESTIONS {
        assert_eq!(
            query(&by_columns, &yard.admin, question).await,
            query(&by_rows, &yard.admin, question).await,
            "{question}"
        );
    }
    assert_eq!(by_columns.app.column_cache_stats().0, 1);
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

/// Waits until the columns have been saved, and returns their manifest.
pub async fn saved_manifest(yard: &Yard) -> Value {
    let (store, scope) = yard.facts.store_and_scope();
    loop {
        let row = store.read().await.unwrap().column_manifests(scope).find().await.unwrap();
        if let Some(text) = row.and_then(|row| row.manifest) {
            return serde_json::from_str(&text).unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns the objects of saved columns, which are files.
pub fn object_files(app: &TestApp) -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let parts = entries(&app.data().join("blobs/columns-3/1"));
    let mut files: Vec<PathBuf> = parts.flat_map(|part| entries(&part).collect::<Vec<_>>()).collect();
    files.sort();
    files
}

async fn objects_that_are_damaged_or_gone_change_no_number(app: TestApp) {
    let yard = busy_yard(app).await;
    let expected = query(&yard.app, &yard.admin, "/totals").await;
    let manifest = saved_manifest(&yard).await;
    let files = object_files(&yard.app);
    assert_eq!(files.len(), 1 + manifest["parts"].as_array().unwrap().len());
    let again = async || {
        let other = yard.app.second_instance().await;
        for question in ["/totals", "/breakdown?by=machine"] {
            query(&other, &yard.admin, question).await;
        }
        query(&other, &yard.admin, "/totals").await
    };
    assert_eq!(again().await, expected);
    for path in &files {
        let bytes = fs::read(path).unwrap();
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 0x10;
        for damage in [Some(changed), Some(bytes[..middle].to_vec()), Some(Vec::new()), None] {
            match damage {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
            assert_eq!(again().await, expected, "{}", path.display());
            fs::write(path, &bytes).unwrap();
        }
    }
    assert_eq!(object_files(&yard.app), files, "the first process has the lease, so that no other saved");
}

async fn saved_columns_of_another_state_of_the_database_are_not_opened(app: TestApp) {
    let yard = busy_yard(app).await;
    query(&yard.app, &yard.admin, "/totals").await;
    let manifest = saved_manifest(&yard).await;
    // Another change has taken the number of one that the columns have, as on a server that took over without it.
    let replaced = "update incursions set review = 2 where id = 7";
    testkit::execute_raw_sql(yard.app.database(), replaced).await.unwrap();
    let count = async || {
        let host = yard.app.second_instance_with(|config| config.analytics.column_wait_timeout_ms = 60_000);
        query(&host.await, &yard.admin, "/totals").await["metrics"]["incursions"]["value"].clone()
    };
    // As it was saved, ahead of the rows, of another timeline, or of another version. Without a standby, changes can be lost.
    for (field, value, expected) in [
        ("is_synchronous", json!(false), 300),
        ("incursions_seq", json!(1_000_000), 299),
        ("timeline", json!(99), 299),
        ("format_version", json!(99), 299),
    ] {
        let mut changed = manifest.clone();
        changed["is_synchronous"] = json!(false);
        changed[field] = value;
        let statement = format!("update saved_columns set manifest = '{changed}'");
        testkit::execute_raw_sql(yard.app.database(), &statement).await.unwrap();
        assert_eq!(count().await, json!(expected), "{field}");
    }
}

async fn columns_that_turn_out_to_be_damaged_are_saved_anew(app: TestApp) {
    let yard = busy_yard(app).await;
    // The rest of the response tells the time.
    let metrics = async |app: &TestApp| query(app, &yard.admin, "/totals").await["metrics"].clone();
    let expected = metrics(&yard.app).await;
    saved_manifest(&yard).await;
    for path in object_files(&yard.app) {
        fs::write(path, "damaged").unwrap();
    }
    // Later, when the lease of the first process is over.
    yard.app.clock.advance(Span::minutes(11));
    let other = yard.app.second_instance().await;
    assert_eq!(metrics(&other).await, expected);
    let (store, scope) = yard.facts.store_and_scope();
    loop {
        let row = store.read().await.unwrap().column_manifests(scope).find().await.unwrap();
        if row.is_some_and(|row| row.revision == 2) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(metrics(&yard.app.second_instance().await).await, expected);
}

/// Every host has a data folder of its own, and shares the object store.
async fn a_host_opens_what_another_one_has_saved(engine: TestEngine) {
    let app = TestApp::start_with(engine, |config| {
        config.blobs = objects_config(Backend::S3);
        config.analytics.column_wait_timeout_ms = 60_000;
    });
    let app = app.await;
    let yard = busy_yard(app).await;
    let expected = query(&yard.app, &yard.admin, "/breakdown?by=machine").await;
    let manifest = saved_manifest(&yard).await;
    let folder = temporary_folder();
    let elsewhere = folder.path().to_owned();
    let other = yard.app.second_instance_with(|config| config.data = elsewhere).await;
    assert_eq!(query(&other, &yard.admin, "/breakdown?by=machine").await, expected);
    assert_eq!(other.app.column_cache_stats().0, 1);
    // What it has fetched is in its cache: the outline, and the parts that the question needed.
    let cached: BTreeSet<String> = fs::read_dir(folder.path().join("columns"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let objects = manifest["parts"].as_array().unwrap().iter().chain([&manifest["outline"]]);
    let saved: BTreeSet<String> =
        objects.map(|object| object["sha256"].as_str().unwrap().to_owned()).collect();
    assert!(cached.len() >= 2 && cached.is_subset(&saved), "{cached:?} of {saved:?}");
    // Damage in the cache is fetched again.
    for name in &cached {
        fs::write(folder.path().join("columns").join(format!("{name}.part")), "damaged").unwrap();
    }
    let elsewhere = folder.path().to_owned();
    let again = yard.app.second_instance_with(|config| config.data = elsewhere).await;
    assert_eq!(query(&again, &yard.admin, "/breakdown?by=machine").await, expected);
    // Without a cache, and with an object store that is away, the numbers are the same.
    let empty = temporary_folder();
    let elsewhere = empty.path().to_owned();
    let cut_off = yard.app.second_instance_with(|config| {
        config.data = elsewhere;
        "http://127.0.0.1:9".clone_into(&mut config.blobs.s3.endpoint);
    });
    assert_eq!(query(&cut_off.await, &yard.admin, "/breakdown?by=machine").await, expected);
}

async fn parts_that_no_manifest_names_are_collected(app: TestApp) {
    let yard = busy_yard(app).await;
    query(&yard.app, &yard.admin, "/totals").await;
    saved_manifest(&yard).await;
    let named = object_files(&yard.app);
    let blobs = Blobs::new(&yard.app.config.blobs, yard.app.data()).unwrap();
    // Left behind by a save that was killed: of a part that exists, of another one, and of another brand.
    for (brand, part) in [(1, 1), (1, 987), (5, 1)] {
        let upload = Upload::begin(yard.app.clock.now(), &Random::System);
        blobs
            .put(&Key::ColumnPart(ColumnsFormat::CURRENT, BrandId(brand), part, upload), b"x")
            .await
            .unwrap();
    }
    assert_eq!(
        yard.app.app.remove_orphaned_objects().await.unwrap(),
        0,
        "they may belong to a save in progress"
    );
    yard.app.clock.advance(Span::minutes(25 * 60));
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 3);
    assert_eq!(object_files(&yard.app), named);
    // A manifest that only a newer program can read protects everything.
    let upload = Upload::begin(yard.app.clock.now(), &Random::System);
    blobs.put(&Key::ColumnPart(ColumnsFormat::CURRENT, BrandId(1), 3, upload), b"x").await.unwrap();
    yard.app.clock.advance(Span::minutes(25 * 60));
    let newer = "update saved_columns set manifest = '{\"format_version\":99}'";
    testkit::execute_raw_sql(yard.app.database(), newer).await.unwrap();
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
}

/// Adds many incursions, one every ten minutes, and their numbers.
pub async fn add_many(app: &TestApp, count: i64) {
    let statements = format!(
        "insert into incursions (brand_id, seq, base_station_id, uid, tag_id, started_at, ended_at, zone, machine_id,
             local_day, local_minute, review, received_at)
         with recursive numbers (n) as (select cast(1 as bigint) union all select n + 1 from numbers where n < {count})
         select 1, 1000 + n, 1, 'many-' || n, 1 + n % 97, s, s + 5000000, 1 + n % 2, 1 + n % 3, s / 86400000000,
             (s / 60000000) % 10080, 0, s
         from (select n, 1771800000000000 - n * 600000000 as s from numbers) as facts;
         update brand_counters set last_seq = 1000 + {count} where brand_id = 1"
    );
    testkit::execute_raw_sql(app.database(), &statements).await.unwrap();
}

/// More facts than a page has, so that columns are built in several windows.
async fn a_brand_of_several_pages_is_built_from_the_newest_backwards(app: TestApp) {
    let yard = busy_yard(app).await;
    add_many(&yard.app, 150_000).await;
    let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
    let questions = [
        "/totals",
        "/breakdown?by=machine&from=2023-06-01&metric=incursions&metric=median_duration",
        "/totals?from=2023-06-01&to=2024-06-01",
        "/trends?interval=month&from=2023-06-01&metric=incursions&metric=runtime_hours",
    ];
    for (round, question) in (0..).zip(questions) {
        let expected = query(&by_rows, &yard.admin, question).await;
        // A host of its own each time, and nothing that was saved, so that each question begins to build columns.
        testkit::execute_raw_sql(yard.app.database(), "delete from saved_columns").await.unwrap();
        let host =
            yard.app.second_instance_with(|config| config.analytics.column_wait_timeout_ms = 60_000).await;
        assert_eq!(query(&host, &yard.admin, question).await, expected, "{question}");
        // Changes that come meanwhile are counted, of recent facts and of the oldest, which have a tag that exists.
        for id in [1 + round, 150 + round, 300 + 97 * (1_536 - round)] {
            let path = format!("/api/v1/incursions/{id}/review");
            let review = yard.app.post(&path).cookie(&yard.admin.cookie);
            review.json(&json!({ "state": "dismissed" })).send().await.expect(200);
        }
        let all = "/totals?from=2023-01-01";
        let (found, expected) =
            (query(&host, &yard.admin, all).await, query(&by_rows, &yard.admin, all).await);
        assert_eq!(found, expected, "{question}");
    }
}

/// The database would take too long for them, so that they wait for the columns, which are built meanwhile.
async fn a_question_about_many_facts_waits_for_columns(engine: TestEngine) {
    let app = TestApp::start_with(engine, |config| config.analytics.column_wait_timeout_ms = 0).await;
    let yard = busy_yard(app).await;
    add_many(&yard.app, 210_000).await;
    // A few facts are counted by the database, and begin to build columns.
    let few = query(&yard.app, &yard.admin, "/totals?from=2026-02-24&to=2026-02-27").await;
    assert_eq!(few["metrics"]["incursions"]["value"], json!(300));
    let all = query(&yard.app, &yard.admin, "/totals?from=2022-01-01").await;
    assert_eq!(all["metrics"]["incursions"]["value"], json!(210_300));
    assert_eq!(yard.app.app.column_cache_stats().0, 1, "they were counted by columns");
}
