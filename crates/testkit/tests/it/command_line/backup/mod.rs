//! `keepclear backup`, `restore` and `check --backup`.

mod alerts;
mod damage;
mod destinations;
mod reports;
mod round_trip;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Database, Engine, PASSWORD, Process, query_raw_sql};

use super::{expect_failure, expect_success, run};
use crate::program;
use crate::video::{mp4, sha256};

const EMAIL: &str = "ada@example.com";

struct HttpResponse {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl HttpResponse {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.head))
    }
}

/// Calls a server; `None` if it did not answer.
fn call(address: SocketAddr, request: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<HttpResponse> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    let mut head =
        format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let end = answer.windows(4).position(|some| some == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(HttpResponse { status, head, body: answer[end + 4..].to_vec() })
}

/// An installation with a user, a station and a folder for backups.
struct Installation {
    database: Database,
    folder: TempDir,
}

/// Credentials of a user and a station.
struct Credentials {
    cookie: String,
    token: String,
}

impl Installation {
    fn new(engine: Engine) -> Self {
        let database = Database::empty(engine);
        expect_success(&run(&database, &["brand", "create", "Acme"], ""));
        let user =
            ["user", "create", "--brand", "Acme", "--email", EMAIL, "--role", "admin", "--password-stdin"];
        expect_success(&run(&database, &user, PASSWORD));
        Self { database, folder: testkit::temporary_folder() }
    }

    fn serve(&self) -> Process {
        Process::serve(program(), &self.database, &[("KEEPCLEAR__LIMITS__INGEST_PER_MINUTE", "10000000")])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a backup with this name.
    fn backup(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let said = expect_success(&run(&self.database, &["backup", path.to_str().unwrap()], ""));
        assert!(said.starts_with("Backed up "), "{said}");
        path
    }
}

/// Signs in, and returns the cookie.
fn sign_in(server: &Process) -> String {
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let answer = post(server, "", "/api/v1/session", &login);
    let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

/// Signs in, and registers a station with a camera.
fn sign_in_and_register(server: &Process) -> Credentials {
    let cookie = sign_in(server);
    post(server, &cookie, "/api/v1/base_stations", &json!({ "serial": "ST-1", "cameras": ["front"] }));
    let issued = post(server, &cookie, "/api/v1/admin/base_stations/1/token", &json!({}));
    Credentials { token: issued.json()["token"].as_str().unwrap().to_owned(), cookie }
}

fn post(server: &Process, cookie: &str, path: &str, body: &Value) -> HttpResponse {
    let headers = [("content-type", "application/json"), ("cookie", cookie)];
    let headers = if cookie.is_empty() { &headers[..1] } else { &headers[..] };
    let answer = call(server.address, &format!("POST {path}"), headers, body.to_string().as_bytes()).unwrap();
    assert_eq!(answer.status, 201, "{path}: {}", String::from_utf8_lossy(&answer.body));
    answer
}

fn get(server: &Process, cookie: &str, path: &str) -> Vec<u8> {
    let answer = call(server.address, &format!("GET {path}"), &[("cookie", cookie)], b"").unwrap();
    assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
    answer.body
}

/// Uploads a clip from the station and returns the clip's id and bytes.
fn upload_clip(server: &Process, access: &Credentials, size: usize) -> (i64, Vec<u8>) {
    let from = domain::Clock::System.now() - domain::Span::seconds(3_600);
    let asked = json!({ "from": from, "to": from + domain::Span::seconds(30) });
    let clip = post(server, &access.cookie, "/api/v1/base_stations/1/video_clips", &asked).json();
    let (id, video) = (clip["id"].as_i64().unwrap(), mp4(size));
    let (bearer, hash) = (format!("Bearer {}", access.token), sha256(&video));
    let headers = [("authorization", &*bearer), ("x-content-sha256", &*hash), ("content-type", "video/mp4")];
    let request = format!("PUT /ingest/v1/video_clips/{id}/content");
    let answer = call(server.address, &request, &headers, &video).unwrap();
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    (id, video)
}

/// A stopped installation with an incursion, two clips, and a person with a note.
fn stopped_installation(engine: Engine) -> Installation {
    let installation = Installation::new(engine);
    let server = installation.serve();
    let access = sign_in_and_register(&server);
    upload_clip(&server, &access, 10_000);
    upload_clip(&server, &access, 600_000);
    // Text with characters that are special in dumps.
    post(&server, &access.cookie, "/api/v1/people", &json!({ "kind": "staff", "name": "\\N \"Ä\", 1" }));
    let note = json!({ "entity_type": "person", "entity_id": 1, "body": "a\tb\\t\n\\.\nCOPY public.people (id) FROM stdin;" });
    post(&server, &access.cookie, "/api/v1/notes", &note);
    let event = json!([{ "uid": "1", "kind": "incursion", "tag": "T-1", "started_at": "2026-03-01T08:00:00Z",
        "zone": "warning" }]);
    let bearer = format!("Bearer {}", access.token);
    let headers = [("authorization", &*bearer), ("content-type", "application/json")];
    let sent =
        call(server.address, "POST /ingest/v1/events", &headers, event.to_string().as_bytes()).unwrap();
    assert_eq!(sent.json()["accepted"], 1, "{}", sent.json());
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
    installation
}

fn manifest(backup: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(backup.join("manifest.json")).unwrap()).unwrap()
}

/// Changes the text of a manifest and computes its checksum again, as someone who knows the format would.
fn forge_manifest(backup: &Path, change: impl FnOnce(String) -> String) {
    let path = backup.join("manifest.json");
    let text = change(fs::read_to_string(&path).unwrap());
    let (before, _) = text.rsplit_once("\"seal\": \"").unwrap();
    let open = format!("{before}\"seal\": \"\"\n}}\n");
    fs::write(&path, format!("{before}\"seal\": \"{}\"\n}}\n", sha256(open.as_bytes()))).unwrap();
}

/// Returns all files below a folder.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in files_in(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&path, target).unwrap();
    }
}

/// Returns whether a database has no tables and its data folder no files.
async fn is_empty_installation(database: &Database) -> bool {
    let is_empty = if database.url().starts_with("sqlite:") {
        true
    } else {
        query_raw_sql(database, "select tablename::text from pg_tables where schemaname = current_schema()")
            .await
            .is_empty()
    };
    is_empty && files_in(&database.folder()).is_empty()
}

/// Returns the checksums of a manifest's tables, without those that a restore writes to or leaves empty.
fn table_checksums(manifest: &Value) -> BTreeMap<String, Value> {
    let tables = manifest["tables"].as_object().unwrap().clone();
    let written = ["audit_log", "audit_unsealed", "hosts", "installation"];
    tables.into_iter().filter(|(name, _)| !written.contains(&&**name)).collect()
}
