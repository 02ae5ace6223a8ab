//! The main tasks from end to end: with script on both engines, and on SQLite in a browser that runs no script. What needs script is done
//! there in the other way that the page offers.

/// Turns each of these tasks into a test with script on each engine, and into one without script. A task takes the application and how
/// its browser shows pages.
macro_rules! with_and_without_script {
    ($($name:ident),+ $(,)?) => {
        mod with_script {
            testkit::on_both_engines!($($name),+);

            $(async fn $name(app: testkit::TestApp) {
                super::$name(app, $crate::browser::Look::default()).await;
            })+
        }

        mod without_script {
            $(#[test]
            fn $name() {
                let look = $crate::browser::tasks::WITHOUT_SCRIPT;
                testkit::run(testkit::Engine::Sqlite, |app| super::$name(app, look));
            })+
        }
    };
}

mod alerts;
mod forms;
mod incursions;
mod invitations;
mod keys;
mod mails;
mod password_resets;
mod pivots;
mod reports;
mod sign_in;
mod sites;
mod tester_devices;
mod visitors;

use mail::Email;
use serde_json::json;
use testkit::{PASSWORD, TestApp};

use super::{Browser, Look, browse};

/// A browser that does not run the scripts of pages.
const WITHOUT_SCRIPT: Look = Look { is_dark: false, has_script: false, window: (1_280, 900) };

/// The key Escape, as the protocol writes it.
const ESCAPE: &str = "\u{e00c}";

/// What the links in mails begin with.
const BASE_URL: &str = "http://127.0.0.1:8080";

/// Opens a browser that has the session of somebody who signed in elsewhere.
async fn browse_as(app: &TestApp, look: Look, cookie: &str) -> Browser {
    let browser = browse(app, look).await;
    browser.take_session(cookie).await;
    browser
}

/// Fills in the sign-in form that is shown, and sends it.
async fn sign_in(browser: &Browser, email: &str, password: &str) {
    browser.fill("[name=email]", email).await;
    browser.fill("[name=password]", password).await;
    browser.press("Sign in").await;
}

/// Waits until the browser has come to a page, by its path and parameters.
async fn arrive(browser: &Browser, place: &str) {
    browser.arrive(place).await;
}

/// Waits for what a page shows by itself when it happens; without script it is read again.
async fn wait_or_reload(browser: &Browser, look: Look, words: &str) {
    if !look.has_script {
        browser.open(&browser.place().await).await;
    }
    browser.wait_for(words).await;
}

/// Sets a field whose parts browsers arrange by language, such as a day, so that it cannot be typed.
async fn set(browser: &Browser, selector: &str, value: &str) {
    let script = "document.querySelector(arguments[0]).value = arguments[1]";
    browser.run(script, &[json!(selector), json!(value)]).await;
}

/// Panics if a page wrote an error. Browsers also write of pages that were refused, of which these statuses are expected.
async fn assert_calm(browser: &Browser, refusals: &[u16]) {
    let mut errors = browser.errors().await;
    errors.retain(|error| {
        let is_expected = |status: &u16| error.contains(&format!("status of {status} "));
        // What is no page of the console names no icon, and browsers ask for one all the same.
        !error.contains("/favicon.ico") && !refusals.iter().any(is_expected)
    });
    assert!(errors.is_empty(), "{errors:#?}");
}

/// Returns the paths of the links in a mail, each once.
fn links(mail: &Email) -> Vec<String> {
    let is_end = |character: char| character.is_whitespace() || matches!(character, '"' | '<' | '>');
    let html = mail.html.replace("&#38;", "&").replace("&amp;", "&");
    let unsubscribe = mail.unsubscribe.clone().unwrap_or_default();
    let parts = [mail.text.as_str(), html.as_str(), unsubscribe.as_str()];
    let rests = parts.into_iter().flat_map(|part| part.split(BASE_URL).skip(1));
    let mut paths: Vec<String> =
        rests.map(|rest| rest.split(is_end).next().unwrap_or_default().to_owned()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the only link in the last mail to an address.
fn link_to(app: &TestApp, email: &str) -> String {
    let mails = app.mails();
    let mail = mails.iter().rfind(|mail| mail.to.as_str() == email).unwrap();
    let found = links(mail);
    let [link] = found.as_slice() else { panic!("{found:?} in {}", mail.text) };
    link.clone()
}

/// Signs in as a user with the password of tests, and waits for the page that was asked for.
async fn sign_in_and_arrive(browser: &Browser, email: &str, place: &str) {
    sign_in(browser, email, PASSWORD).await;
    arrive(browser, place).await;
    assert_eq!(browser.status().await, 200, "{place}");
}
