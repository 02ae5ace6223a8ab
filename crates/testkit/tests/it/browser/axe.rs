//! Every page against the rules of axe-core, which find what people with a screen reader, with a keyboard or with weak eyes cannot use.
//! SQLite only, like all tests in a browser.

use std::path::Path;
use std::process::Command;

use domain::{Role, Span};
use serde_json::json;
use testkit::{Engine, TestApp};

use super::pages::{OPEN_PAGES, PAGES};
use super::seed::Seed;
use super::{Browser, Look, PHONE, browse};

/// Lists each element that violates a rule: the rule, where the element is, and its markup. The size of what is touched is checked by
/// Lighthouse, but by axe-core only on request.
const CHECK: &str = "
    const done = arguments[arguments.length - 1];
    const line = (rule) => (node) => `${rule.id} at ${node.target.join(' ')}: ${node.html}`;
    axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(
      (found) => done(found.violations.flatMap((rule) => rule.nodes.map(line(rule)))),
      (error) => done([String(error)]),
    );
";

/// Sends a form although fields are missing.
const SEND: &str = "document.querySelector(arguments[0]).submit()";

#[test]
fn pages_violate_no_rule_in_light_colours() {
    check_every_page(Look::default());
}

#[test]
fn pages_violate_no_rule_in_dark_colours() {
    check_every_page(Look { is_dark: true, ..Look::default() });
}

#[test]
fn pages_violate_no_rule_on_a_phone() {
    check_every_page(Look { window: PHONE, ..Look::default() });
}

#[test]
fn answers_to_forms_violate_no_rule_in_light_colours() {
    check_answers(Look { window: PHONE, ..Look::default() });
}

#[test]
fn answers_to_forms_violate_no_rule_in_dark_colours() {
    check_answers(Look { is_dark: true, ..Look::default() });
}

/// Opens a browser in which axe-core is loaded with every page. The policy of pages does not hold for scripts of the test.
async fn browse_with_axe(app: &TestApp, look: Look) -> Browser {
    let browser = browse(app, look).await;
    browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": axe_source() })).await;
    browser
}

fn check_every_page(look: Look) {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let browser = browse_with_axe(&seed.world.app, look).await;
        let mut violations = Vec::new();
        for (_, address) in OPEN_PAGES {
            violations.extend(violations_of(&browser, &seed.fill(&seed.viewer, address)).await);
        }
        browser.take_session(&seed.admin.cookie).await;
        for (_, address, _) in PAGES {
            violations.extend(violations_of(&browser, &seed.fill(&seed.admin, address)).await);
        }
        violations.extend(violations_of(&browser, "/nothing/here").await);
        assert!(violations.is_empty(), "{}", violations.join("\n"));
    });
}

/// Checks what no address leads to: forms with faults, what is shown once, the questions for a proof and for signing in again.
fn check_answers(look: Look) {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let change = |config: &mut server::Config| config.auth.proof_max_age_minutes = 15;
        let app = TestApp::start_with(Engine::Sqlite, change).await;
        let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let device = json!({ "name": "Gate" });
        app.post("/api/v1/admin/tester_devices").cookie(&admin.cookie).json(&device).send().await.expect(201);
        let browser = browse_with_axe(&app, look).await;
        browser.take_session(&admin.cookie).await;
        let mut violations = Vec::new();
        for (path, form, words) in [
            ("/settings/users", "#add form", "Please fill this in."),
            ("/sites/new", "main form", "Please fill this in."),
            ("/settings/second-factor", "main form", "Add this secret"),
            ("/settings/tester-devices/1", "form[action$='/token']", "Copy it now"),
        ] {
            violations.extend(violations_after(&browser, path, form, words).await);
        }
        app.clock.advance(Span::minutes(16));
        let (path, form) = ("/settings/tester-devices/1", "form[action$='/token']");
        violations.extend(violations_after(&browser, path, form, "Please enter your password.").await);
        app.delete("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
        browser.run(SEND, &[json!("main form")]).await;
        browser.wait_for("Your session is over").await;
        violations.extend(violations_here(&browser, "a session that is over").await);
        assert!(violations.is_empty(), "{}", violations.join("\n"));
    });
}

/// Sends a form of a page as it is, and returns what is wrong with the answer, which says this.
async fn violations_after(browser: &Browser, path: &str, form: &str, words: &str) -> Vec<String> {
    browser.open(path).await;
    browser.run(SEND, &[json!(form)]).await;
    browser.wait_for(words).await;
    violations_here(browser, &format!("the answer of {path}")).await
}

async fn violations_of(browser: &Browser, path: &str) -> Vec<String> {
    browser.open(path).await;
    violations_here(browser, path).await
}

/// Returns what is wrong with the page that is shown.
async fn violations_here(browser: &Browser, name: &str) -> Vec<String> {
    let found = browser.run_until_done(CHECK).await;
    let lines = found.as_array().unwrap().iter().map(|line| line.as_str().unwrap_or_default());
    lines.map(|line| format!("{name}: {line}")).collect()
}

/// Returns the source of axe-core, which is installed if it is missing.
fn axe_source() -> String {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
    let output = Command::new(tools.join("ensure-browser-tools")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = String::from_utf8(output.stdout).unwrap();
    std::fs::read_to_string(Path::new(folder.trim()).join("node_modules/axe-core/axe.min.js")).unwrap()
}
