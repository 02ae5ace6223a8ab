//! A browser that tests drive.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::driver::{Driver, call, chromium, start_session};

/// The key under which the protocol returns the id of an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// How long a part of a page may take to appear. It takes far longer on a machine that runs all other tests at the same time.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often an element is looked for that a page keeps replacing, before the test gives up.
const MAX_ATTEMPTS: usize = 5;

/// Browsers take memory, and a loaded one is slow: a few at a time.
static BROWSERS: Semaphore = Semaphore::const_new(2);

/// How a browser shows pages.
#[derive(Clone, Copy)]
pub struct Look {
    pub is_dark: bool,
    pub has_script: bool,
    /// Width and height of the window, in pixels.
    pub window: (u32, u32),
}

impl Default for Look {
    fn default() -> Self {
        Self { is_dark: false, has_script: true, window: (1_280, 900) }
    }
}

/// The window of a phone.
pub const PHONE: (u32, u32) = (360, 740);

/// A browser with a profile of its own, which is closed when the test ends.
pub struct Browser {
    http: reqwest::Client,
    /// The address of the session at the driver.
    session: String,
    /// The address of the service.
    site: String,
    /// Ends the browser.
    _driver: Driver,
    _permit: SemaphorePermit<'static>,
}

impl Browser {
    /// Starts a browser for the service at an address such as `http://127.0.0.1:8080`.
    pub async fn start(site: &str, look: Look) -> Self {
        let permit = BROWSERS.acquire().await.unwrap();
        let http = testkit::http_client().timeout(Duration::from_secs(120)).build().unwrap();
        // Tests may run as root and in containers, where the sandbox and shared memory do not work.
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--hide-scrollbars",
        ];
        let patience = PATIENCE.as_millis() as u64;
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "timeouts": { "implicit": patience, "script": 110_000, "pageLoad": 110_000 },
            "goog:chromeOptions": { "binary": chromium(), "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let driver = start_session(&http, &wanted).await;
        let session = format!("http://127.0.0.1:{}/session/{}", driver.port, driver.session);
        let browser = Self { http, session, site: site.to_owned(), _driver: driver, _permit: permit };
        browser.set_window(look.window).await;
        browser.set_dark(look.is_dark).await;
        if !look.has_script {
            // Scripts of pages do not run, while those of the test still do.
            browser.command("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
        }
        browser
    }

    /// Sets the size of the window; narrow ones are those of phones.
    pub async fn set_window(&self, (width, height): (u32, u32)) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 720,
        });
        self.command("Emulation.setDeviceMetricsOverride", size).await;
    }

    async fn set_dark(&self, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.command("Emulation.setEmulatedMedia", media).await;
    }

    /// Has the session of somebody who signed in elsewhere.
    pub async fn take_session(&self, cookie: &str) {
        let cookie = json!({
            "name": web::SESSION_COOKIE, "value": cookie, "url": self.site, "httpOnly": true, "sameSite": "Lax",
        });
        self.command("Network.setCookie", cookie).await;
    }

    /// Has no session any more.
    pub async fn forget_session(&self) {
        self.command("Network.clearBrowserCookies", json!({})).await;
    }

    /// Opens a page of the service.
    pub async fn open(&self, path: &str) {
        self.post("/url", &json!({ "url": format!("{}{path}", self.site) })).await;
        // On a busy machine the driver may reply before the modules of the page have run.
        for _ in 0..PATIENCE.as_millis() / 10 {
            if self.run("return document.readyState", &[]).await == "complete" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Returns the status of the page that is shown.
    pub async fn status(&self) -> u64 {
        let status = "return performance.getEntriesByType('navigation')[0].responseStatus";
        self.run(status, &[]).await.as_u64().unwrap()
    }

    /// Returns the path and the parameters of the page that is shown.
    pub async fn place(&self) -> String {
        self.run("return location.pathname + location.search", &[]).await.as_str().unwrap().to_owned()
    }

    /// Waits until the browser has come to a page, by its path and parameters.
    pub async fn arrive(&self, place: &str) {
        for _ in 0..PATIENCE.as_millis() / 100 {
            if self.place().await == place {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the browser is at {}, not at {place}: {}", self.place().await, self.text().await);
    }

    /// Returns the text of the page, as a reader sees it. A page that has just begun to load has none.
    pub async fn text(&self) -> String {
        self.run("return document.body?.innerText ?? ''", &[]).await.as_str().unwrap().to_owned()
    }

    /// Returns the title of the page, which tabs show.
    pub async fn title(&self) -> String {
        self.run("return document.title", &[]).await.as_str().unwrap().to_owned()
    }

    pub async fn says(&self, words: &str) -> bool {
        self.text().await.contains(words)
    }

    /// Waits until the page says something.
    #[track_caller]
    pub fn wait_for<'a>(&'a self, words: &'a str) -> impl Future<Output = ()> + 'a {
        let place = std::panic::Location::caller();
        async move {
            for _ in 0..PATIENCE.as_millis() / 100 {
                if self.says(words).await {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            panic!("{place}: {} never says {words:?}: {}", self.place().await, self.text().await);
        }
    }

    /// Returns the element that a selector of CSS finds, once it is there.
    async fn find(&self, using: &str, value: &str) -> String {
        let found = self.try_post("/element", &json!({ "using": using, "value": value })).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => panic!("{value} is not on {}: {error}\n{}", self.place().await, self.text().await),
        };
        format!("/element/{}", found[ELEMENT].as_str().unwrap())
    }

    /// Clicks on an element. One that the page has replaced since it was found, as it does with live numbers, is looked for again.
    async fn click_on(&self, using: &str, value: &str) {
        for _ in 0..MAX_ATTEMPTS {
            match self.try_click_on(using, value).await {
                Ok(()) => return,
                Err(error) if error.contains("stale element reference") => {}
                Err(error) => panic!("{value} cannot be clicked: {error}"),
            }
        }
        panic!("{value} was replaced {MAX_ATTEMPTS} times");
    }

    async fn try_click_on(&self, using: &str, value: &str) -> Result<(), String> {
        let element = self.find(using, value).await;
        // What a sticky bar covers cannot be clicked.
        let target = json!({ ELEMENT: element.trim_start_matches("/element/") });
        let scroll = "arguments[0].scrollIntoView({ block: 'center' })";
        self.try_post("/execute/sync", &json!({ "script": scroll, "args": [target] })).await?;
        self.try_post(&format!("{element}/click"), &json!({})).await?;
        Ok(())
    }

    pub async fn click(&self, selector: &str) {
        self.click_on("css selector", selector).await;
    }

    /// Presses the first button with this text.
    pub async fn press(&self, text: &str) {
        self.click_on("xpath", &format!("//button[normalize-space(.)=\"{text}\"]")).await;
    }

    /// Follows the first link with this text.
    pub async fn follow(&self, text: &str) {
        self.click_on("xpath", &format!("//a[normalize-space(.)=\"{text}\"]")).await;
    }

    /// Types a text into a field, in place of what is there.
    pub async fn fill(&self, selector: &str, text: &str) {
        let element = self.find("css selector", selector).await;
        self.post(&format!("{element}/clear"), &json!({})).await;
        self.post(&format!("{element}/value"), &json!({ "text": text })).await;
    }

    /// Presses keys while the page has the focus.
    pub async fn type_keys(&self, keys: &str) {
        let element = self.find("css selector", "body").await;
        self.post(&format!("{element}/value"), &json!({ "text": keys })).await;
    }

    /// Chooses an option of a select by its value.
    pub async fn choose(&self, selector: &str, value: &str) {
        self.click(&format!("{selector} option[value=\"{value}\"]")).await;
    }

    /// Returns the value of a field.
    pub async fn value(&self, selector: &str) -> String {
        let element = self.find("css selector", selector).await;
        let value = self.get(&format!("{element}/property/value")).await;
        value.as_str().unwrap_or_default().to_owned()
    }

    /// Returns the text of an element.
    pub async fn text_of(&self, selector: &str) -> String {
        let element = self.find("css selector", selector).await;
        self.get(&format!("{element}/text")).await.as_str().unwrap_or_default().to_owned()
    }

    /// Clicks at places of the window, in pixels, one after another.
    pub async fn click_at(&self, places: &[(f64, f64)]) {
        for (x, y) in places {
            let actions = json!([
                { "type": "pointerMove", "duration": 60, "x": x.round(), "y": y.round() },
                { "type": "pointerDown", "button": 0 },
                { "type": "pointerUp", "button": 0 },
                // Two clicks in a moment are a double click.
                { "type": "pause", "duration": 400 },
            ]);
            let mouse = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
            self.post("/actions", &json!({ "actions": [mouse] })).await;
        }
    }

    /// Drags what is at a place of the window to another place, in pixels.
    pub async fn drag(&self, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
        let (x, y, to_x, to_y) = (x.round(), y.round(), to_x.round(), to_y.round());
        let actions = json!([
            { "type": "pointerMove", "duration": 60, "x": x, "y": y },
            { "type": "pointerDown", "button": 0 },
            // A small step first, as a hand makes it: what is near the pointer then is what is dragged.
            { "type": "pointerMove", "duration": 60, "x": x + (to_x - x).signum() * 2.0, "y": y },
            { "type": "pointerMove", "duration": 300, "x": to_x, "y": to_y },
            { "type": "pause", "duration": 60 },
            { "type": "pointerUp", "button": 0 },
        ]);
        let mouse = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.post("/actions", &json!({ "actions": [mouse] })).await;
    }

    /// Runs a script in the page and returns what it returns.
    pub async fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": arguments })).await
    }

    /// Runs a script that calls its last argument with its result.
    pub async fn run_until_done(&self, script: &str) -> Value {
        self.post("/execute/async", &json!({ "script": script, "args": [] })).await
    }

    /// Sends a command of Chromium's own protocol.
    pub async fn command(&self, name: &str, parameters: Value) -> Value {
        self.post("/goog/cdp/execute", &json!({ "cmd": name, "params": parameters })).await
    }

    /// Returns the errors that pages wrote to the console since the last call, with those of the content security policy.
    pub async fn errors(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" })).await;
        let is_error = |entry: &&Value| entry["level"] == "SEVERE" || entry["source"] == "security";
        let entries = entries.as_array().unwrap().iter().filter(is_error);
        entries.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Opens a tab and shows it.
    pub async fn open_tab(&self) -> String {
        let made = self.post("/window/new", &json!({ "type": "tab" })).await;
        let handle = made["handle"].as_str().unwrap().to_owned();
        self.show_tab(&handle).await;
        handle
    }

    pub async fn show_tab(&self, handle: &str) {
        self.post("/window", &json!({ "handle": handle })).await;
    }

    async fn get(&self, path: &str) -> Value {
        let address = format!("{}{path}", self.session);
        call(&self.http, Method::GET, &address, &Value::Null)
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        self.try_post(path, body).await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    async fn try_post(&self, path: &str, body: &Value) -> Result<Value, String> {
        call(&self.http, Method::POST, &format!("{}{path}", self.session), body).await
    }
}
