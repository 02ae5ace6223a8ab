//! Video through the real program with curl: uploads of a device and requests of a player.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testkit::{Database, Engine, PASSWORD, Process};

use crate::program;
use crate::video::mp4;

const EMAIL: &str = "ada@example.com";

/// A server with a station and a requested clip.
struct Installation {
    server: Process,
    folder: TempDir,
    token: String,
    database: Database,
}

impl Installation {
    fn new() -> Self {
        let database = Database::empty(Engine::Sqlite);
        let run = |arguments: &[&str], input: &str| {
            let output = Process::run(program(), &database, arguments, input);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        run(&["brand", "create", "Acme"], "");
        let create =
            ["user", "create", "--brand", "Acme", "--email", EMAIL, "--role", "admin", "--password-stdin"];
        run(&create, PASSWORD);
        let server = Process::serve(program(), &database, &[]);
        let folder = testkit::temporary_folder();
        let mut made = Self { server, folder, token: String::new(), database };
        made.post("session", &json!({ "email": EMAIL, "password": PASSWORD }));
        made.post("base_stations", &json!({ "serial": "BS-1", "cameras": ["front"] }));
        made.token =
            made.post("admin/base_stations/1/token", &json!({}))["token"].as_str().unwrap().to_owned();
        made
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address)
    }

    /// Runs curl and returns the status, the headers and the path of the body.
    fn curl(&self, arguments: &[&str]) -> (u16, String, PathBuf) {
        testbed::needs_fetched("curl");
        let (jar, head, body) = (self.file("jar"), self.file("head"), self.file("body"));
        let _ = fs::remove_file(&body);
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--write-out", "%{http_code}"])
            .arg("--cookie-jar")
            .arg(&jar)
            .arg("--cookie")
            .arg(&jar)
            .arg("--dump-header")
            .arg(&head)
            .arg("--output")
            .arg(&body)
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        let status = String::from_utf8(output.stdout).unwrap().parse().unwrap();
        (status, fs::read_to_string(head).unwrap().to_lowercase(), body)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let url = self.url(&format!("/api/v1/{path}"));
        let (status, _, answer) =
            self.curl(&["--header", "content-type: application/json", "--data", &body.to_string(), &url]);
        let answer = fs::read_to_string(answer).unwrap();
        assert_eq!(status, 201, "{answer}");
        serde_json::from_str(&answer).unwrap()
    }

    /// Requests a clip of earlier video and returns its id.
    fn request_clip(&self) -> i64 {
        // The server uses the real clock, so the clip is an hour before the present.
        let now = domain::Clock::System.now();
        let from = now - domain::Span::seconds(3_600);
        let body = json!({ "from": from, "to": from + domain::Span::seconds(30) });
        self.post("base_stations/1/video_clips", &body)["id"].as_i64().unwrap()
    }

    /// Uploads a file as the video of a clip.
    fn upload(&self, clip: i64, file: &Path, sha256: &str) -> u16 {
        let (authorization, hash) =
            (format!("authorization: Bearer {}", self.token), format!("x-content-sha256: {sha256}"));
        let url = self.url(&format!("/ingest/v1/video_clips/{clip}/content"));
        let file = file.to_string_lossy();
        self.curl(&["--header", &authorization, "--header", &hash, "--upload-file", &file, &url]).0
    }
}

/// Writes a file of this size that begins like an MP4 file and returns its SHA-256.
fn large_mp4(path: &Path, size: usize) -> String {
    let (mut file, mut hash) = (File::create(path).unwrap(), Sha256::new());
    let mut piece = mp4(1 << 20);
    for index in 0..size >> 20 {
        piece[100..108].copy_from_slice(&index.to_be_bytes());
        file.write_all(&piece).unwrap();
        hash.update(&piece);
        piece[..4].copy_from_slice(b"more");
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_at(path: &Path, start: u64, length: usize) -> Vec<u8> {
    let mut file = File::open(path).unwrap();
    file.seek(SeekFrom::Start(start)).unwrap();
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes).unwrap();
    bytes
}

#[test]
fn the_largest_clip_comes_and_goes_without_being_held_in_memory() {
    let installation = Installation::new();
    let (video, size) = (installation.file("video.mp4"), 256 << 20);
    let sha256 = large_mp4(&video, size);
    let clip = installation.request_clip();
    let before = installation.server.peak_resident_kib();
    assert_eq!(installation.upload(clip, &video, &sha256), 200);
    let (status, _, body) =
        installation.curl(&[&installation.url(&format!("/api/v1/video_clips/{clip}/content"))]);
    assert_eq!(status, 200);
    let grown = installation.server.peak_resident_kib() - before;
    assert!(grown < 48 * 1024, "{grown} KiB more for a clip of {} KiB", size >> 10);
    let (mut sent, mut got) = (Sha256::new(), Sha256::new());
    std::io::copy(&mut File::open(&video).unwrap(), &mut HashWriter(&mut sent)).unwrap();
    std::io::copy(&mut File::open(&body).unwrap(), &mut HashWriter(&mut got)).unwrap();
    assert_eq!(sent.finalize(), got.finalize());
    // One more byte is too many.
    File::options().append(true).open(&video).unwrap().write_all(b"x").unwrap();
    assert_eq!(installation.upload(installation.request_clip(), &video, &sha256), 413);
}

struct HashWriter<'a>(&'a mut Sha256);

