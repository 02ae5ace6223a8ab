//! A restored backup equals what was backed up.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use domain::{BaseStationId, BrandId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::Projects;
use testkit::{Database, Engine, Process, count_rows, execute_raw_sql, on_both_engines, query_raw_sql};

use super::*;

on_both_engines!(
    a_backup_under_load_has_all_that_was_accepted_before_and_comes_back,
    what_was_gone_when_it_was_backed_up_is_expired_when_it_is_restored,
    exports_come_back_with_their_files,
    saved_columns_are_left_out,
    an_older_backup_is_restored_and_brought_up_to_date,
);

/// Sends batches of incursions until it is stopped, and records those that were accepted.
fn send_until_stopped(
    address: SocketAddr,
    token: &str,
    next: &AtomicUsize,
    accepted: &Mutex<BTreeSet<String>>,
) -> bool {
    let first = next.fetch_add(40, Ordering::Relaxed);
    let uids: Vec<String> = (first..first + 40).map(|number| format!("u{number}")).collect();
    let event = |uid: &String| {
        json!({ "uid": uid, "kind": "incursion", "tag": "T-1", "started_at": "2026-03-01T08:00:00Z", "zone": "danger",
            "duration_ms": 1_000 })
    };
    let body = Value::from_iter(uids.iter().map(event)).to_string();
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", &*bearer), ("content-type", "application/json")];
    match call(address, "POST /ingest/v1/events", &headers, body.as_bytes()) {
        Some(answer) if answer.status == 200 => {
            assert_eq!(answer.json()["rejected"], json!([]));
            accepted.lock().unwrap().extend(uids);
            true
        }
        _ => false,
    }
}

async fn a_backup_under_load_has_all_that_was_accepted_before_and_comes_back(engine: Engine) {
    let installation = Installation::new(engine);
    let server = installation.serve();
    let access = sign_in_and_register(&server);
    let (clip, video) = upload_clip(&server, &access, 700_000);
    let accepted: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let (next, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let senders: Vec<_> = (0..3)
        .map(|_| {
            let (accepted, next, stop) = (Arc::clone(&accepted), Arc::clone(&next), Arc::clone(&stop));
            let (address, token) = (server.address, access.token.clone());
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    assert!(send_until_stopped(address, &token, &next, &accepted), "it goes on serving");
                }
            })
        })
        .collect();
    while accepted.lock().unwrap().len() < 400 {
        std::thread::yield_now();
    }
    let before: Vec<String> = accepted.lock().unwrap().iter().cloned().collect();
    let backup = installation.backup("first");
    let during = accepted.lock().unwrap().len();
    stop.store(true, Ordering::Relaxed);
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    assert!(during > before.len(), "it was under load");

    for path in files_in(&backup) {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
    for folder in [&backup, &backup.join("blobs/clips/1")] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
    let checked =
        expect_success(&run(&installation.database, &["check", "--backup", backup.to_str().unwrap()], ""));
    assert!(checked.contains("backup          good"), "{checked}");

    let restored = Database::empty(engine);
    let said = expect_success(&run(&restored, &["restore", backup.to_str().unwrap()], ""));
    assert!(said.contains("and 1 objects as of "), "{said}");
    let manifest_before = manifest(&backup);
    for (table, count) in count_rows(&restored).await {
        // The processes that ran when the backup was made do not run on what was restored.
        if table == "hosts" {
            assert_eq!(count, 0);
            continue;
        }
        let added = i64::from(matches!(&*table, "audit_log" | "audit_unsealed"));
        assert_eq!(json!(count - added), manifest_before["tables"][&table]["rows"], "{table}");
    }
    assert_stored(&restored, &before).await;
    let again = installation.path("again");
    expect_success(&run(&restored, &["backup", again.to_str().unwrap()], ""));
    assert_eq!(table_checksums(&manifest(&again)), table_checksums(&manifest_before));
    assert_eq!(manifest(&again)["objects"], manifest_before["objects"]);
    assert_eq!(manifest(&again)["installation"], manifest_before["installation"]);

    // Sessions are restored too, so both servers answer the same requests.
    let other = Process::serve(program(), &restored, &[]);
    for path in [
        "/api/v1/session",
        "/api/v1/admin/users",
        "/api/v1/incursions/1",
        &format!("/api/v1/video_clips/{clip}"),
        &format!("/api/v1/video_clips/{clip}/content"),
    ] {
        let (one, two) = (get(&server, &access.cookie, path), get(&other, &access.cookie, path));
        assert!(
            one == two,
            "{path}: {} and {}",
            String::from_utf8_lossy(&one),
            String::from_utf8_lossy(&two)
        );
    }
    assert!(get(&other, &access.cookie, &format!("/api/v1/video_clips/{clip}/content")) == video);

    // The restored installation accepts writes.
    let rows = count_rows(&restored).await["incursions"];
    next.store(1_000_000, Ordering::Relaxed);
    assert!(send_until_stopped(other.address, &access.token, &next, &accepted));
    assert_eq!(count_rows(&restored).await["incursions"], rows + 40);
    for (path, body) in [
        ("/api/v1/projects", json!({ "name": "After" })),
        ("/api/v1/base_stations", json!({ "serial": "ST-2" })),
        ("/api/v1/people", json!({ "kind": "staff", "name": "Grace" })),
    ] {
        post(&other, &access.cookie, path, &body);
    }
    assert!(upload_clip(&other, &access, 5_000).0 > clip);
    let (status, log) = other.stop("-TERM");
    assert!(status.success(), "{log}");
    let checked = expect_success(&run(&restored, &["check", "--deep"], ""));
    assert!(
        checked.contains("audit log       good") && checked.contains("2 clips are there, byte by byte"),
        "{checked}"
    );
    assert_eq!(
        query_raw_sql(&restored, "select action from audit_log where action = 'installation.restored'")
            .await
            .len(),
        1
    );
}

