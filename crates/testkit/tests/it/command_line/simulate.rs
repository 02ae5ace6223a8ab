//! `keepclear simulate`, and the demo of `serve`.

use std::collections::BTreeMap;

use testkit::{
    Database, Engine, Process, drop_audit_triggers, execute_raw_sql, on_both_engines, query_raw_sql,
};

use super::{expect_failure, expect_success, run};
use crate::program;

on_both_engines!(
    the_same_seed_is_the_same_world,
    what_was_interrupted_is_completed,
    a_demo_serves_its_newest_week_before_the_others,
    a_changed_demo_is_completed_by_any_start,
    a_demo_that_cannot_be_continued_stops_no_start,
    a_demo_is_only_for_an_empty_database,
);

const UNTIL_OPTION: [&str; 2] = ["--until", "2026-03-01T00:00:00Z"];

/// Simulates one small worksite over three days.
fn simulate(database: &Database, brand: &str, seed: &str) -> String {
    let size = ["--days", "3", "--projects", "1", "--sites", "1", "--machines", "3", "--people", "8"];
    let rest = ["--gps-interval-s", "300", "--brand", brand, "--seed", seed];
    expect_success(&run(database, &[&["simulate"], &size[..], &rest, &UNTIL_OPTION].concat(), ""))
}

/// Returns all facts without the times at which they were stored.
async fn read_facts(database: &Database, tables: &[(&str, &str)]) -> BTreeMap<String, Vec<String>> {
    let mut facts = BTreeMap::new();
    for (table, columns) in tables {
        let query = format!("select concat_ws(' ', {columns}) as facts from {table} order by facts");
        facts.insert((*table).to_owned(), query_raw_sql(database, &query).await);
    }
    facts
}

