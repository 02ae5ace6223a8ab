//! Saved columns after a killed process: the next process returns the same numbers from whatever was saved.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::{Database, Engine, Process, on_both_engines};

use crate::program;

on_both_engines!(killed_whenever_it_is_the_next_start_gives_the_same_numbers);

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "plum wagon sixty tiles";

const QUESTIONS: [&str; 3] = [
    r#"{"rows":["machine","day"],"measures":["incursions","acknowledged","average_duration","runtime_hours"]}"#,
    r#"{"rows":["pedestrian","zone"],"measures":["incursions","median_duration","machines"]}"#,
    r#"{"rows":["hour_of_day"],"columns":["day_of_week"],"measures":["incursions","exposure"]}"#,
];

fn run(database: &Database, arguments: &[&str], input: &str) -> String {
    let output = Process::run(program(), database, arguments, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn post(server: &Process, path: &str, token: &str, body: &str) -> String {
    let authorization =
        if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let answer = server.send_raw(&format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{authorization}Content-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    ));
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    answer
}

/// Returns the numbers of all questions, without their periods, which move with the clock.
pub fn read_figures(server: &Process) -> Vec<Value> {
    let answer =
        post(server, "/api/v2/login", "", &format!("{{\"email\":\"{EMAIL}\",\"password\":\"{PASSWORD}\"}}"));
    let token = answer.lines().find_map(|line| line.strip_prefix("accesstoken: ")).unwrap();
    let ask = |question: &&str| {
        let from = question.replacen('{', r#"{"filters":{"from":"2026-01-01"},"#, 1);
        let answer = post(server, "/api/v2/advanced_insights/pivot", token, &from);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut pivot: Value = serde_json::from_str(body).unwrap();
        pivot["to"].take();
        pivot
    };
    QUESTIONS.iter().map(ask).collect()
}

/// Returns a database with the facts of a few days, and a user who may ask about them.
pub fn simulated_world(engine: Engine) -> Database {
    let database = Database::empty(engine);
    let world = [
        "simulate",
        "--brand",
        "Acme",
        "--days",
        "4",
        "--projects",
        "1",
        "--sites",
        "2",
        "--machines",
        "5",
        "--people",
        "20",
        "--gps-interval-s",
        "0",
        "--seed",
        "5",
        "--until",
        "2026-03-01T00:00:00Z",
    ];
    run(&database, &world, "");
    let user = ["user", "create", "--brand", "Acme", "--email", EMAIL, "--role", "admin", "--password-stdin"];
    run(&database, &user, PASSWORD);
    database
}

async fn killed_whenever_it_is_the_next_start_gives_the_same_numbers(engine: Engine) {
    let database = simulated_world(engine);
    let gateway =
        run(&database, &["token", "issue", "--brand", "Acme", "--kind", "gateway", "--name", "G"], "");
    let by_rows = Process::serve(program(), &database, &[("KEEPCLEAR__ANALYTICS__ENGINE", "sql")]);
    let stations = find_station_serial(&by_rows);
    let mut counts = BTreeSet::new();
    for round in 0..4 {
        let server = Process::serve(program(), &database, &[]);
        // Built or read by the first question; later events are only in the database when the process is killed.
        let before = read_figures(&server);
        let event = format!(
            "[{{\"uid\":\"killed-{round}\",\"kind\":\"incursion\",\"base_station\":\"{stations}\",\"tag\":\"NEW-{round}\",\
             \"started_at\":\"2026-02-2{round}T10:00:00Z\",\"duration_ms\":4000,\"zone\":\"danger\"}}]"
        );
        assert!(post(&server, "/ingest/v1/events", &gateway, &event).contains("\"accepted\":1"));
        let known = read_figures(&server);
        assert_ne!(before, known, "its own writes are visible immediately");
        if round % 2 == 0 {
            wait_until_saved(&database);
        }
        let (status, _) = server.stop("-KILL");
        assert!(!status.success());
        let again = Process::serve(program(), &database, &[]);
        assert_eq!(read_figures(&again), known, "round {round}");
        assert_eq!(read_figures(&by_rows), known, "round {round}");
        again.stop("-KILL");
        counts.insert(known[0]["totals"]["total"][0][0].to_string());
    }
    assert_eq!(counts.len(), 4);
}

/// Returns the serial number of a station that is installed on a machine.
fn find_station_serial(server: &Process) -> String {
    let body = format!("{{\"email\":\"{EMAIL}\",\"password\":\"{PASSWORD}\"}}");
    let answer = server.send_raw(&format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    ));
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let answer = server.send_raw(&format!(
        "GET /api/v1/base_stations?limit=1&installed=true HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    ));
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let list: Value = serde_json::from_str(body).unwrap();
    list["data"][0]["serial"].as_str().unwrap().to_owned()
}

/// Waits until columns have been saved. Their objects are files here.
fn wait_until_saved(database: &Database) {
    let columns = database.folder().join("blobs/columns-3");
    // The outline is written last, and the manifest names it right after.
    let is_saved = || {
        let brands = std::fs::read_dir(&columns).into_iter().flatten().flatten();
        brands.into_iter().any(|brand| brand.path().join("0").exists())
    };
    while !is_saved() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