async fn assert_stored(database: &Database, uids: &[String]) {
    let (store, platform) = database.open().await;
    let scope = platform.scope(BrandId(1), Projects::All);
    let mut tx = store.read().await.unwrap();
    for some in uids.chunks(1_000) {
        let named: Vec<_> = some.iter().map(|uid| (BaseStationId(1), uid.as_str())).collect();
        assert_eq!(tx.incursions(&scope).by_uids(&named).await.unwrap().len(), some.len());
    }
    drop(tx);
    store.close().await;
}

async fn what_was_gone_when_it_was_backed_up_is_expired_when_it_is_restored(engine: Engine) {
    let installation = stopped_installation(engine);
    let objects = files_in(&installation.database.folder().join("blobs/clips/1/1"));
    fs::remove_file(&objects[0]).unwrap();
    let said = expect_failure(&run(&installation.database, &["check"], ""));
    assert!(said.contains("clip 1: the object clips/1/1/") && said.contains("is missing"), "{said}");
    let backup = installation.backup("backup");
    let manifest = manifest(&backup);
    let gone = manifest["gone"].as_array().unwrap();
    assert!(gone.len() == 1 && gone[0].as_str().unwrap().starts_with("clips/1/1/"), "{gone:?}");
    let restored = Database::empty(engine);
    expect_success(&run(&restored, &["restore", backup.to_str().unwrap()], ""));
    assert_eq!(
        query_raw_sql(&restored, "select state from video_clips order by id").await,
        ["expired", "available"]
    );
    assert!(expect_success(&run(&restored, &["check"], "")).contains("1 clips are there, with their sizes"));
}

/// Requests an export, waits for it and returns its id.
fn create_export(server: &Process, jwt: &str) -> i64 {
    let bearer = format!("Bearer {jwt}");
    let headers = [("authorization", &*bearer), ("content-type", "application/json")];
    let body = json!({ "kind": "incursions", "format": "csv" }).to_string();
    let path = "/api/v2/advanced_insights/exports";
    let asked = call(server.address, &format!("POST {path}"), &headers, body.as_bytes()).unwrap();
    assert_eq!(asked.status, 201, "{}", asked.json());
    let id = asked.json()["id"].as_i64().unwrap();
    loop {
        let shown = call(server.address, &format!("GET {path}/{id}"), &headers[..1], b"").unwrap().json();
        match shown["state"].as_str().unwrap() {
            "done" => return id,
            "queued" | "running" => std::thread::sleep(Duration::from_millis(50)),
            other => panic!("it is {other}: {shown}"),
        }
    }
}