const COLUMNS_WITH_IDS: [(&str, &str); 9] = [
    ("incursions", "id, seq, base_station_id, uid, tag_id, operator_tag_id, started_at, ended_at, acknowledged_at, zone,
        closest_cm, lat_e7, lon_e7, machine_id, pedestrian_id, operator_id, worksite_id, project_id, local_day,
        local_minute, cell, received_at"),
    ("runtime_pieces", "id, seq, base_station_id, started_at, ended_at, operator_tag_id, machine_id, operator_id, local_day"),
    ("runtime_reports", "base_station_id, started_at, operator_tag_id, ended_at, received_at, last_received_at"),
    ("gps_chunks", "base_station_id, quarter, fixes, first_at, last_at, length(bytes)"),
    ("device_events", "id, base_station_id, kind, uid, at, code, tag_id, details, received_at"),
    ("tag_tests", "id, tag_id, tester_device_id, person_id, tested_at, battery_percent"),
    ("tag_assignments", "id, tag_id, person_id, assigned_at, ended_at"),
    ("visitor_sessions", "id, person_id, worksite_id, checked_in_at, checked_out_at"),
    ("installations", "id, base_station_id, machine_id, from_at, to_at"),
];

async fn the_same_seed_is_the_same_world(engine: Engine) {
    let (one, same, other) = (Database::empty(engine), Database::empty(engine), Database::empty(engine));
    let said = simulate(&one, "Acme", "7");
    assert!(said.contains("3 machines") && said.contains("incursions per second"), "{said}");
    assert!(said.contains("password"), "the first admin is shown: {said}");
    simulate(&same, "Acme", "7");
    simulate(&other, "Acme", "8");
    let world = read_facts(&one, &COLUMNS_WITH_IDS).await;
    assert!(world["incursions"].len() > 200, "{}", world["incursions"].len());
    assert!(!world["runtime_pieces"].is_empty() && !world["gps_chunks"].is_empty());
    assert!(!world["tag_tests"].is_empty() && !world["device_events"].is_empty());
    assert_eq!(world, read_facts(&same, &COLUMNS_WITH_IDS).await);
    assert_ne!(world["incursions"], read_facts(&other, &COLUMNS_WITH_IDS).await["incursions"]);
    // Every fact is attributed, except where there is no machine or nobody wore the tag.
    let lost =
        "select cast(count(*) as text) from incursions where machine_id is null or pedestrian_id is null
        or worksite_id is null or project_id is null or cell is null";
    assert_eq!(query_raw_sql(&one, lost).await, ["0"]);
    let said = expect_failure_after_start(&one, &["--brand", "ACME"]);
    assert!(said.contains("already has machines"), "{said}");
    for (options, reason) in [
        (vec!["--brand", "New", "--people", "3"], "people must be from"),
        (vec!["--brand", "New", "--until", "2999-01-01T00:00:00Z"], "future"),
    ] {
        let said = expect_failure(&run(&one, &[&["simulate"][..], &options].concat(), ""));
        assert!(said.contains(reason), "{said}");
    }
}

fn expect_failure_after_start(database: &Database, options: &[&str]) -> String {
    let output = run(database, &[&["simulate", "--days", "1"], options].concat(), "");
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

const COLUMNS_WITHOUT_IDS: [(&str, &str); 5] = [
    (
        "incursions",
        "base_station_id, uid, tag_id, started_at, ended_at, acknowledged_at, zone, machine_id, received_at",
    ),
    ("runtime_pieces", "base_station_id, started_at, ended_at, operator_tag_id, machine_id"),
    ("runtime_reports", "base_station_id, started_at, ended_at, received_at, last_received_at"),
    ("device_events", "base_station_id, kind, uid, at"),
    ("tag_tests", "tag_id, tester_device_id, person_id, tested_at, passed"),
];

/// Makes the simulation look killed: half of the facts are missing, and the log does not say that it is complete.
async fn fake_interruption(database: &Database) {
    let statements = "update audit_log set action = 'simulation.lost' where action = 'simulation.completed';
        delete from incursions where id > 100; delete from device_events where id > 10;
        delete from runtime_pieces where id > 5; delete from runtime_reports where started_at > 0;
        delete from tag_tests where id > 7";
    execute_raw_sql(database, statements).await.unwrap();
}

async fn what_was_interrupted_is_completed(engine: Engine) {
    let database = Database::empty(engine);
    simulate(&database, "Demo", "7");
    let world = read_facts(&database, &COLUMNS_WITHOUT_IDS).await;
    drop_audit_triggers(&database).await;
    fake_interruption(&database).await;
    assert_ne!(world, read_facts(&database, &COLUMNS_WITHOUT_IDS).await);
    // Completed by the same command, whatever its options are now.
    let said =
        expect_success(&run(&database, &["simulate", "--brand", "demo", "--days", "90", "--seed", "3"], ""));
    assert!(said.contains("Completing") && said.contains("seed 7"), "{said}");
    assert_eq!(world, read_facts(&database, &COLUMNS_WITHOUT_IDS).await);
    fake_interruption(&database).await;
    // Completed by a start with a demo.
    let (status, log) = Process::serve_with(program(), &database, &[], &["--demo"]).stop("-TERM");
    assert!(status.success(), "{log}");
    assert_eq!(world, read_facts(&database, &COLUMNS_WITHOUT_IDS).await);
    // A complete simulation is not repeated.
    let before = testkit::count_rows(&database).await;
    let (status, log) = Process::serve_with(program(), &database, &[], &["--demo"]).stop("-TERM");
    assert!(status.success(), "{log}");
    let after = testkit::count_rows(&database).await;
    assert_eq!((before["incursions"], before["audit_log"]), (after["incursions"], after["audit_log"]));
}

/// What is known of devices after all events, in whatever order they came. Since when a station was online that is silent now depends on
/// the order, and nobody is shown it.
const COLUMNS_OF_DEVICES: [(&str, &str); 5] = [
    (
        "base_stations",
        "id, firmware, faults, faulty_since, last_seen_at, told_at,
            case when last_seen_at > 1771804800000000 then online_since end",
    ),
    ("base_station_zones", "base_station_id, antenna, warning_cm, danger_cm, from_at, to_at"),
    ("station_positions", "base_station_id, at, lat_e7, lon_e7"),
    ("tags", "id, battery_percent, battery_at, last_seen_at"),
    ("gps_chunks", "base_station_id, quarter, fixes, first_at, last_at"),
];

/// Two months of a small worksite.
const SMALL_DEMO: [&str; 19] = [
    "simulate",
    "--brand",
    "Demo",
    "--days",
    "60",
    "--projects",
    "1",
    "--sites",
    "1",
    "--machines",
    "4",
    "--people",
    "10",
    "--gps-interval-s",
    "600",
    "--seed",
    "7",
    "--until",
    "2026-03-01T00:00:00Z",
];

/// Leaves a simulation as a demo is that has a registry and no facts yet: it fails at its first facts, and continues with the newest.
async fn begin_small_demo(database: &Database) {
    expect_success(&run(database, &["migrate"], ""));
    execute_raw_sql(database, "alter table tag_tests rename to tag_tests_away").await.unwrap();
    let failed = run(database, &SMALL_DEMO, "");
    assert!(!failed.status.success(), "{}", String::from_utf8_lossy(&failed.stdout));
    execute_raw_sql(database, "alter table tag_tests_away rename to tag_tests").await.unwrap();
    drop_audit_triggers(database).await;
    let newest_first =
        "update audit_log set details = replace(details, '\"newest_first\":false', '\"newest_first\":true')
        where action = 'simulation.begun'";
    execute_raw_sql(database, newest_first).await.unwrap();
}

const IS_COMPLETE: &str =
    "select cast(count(*) as text) from audit_log where action = 'simulation.completed'";

/// Serves until a demo is complete, and returns the log.
async fn complete_demo(database: &Database, options: &[&str]) -> String {
    let process = Process::serve_with(program(), database, &[], options);
    for _ in 0..1_200 {
        if query_raw_sql(database, IS_COMPLETE).await != ["0"] {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let (status, log) = process.stop("-TERM");
    assert!(status.success() && !log.contains("ERROR"), "{log}");
    assert_eq!(query_raw_sql(database, IS_COMPLETE).await, ["1"], "{log}");
    log
}

async fn a_demo_serves_its_newest_week_before_the_others(engine: Engine) {
    let (whole, demo) = (Database::empty(engine), Database::empty(engine));
    expect_success(&run(&whole, &SMALL_DEMO, ""));
    begin_small_demo(&demo).await;
    let count = async |query: &str| -> usize { query_raw_sql(&demo, query).await[0].parse().unwrap() };
    let loaded_weeks = "select cast(count(*) as text) from audit_log where action = 'simulation.loaded'";
    let incursions = "select cast(count(*) as text) from incursions";

    // It serves the newest week, and is killed before it has the others.
    let killed = Process::serve_with(program(), &demo, &[], &["--demo"]);
    let answer = killed.send_raw("GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    killed.stop("-KILL");
    assert_eq!(count(IS_COMPLETE).await, 0);
    let (weeks, some) = (count(loaded_weeks).await, count(incursions).await);
    let all = read_facts(&whole, &COLUMNS_WITHOUT_IDS).await["incursions"].len();
    assert!((1..9).contains(&weeks) && some > 0 && some < all, "{weeks} weeks, {some} of {all}");
    // The newest came first: what happened since Monday, 23 February, is all there.
    let newest = "select cast(count(*) as text) from incursions where started_at > 1771804800000000";
    let expected = query_raw_sql(&whole, newest).await;
    assert_eq!(query_raw_sql(&demo, newest).await, expected);

    // Stopped in the middle once more, it says so; the last start completes it.
    let (status, _) = Process::serve_with(program(), &demo, &[], &["--demo"]).stop("-TERM");
    assert!(status.success());
    let log = complete_demo(&demo, &["--demo"]).await;
    assert!(!log.contains("left out"), "{log}");
    // Nothing is missing or doubled.
    for columns in [&COLUMNS_WITHOUT_IDS[..], &COLUMNS_OF_DEVICES] {
        let (found, expected) = (read_facts(&demo, columns).await, read_facts(&whole, columns).await);
        for (table, _) in columns {
            assert!(found[*table] == expected[*table], "{table} differ");
        }
    }
    assert_eq!(count(loaded_weeks).await, 9);
    assert_eq!((count(IS_COMPLETE).await, count("select cast(count(*) as text) from brands").await), (1, 1));
    for table in ["alert_firings", "alert_deliveries"] {
        assert_eq!(count(&format!("select cast(count(*) as text) from {table}")).await, 0);
    }
    // A complete demo is served at once, without a word about its history.
    let (status, log) = Process::serve_with(program(), &demo, &[], &["--demo"]).stop("-TERM");
    assert!(status.success() && !log.contains("history"), "{log}");
}

/// Whoever tries the demo renames things, and starts it later without its option.
async fn a_changed_demo_is_completed_by_any_start(engine: Engine) {
    let demo = Database::empty(engine);
    begin_small_demo(&demo).await;
    let changes = "update brands set name = 'Own name'; update base_stations set serial = 'OTHER', serial_key = 'other' where id = 1";
    execute_raw_sql(&demo, changes).await.unwrap();
    let log = complete_demo(&demo, &[]).await;
    assert!(log.contains("events of Own name were left out"), "{log}");
    let stations = "select cast(base_station_id as text) from incursions group by base_station_id order by 1";
    assert_eq!(query_raw_sql(&demo, stations).await, ["2", "3", "4"]);
}

/// Whoever did not ask for the demo is served all the same.
async fn a_demo_that_cannot_be_continued_stops_no_start(engine: Engine) {
    let demo = Database::empty(engine);
    begin_small_demo(&demo).await;
    let is_ready = |process: &Process| {
        let answer = process.send_raw("GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        answer.starts_with("HTTP/1.1 200")
    };
    // Its first week cannot be loaded, and is tried again.
    execute_raw_sql(&demo, "alter table tag_tests rename to tag_tests_away").await.unwrap();
    let process = Process::serve_with(program(), &demo, &[], &[]);
    assert!(is_ready(&process));
    execute_raw_sql(&demo, "alter table tag_tests_away rename to tag_tests").await.unwrap();
    let incursions = "select cast(count(*) as text) from incursions";
    for _ in 0..1_200 {
        if query_raw_sql(&demo, incursions).await != ["0"] {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let (status, log) = process.stop("-TERM");
    assert!(status.success(), "{log}");
    assert_ne!(query_raw_sql(&demo, incursions).await, ["0"], "it is loaded beside the service: {log}");

    // A worker knows nothing of what another process loads.
    let (status, log) = Process::start_worker(program(), &demo, &[]).stop("-TERM");
    assert!(status.success() && log.contains("the history of Demo is not complete"), "{log}");

    // Another version has begun it.
    let other_plan = "update audit_log set details = replace(details, '\"seed\"', '\"sown\"') where action = 'simulation.begun'";
    execute_raw_sql(&demo, other_plan).await.unwrap();
    let process = Process::serve_with(program(), &demo, &[], &[]);
    assert!(is_ready(&process));
    let (status, log) = process.stop("-TERM");
    assert!(status.success(), "{log}");
}

async fn a_demo_is_only_for_an_empty_database(engine: Engine) {
    let database = Database::empty(engine);
    expect_success(&run(&database, &["brand", "create", "Acme"], ""));
    let (status, log) = Process::serve_with(program(), &database, &[], &["--demo"]).stop("-TERM");
    assert!(status.success(), "{log}");
    let counts = testkit::count_rows(&database).await;
    assert_eq!((counts["brands"], counts["machines"], counts["incursions"]), (1, 0, 0));
}
