//! Every page against the rules of axe-core, which find what people with a screen reader, with a keyboard or with weak eyes cannot use.
//! SQLite only, like all tests in a browser.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use testkit::Engine;

use super::pages::{OPEN_PAGES, PAGES};
use super::seed::Seed;
use super::{Browser, Look, browse};

/// Lists each element that violates a rule: the rule, where the element is, and its markup.
const CHECK: &str = "
    const done = arguments[arguments.length - 1];
    const line = (rule) => (node) => `${rule.id} at ${node.target.join(' ')}: ${node.html}`;
    axe.run(document, { resultTypes: ['violations'] }).then(
      (found) => done(found.violations.flatMap((rule) => rule.nodes.map(line(rule)))),
      (error) => done([String(error)]),
    );
";

#[test]
fn pages_violate_no_rule_in_light_colours() {
    check_every_page(false);
}

#[test]
fn pages_violate_no_rule_in_dark_colours() {
    check_every_page(true);
}

fn check_every_page(is_dark: bool) {
    let axe = axe_source();
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let browser = browse(&seed.world.app, Look { is_dark, ..Look::default() }).await;
        // The policy of pages does not hold for scripts of the test.
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": axe })).await;
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

async fn violations_of(browser: &Browser, path: &str) -> Vec<String> {
    browser.open(path).await;
    let found = browser.run_until_done(CHECK).await;
    let lines = found.as_array().unwrap().iter().map(|line| line.as_str().unwrap_or_default());
    lines.map(|line| format!("{path}: {line}")).collect()
}

/// Returns the source of axe-core, which is installed if it is missing.
fn axe_source() -> String {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
    let output = Command::new(tools.join("ensure-browser-tools")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = String::from_utf8(output.stdout).unwrap();
    std::fs::read_to_string(Path::new(folder.trim()).join("node_modules/axe-core/axe.min.js")).unwrap()
}