async fn exports_come_back_with_their_files(engine: Engine) {
    let installation = stopped_installation(engine);
    let server = installation.serve();
    let login = json!({ "email": EMAIL, "password": PASSWORD }).to_string();
    let json = [("content-type", "application/json")];
    let answer = call(server.address, "POST /api/v2/login", &json, login.as_bytes()).unwrap();
    let jwt = answer.head.lines().find_map(|line| line.strip_prefix("accesstoken: ")).unwrap();
    assert_eq!((create_export(&server, jwt), create_export(&server, jwt)), (1, 2));
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
    assert!(
        expect_success(&run(&installation.database, &["check", "--deep"], ""))
            .contains("2 files are there, byte by byte")
    );

    let objects = files_in(&installation.database.folder().join("blobs/exports/1/1"));
    fs::remove_file(&objects[0]).unwrap();
    let said = expect_failure(&run(&installation.database, &["check"], ""));
    assert!(said.contains("export 1: the object exports/1/1/") && said.contains("is missing"), "{said}");
    let backup = installation.backup("backup");
    let gone = manifest(&backup)["gone"].clone();
    assert!(gone[0].as_str().unwrap().starts_with("exports/1/1/"), "{gone}");
    let restored = Database::empty(engine);
    expect_success(&run(&restored, &["restore", backup.to_str().unwrap()], ""));
    assert_eq!(query_raw_sql(&restored, "select state from exports order by id").await, ["expired", "done"]);
    assert!(
        expect_success(&run(&restored, &["check", "--deep"], "")).contains("1 files are there, byte by byte")
    );
    // All problems are reported together.
    testkit::drop_audit_triggers(&installation.database).await;
    let change = "update audit_log set actor_kind = 'user' where action = 'brand.created'";
    execute_raw_sql(&installation.database, change).await.unwrap();
    let said = expect_failure(&run(&installation.database, &["check"], ""));
    assert!(
        said.contains("export 1: the object exports/1/1/") && said.contains("after it was sealed"),
        "{said}"
    );
}

/// A database as an older program left it.
async fn older_database(engine: Engine) -> Database {
    let database = Database::empty(engine);
    let folder = if engine == Engine::Sqlite { "sqlite" } else { "postgres" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/migrations").join(folder);
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    if engine == Engine::Sqlite {
        fs::write(database.folder().join("keepclear.db"), "").unwrap();
    }
    let table = "create table schema_migrations
        (name text not null primary key, checksum text not null, applied_at bigint not null)";
    execute_raw_sql(&database, table).await.unwrap();
    for path in &names[..8] {
        let text = fs::read_to_string(path).unwrap();
        execute_raw_sql(&database, &text).await.unwrap();
        let checksum = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&text));
        let name = path.file_stem().unwrap().to_str().unwrap();
        let ran = format!("insert into schema_migrations values ('{name}', '{checksum}', 0)");
        execute_raw_sql(&database, &ran).await.unwrap();
    }
    let brand = "insert into brands (name, name_key, created_at, updated_at) values ('Old', 'old', 0, 0)";
    execute_raw_sql(&database, brand).await.unwrap();
    database
}

#[test]
fn the_same_rows_come_to_the_same_sums_on_both_engines() {
    testkit::run(Engine::Sqlite, async |_: Engine| {
        let mut manifests = Vec::new();
        for (engine, bytes) in [(Engine::Sqlite, "x'00ff'"), (Engine::Postgres, "'\\x00ff'")] {
            let (database, folder) = (older_database(engine).await, testkit::temporary_folder());
            let rows = format!(
                "insert into users (brand_id, email, email_key, name, name_key, role, state, restricted, created_at, updated_at)
                     values (1, 'Ä', 'ä', 'a, b', 't3:', 'admin', 'active', true, -1, 2),
                         (1, 'b', 'b', '', '', 'viewer', 'invited', false, 0, 0);
                 insert into brand_logos (brand_id, content_type, bytes, hash, updated_at)
                     values (1, 'image/png', {bytes}, {bytes}, 9223372036854775807)"
            );
            execute_raw_sql(&database, &rows).await.unwrap();
            let backup = folder.path().join("backup");
            expect_success(&run(&database, &["backup", backup.to_str().unwrap()], ""));
            // The text of a migration differs between the engines.
            let mut sums = table_checksums(&manifest(&backup));
            sums.remove("schema_migrations");
            assert_eq!((&sums["users"]["rows"], &sums["brand_logos"]["rows"]), (&json!(2), &json!(1)));
            manifests.push(sums);
        }
        assert_eq!(manifests[0], manifests[1]);
    });
}