impl Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn curl_gets_the_ranges_it_asks_for() {
    let installation = Installation::new();
    let (video, size) = (installation.file("video.mp4"), 3_u64 << 20);
    let sha256 = large_mp4(&video, 3 << 20);
    let clip = installation.request_clip();
    assert_eq!(installation.upload(clip, &video, &sha256), 200);
    // Uploaded again when it is complete.
    assert_eq!(installation.upload(clip, &video, &sha256), 200);
    let url = installation.url(&format!("/api/v1/video_clips/{clip}/content"));
    for (range, start, length) in [
        ("0-0", 0, 1),
        ("0-", 0, size),
        ("1000000-1000099", 1_000_000, 100),
        ("-65536", size - 65_536, 65_536),
        ("3145727-", size - 1, 1),
    ] {
        let (status, head, body) = installation.curl(&["--range", range, &url]);
        assert_eq!(status, 206, "{range}");
        let last = start + length - 1;
        assert!(head.contains(&format!("content-range: bytes {start}-{last}/{size}\r\n")), "{head}");
        assert!(head.contains(&format!("content-length: {length}\r\n")), "{head}");
        assert!(
            fs::read(&body).unwrap() == bytes_at(&video, start, usize::try_from(length).unwrap()),
            "{range}"
        );
    }
    let (status, head, _) = installation.curl(&["--range", "3145728-", &url]);
    assert_eq!(status, 416);
    assert!(head.contains(&format!("content-range: bytes */{size}\r\n")), "{head}");
    let (status, _, body) = installation.curl(&["--range", "0-1,4-5", &url]);
    assert_eq!((status, fs::metadata(body).unwrap().len()), (200, size));
    let (status, head, _) = installation.curl(&["--head", &url]);
    assert_eq!(status, 200);
    for line in
        [format!("content-length: {size}"), format!("etag: \"{sha256}\""), "accept-ranges: bytes".to_owned()]
    {
        assert!(head.contains(&format!("{line}\r\n")), "{line} in {head}");
    }
    let known = format!("if-none-match: \"{sha256}\"");
    assert_eq!(installation.curl(&["--header", &known, &url]).0, 304);

    // An interrupted download continues where it stopped, with the same version.
    let part = installation.file("part");
    fs::write(&part, bytes_at(&video, 0, 1_000_000)).unwrap();
    let if_range = format!("if-range: \"{sha256}\"");
    let output = Command::new("curl")
        .args(["--silent", "--show-error", "--fail", "--continue-at", "-", "--header", &if_range, "--cookie"])
        .arg(installation.file("jar"))
        .arg("--output")
        .arg(&part)
        .arg(&url)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read(&part).unwrap() == fs::read(&video).unwrap());
}

#[test]
fn a_killed_server_leaves_no_half_clip() {
    let installation = Installation::new();
    let video = installation.file("video.mp4");
    let sha256 = large_mp4(&video, 64 << 20);
    let clip = installation.request_clip();
    let authorization = format!("authorization: Bearer {}", installation.token);
    let url = installation.url(&format!("/ingest/v1/video_clips/{clip}/content"));
    let mut sending = Command::new("curl")
        .args(["--silent", "--limit-rate", "4M", "--header", &authorization, "--header"])
        .args([&format!("x-content-sha256: {sha256}"), "--upload-file"])
        .arg(&video)
        .arg(&url)
        .spawn()
        .unwrap();
    let objects = installation.database.folder().join("blobs");
    // A part of it has been written.
    let files = || files_in(&objects);
    while !files().iter().any(|path| fs::metadata(path).is_ok_and(|about| about.len() > 1 << 20)) {
        std::thread::yield_now();
    }
    let Installation { server, folder, token, database } = installation;
    server.stop("-KILL");
    let _ = sending.wait();
    // The rest has a temporary name and is not visible anywhere.
    assert!(files_in(&objects).iter().all(|path| path.to_string_lossy().contains('#')));
    let server = Process::serve(program(), &database, &[]);
    let installation = Installation { server, folder, token, database };
    let url = installation.url(&format!("/api/v1/video_clips/{clip}/content"));
    assert_eq!(installation.curl(&[&url]).0, 409);
    assert_eq!(installation.upload(clip, &video, &sha256), 200);
    let (status, _, body) = installation.curl(&[&url]);
    assert_eq!(status, 200);
    assert!(fs::read(body).unwrap() == fs::read(video).unwrap());
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect()
}
