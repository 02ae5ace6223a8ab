//! Chromium's driver, which speaks the protocol of WebDriver (<https://www.w3.org/TR/webdriver2/>): JSON over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

/// How long the end of a session may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a driver or a browser is started before the test gives up.
const MAX_STARTS: usize = 5;

/// A chromedriver on a free port.
pub struct Driver {
    child: Child,
    pub port: u16,
    /// The id of its session, once there is one.
    pub session: String,
}

impl Driver {
    /// Starts a driver. With port 0 it takes a port that is free for IPv4 and then the same one for IPv6, and ends if another
    /// program was faster; so it is started again.
    pub fn start() -> Self {
        testbed::needs_fetched("chromedriver");
        let started = (0..MAX_STARTS).find_map(|_| Self::try_start());
        started.unwrap_or_else(|| panic!("chromedriver ended at once {MAX_STARTS} times"))
    }

    fn try_start() -> Option<Self> {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("chromedriver cannot be run ({error}); see tools/ensure-chromium")
            });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, rest) = line.split_once("started successfully on port ")?;
            Some(rest.trim_end_matches('.').parse().unwrap())
        });
        let Some(port) = port else {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        };
        // The pipe must be drained, or the driver would block when it is full.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, port, session: String::new() })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // A driver that is killed leaves its browser behind.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let request = format!(
                "DELETE /session/{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                self.session
            );
            let _ = stream.set_read_timeout(Some(PATIENCE));
            let _ = stream.write_all(request.as_bytes());
            wait_for_reply(&mut stream);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads until the reply, a JSON object, is complete: the driver keeps the connection open.
fn wait_for_reply(stream: &mut TcpStream) {
    let (mut reply, mut part) = (Vec::new(), [0; 1024]);
    while !(reply.ends_with(b"}") && reply.windows(4).any(|four| four == b"\r\n\r\n")) {
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return,
            Ok(count) => reply.extend_from_slice(&part[..count]),
        }
    }
}

/// Starts a driver and its browser. A browser that does not come up in time on a busy machine is started again, with another driver.
pub async fn start_session(http: &reqwest::Client, wanted: &Value) -> Driver {
    let mut last_error = String::new();
    for _ in 0..MAX_STARTS {
        let mut driver = Driver::start();
        let address = format!("http://127.0.0.1:{}/session", driver.port);
        match call(http, Method::POST, &address, wanted).await {
            Ok(made) => {
                driver.session = made["sessionId"].as_str().unwrap().to_owned();
                return driver;
            }
            Err(error) => last_error = error,
        }
    }
    panic!("no browser could be started: {last_error}");
}

/// Returns the browser that the driver starts.
pub fn chromium() -> &'static str {
    let places = ["/usr/bin/chromium", "/usr/bin/google-chrome"];
    let found = places.into_iter().find(|place| Path::new(place).exists());
    found.unwrap_or_else(|| panic!("there is no Chromium; see tools/ensure-chromium"))
}

/// Calls the driver and returns the value of its answer, or what it refuses.
pub async fn call(
    http: &reqwest::Client,
    method: Method,
    address: &str,
    body: &Value,
) -> Result<Value, String> {
    let request = http.request(method, address).header("content-type", "application/json");
    let request = if body.is_null() { request } else { request.body(body.to_string()) };
    let answer = request.send().await.map_err(|error| error.to_string())?;
    let is_success = answer.status().is_success();
    let bytes = answer.bytes().await.map_err(|error| error.to_string())?;
    let mut answer: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let value = answer["value"].take();
    if is_success { Ok(value) } else { Err(format!("{}: {}", value["error"], value["message"])) }
}