async fn an_older_backup_is_restored_and_brought_up_to_date(engine: Engine) {
    let (database, folder) = (older_database(engine).await, testkit::temporary_folder());
    let backup = folder.path().join("old");
    expect_success(&run(&database, &["backup", backup.to_str().unwrap()], ""));
    assert_eq!(manifest(&backup)["migrations"].as_array().unwrap().len(), 8);
    let restored = Database::empty(engine);
    expect_success(&run(&restored, &["restore", backup.to_str().unwrap()], ""));
    assert!(expect_success(&run(&restored, &["check"], "")).contains("schema is current"));
    assert!(expect_success(&run(&restored, &["brand", "list"], "")).contains("Old"));
}

#[test]
fn objects_go_to_a_bucket_and_come_from_one() {
    let installation = stopped_installation(Engine::Sqlite);
    let first = installation.backup("first");
    // A server of its own, because the destination of a restore must be empty.
    let bucket = testbed::S3Server::start().unwrap();
    let config = installation.path("keepclear.toml");
    let text = format!(
        "[blobs]\nbackend = \"s3\"\n[blobs.s3]\nendpoint = \"{}\"\nbucket = \"{}\"\naccess_key = \"tester\"\n\
         secret_key = \"tester\"\nallow_http = true\n",
        bucket.endpoint(),
        testbed::S3Server::BUCKET
    );
    fs::write(&config, text).unwrap();
    let restored = Database::empty(Engine::Sqlite);
    let with_bucket = |database: &Database, arguments: &[&str]| {
        run(database, &[&["--config", config.to_str().unwrap()], arguments].concat(), "")
    };
    expect_success(&with_bucket(&restored, &["restore", first.to_str().unwrap()]));
    assert!(files_in(&restored.folder().join("blobs")).is_empty());
    let checked = expect_success(&with_bucket(&restored, &["check", "--deep"]));
    assert!(checked.contains("2 clips are there, byte by byte"), "{checked}");
    let second = installation.path("second");
    expect_success(&with_bucket(&restored, &["backup", second.to_str().unwrap()]));
    assert_eq!(manifest(&second)["objects"], manifest(&first)["objects"]);
    // The objects in the bucket are those of this backup. They are not those of another backup.
    expect_success(&with_bucket(&Database::empty(Engine::Sqlite), &["restore", second.to_str().unwrap()]));
    let others = stopped_installation(Engine::Sqlite);
    let other = others.backup("other");
    let said =
        expect_failure(&with_bucket(&Database::empty(Engine::Sqlite), &["restore", other.to_str().unwrap()]));
    assert!(said.contains("nothing was restored: there is an object clips/1/"), "{said}");
}

const MANIFESTS: &str = "select cast(count(*) as varchar) from saved_columns";

/// They are a copy of rows, which is made again.
async fn saved_columns_are_left_out(engine: Engine) {
    let installation = Installation::new(engine);
    let server = installation.serve();
    let access = sign_in_and_register(&server);
    let (next, accepted) = (AtomicUsize::new(0), Mutex::default());
    assert!(send_until_stopped(server.address, &access.token, &next, &accepted));
    get(&server, &access.cookie, "/api/v1/insights/totals");
    let columns = installation.database.folder().join("blobs/columns-3");
    // The outline, which is written after the parts.
    while !columns.join("1/0").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(query_raw_sql(&installation.database, MANIFESTS).await, ["1"]);
    let backup = installation.backup("first");
    assert!(!backup.join("blobs/columns-3").exists());
    let restored = Database::empty(engine);
    expect_success(&run(&restored, &["restore", backup.to_str().unwrap()], ""));
    assert_eq!(query_raw_sql(&restored, MANIFESTS).await, ["0"]);
    let other = Process::serve(program(), &restored, &[]);
    let question = "/api/v1/insights/breakdown?by=machine&from=2026-02-01&to=2026-04-01";
    let rows = |server: &Process| -> Value {
        let body: Value = serde_json::from_slice(&get(server, &access.cookie, question)).unwrap();
        body["rows"].clone()
    };
    assert!(rows(&server).is_array() && rows(&server) == rows(&other));
}
