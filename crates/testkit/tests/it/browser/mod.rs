//! The console in a real browser: Chromium, driven through WebDriver. What a page answers is tested in `it/console`; here is what only a
//! browser sees. Tests over all pages run on SQLite only, because a browser costs far more than an engine, and pages do not see which
//! engine answers them.

mod axe;
mod driver;
mod hostile_names;
mod live;
mod modules;
mod next_reader;
mod pages;
mod print;
mod problems;
mod seed;
mod session;
mod tasks;

use testkit::TestApp;

pub use session::{Browser, Look, PHONE};

/// Serves the application on a free port and opens a browser for it.
pub async fn browse(app: &TestApp, look: Look) -> Browser {
    let address = app.listen().await;
    Browser::start(&format!("http://{address}"), look).await
}
