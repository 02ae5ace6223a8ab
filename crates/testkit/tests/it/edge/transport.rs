//! HTTPS: strict transport security, and the warning when the public URL is not secure.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use testkit::{Database, Engine, TestApp};

use crate::program;

#[test]
fn browsers_are_told_to_stay_with_https() {
    testkit::run(Engine::Sqlite, |engine: Engine| async move {
        for (url, subdomains, expected) in [
            ("https://safety.example.com", false, "max-age=31536000"),
            ("https://safety.example.com", true, "max-age=31536000; includeSubDomains"),
            ("http://safety.example.com", true, ""),
        ] {
            let app = TestApp::start_with(engine, |config| {
                config.server.public_url = url.to_owned();
                config.server.hsts_include_subdomains = subdomains;
            })
            .await;
            let reply = app.get("/health/live").send().await.expect(200);
            assert_eq!(reply.header("strict-transport-security"), expected);
        }
    });
}

/// Starts the server and tells whether it warns about plain HTTP before it serves.
fn logs_warning(url: &str) -> bool {
    let database = Database::empty(Engine::Sqlite);
    let mut child = Command::new(program())
        .arg("--data")
        .arg(database.folder())
        .args(["--database", database.url(), "serve", "--listen", "127.0.0.1:0"])
        .env("KEEPCLEAR__SERVER__PUBLIC_URL", url)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut warned = false;
    for line in lines {
        warned |= line.contains("WARN") && line.contains("plain http");
        if line.contains("serving on ") {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    warned
}

#[test]
fn plain_http_beyond_this_machine_is_warned_of_at_the_start() {
    assert!(logs_warning("http://safety.example.com"));
    assert!(!logs_warning("http://localhost:8080"));
    assert!(!logs_warning("https://safety.example.com"));
    assert!(!logs_warning(""));
}
