//! Every page of the console, opened by everyone who may and may not. SQLite only, because four readers open more than seventy pages each.

use std::collections::BTreeSet;
use std::path::Path;

use domain::access::{
    BeSignedIn, ErasePeople, ManageAlerts, ManageBrand, ManageDevices, ManageOwnPreferences, ManageOwnSignIn,
    ManageUsers, ReadAudit, ReadInsights, ReadRegistry, ScheduleReports, WriteRegistry,
};
use domain::{Permission, Role};
use testkit::Engine;

use super::seed::{Reader, Seed};
use super::{Browser, Look, PHONE, browse};

/// Every page that needs a session: its pattern in the router, its address in the seed, and the lowest role that may open it. What is in
/// braces in an address is filled in by the seed.
pub const PAGES: &[(&str, &str, Role)] = &[
    ("/", "/", ReadInsights::MIN_ROLE),
    ("/", "/?period=7d&worksite_id=1", ReadInsights::MIN_ROLE),
    ("/machines", "/machines", ReadInsights::MIN_ROLE),
    ("/machines/{id}", "/machines/1", ReadInsights::MIN_ROLE),
    ("/machines/{id}/timeline", "/machines/1/timeline", ReadInsights::MIN_ROLE),
    ("/machines/{id}/clips/{clip_id}", "/machines/1/clips/{clip}", ReadRegistry::MIN_ROLE),
    ("/people", "/people", ReadInsights::MIN_ROLE),
    ("/people/{id}", "/people/1", ReadInsights::MIN_ROLE),
    ("/visitors", "/visitors", ReadRegistry::MIN_ROLE),
    ("/visitors/check-in", "/visitors/check-in", WriteRegistry::MIN_ROLE),
    ("/visitors/{id}", "/visitors/{visit}", ReadRegistry::MIN_ROLE),
    ("/sites", "/sites", ReadRegistry::MIN_ROLE),
    ("/sites/new", "/sites/new", WriteRegistry::MIN_ROLE),
    ("/sites/{id}", "/sites/1", ReadRegistry::MIN_ROLE),
    ("/sites/{id}/edit", "/sites/1/edit", WriteRegistry::MIN_ROLE),
    ("/sites/{id}/roll-call", "/sites/1/roll-call", ReadRegistry::MIN_ROLE),
    ("/incursions", "/incursions", ReadInsights::MIN_ROLE),
    ("/incursions", "/incursions?find_person=a&find_tag=nothing", ReadInsights::MIN_ROLE),
    ("/incursions/{id}", "/incursions/{incursion}", ReadInsights::MIN_ROLE),
    ("/explore", "/explore", ReadInsights::MIN_ROLE),
    ("/explore", "/explore?row1=machine&row2=pedestrian&measure=incursions", ReadInsights::MIN_ROLE),
    ("/explore/incursions", "/explore/incursions", ReadInsights::MIN_ROLE),
    ("/explore/views", "/explore/views", ReadInsights::MIN_ROLE),
    ("/explore/views/{id}", "/explore/views/{view}", ReadInsights::MIN_ROLE),
    ("/explore/exports", "/explore/exports", ReadInsights::MIN_ROLE),
    ("/explore/exports/{id}", "/explore/exports/{export}", ReadInsights::MIN_ROLE),
    ("/outliers", "/outliers", ReadInsights::MIN_ROLE),
    ("/reports", "/reports", ReadInsights::MIN_ROLE),
    ("/reports/new", "/reports/new", ReadInsights::MIN_ROLE),
    ("/reports/new", "/reports/new?kind=site_safety", ReadInsights::MIN_ROLE),
    ("/reports/{id}", "/reports/{report}", ReadInsights::MIN_ROLE),
    ("/reports/schedules", "/reports/schedules", ScheduleReports::MIN_ROLE),
    ("/reports/schedules/new", "/reports/schedules/new", ScheduleReports::MIN_ROLE),
    ("/reports/schedules/new", "/reports/schedules/new?kind=site_safety", ScheduleReports::MIN_ROLE),
    ("/reports/schedules/{id}", "/reports/schedules/{schedule}", ScheduleReports::MIN_ROLE),
    ("/reports/schedules/{id}/edit", "/reports/schedules/{schedule}/edit", ScheduleReports::MIN_ROLE),
    ("/reports/site-reports", "/reports/site-reports", ReadInsights::MIN_ROLE),
    ("/reports/site-reports/{id}", "/reports/site-reports/{site_report}", ReadInsights::MIN_ROLE),
    ("/alerts", "/alerts", ReadInsights::MIN_ROLE),
    ("/alerts/new", "/alerts/new", ManageAlerts::MIN_ROLE),
    ("/alerts/new", "/alerts/new?metric=incursions", ManageAlerts::MIN_ROLE),
    ("/alerts/dry-run", "/alerts/dry-run", ManageAlerts::MIN_ROLE),
    ("/alerts/dry-run", "/alerts/dry-run?metric=incursions", ManageAlerts::MIN_ROLE),
    ("/alerts/{id}", "/alerts/{alert}", ReadInsights::MIN_ROLE),
    ("/alerts/{id}/edit", "/alerts/{alert}/edit", ManageAlerts::MIN_ROLE),
    ("/alerts/{id}/firings/{firing_id}", "/alerts/{alert}/firings/{firing}", ReadInsights::MIN_ROLE),
    ("/settings", "/settings", BeSignedIn::MIN_ROLE),
    ("/settings/preferences", "/settings/preferences", ManageOwnPreferences::MIN_ROLE),
    ("/settings/password", "/settings/password", ManageOwnSignIn::MIN_ROLE),
    ("/settings/second-factor", "/settings/second-factor", ManageOwnSignIn::MIN_ROLE),
    ("/settings/sessions", "/settings/sessions", BeSignedIn::MIN_ROLE),
    ("/settings/projects", "/settings/projects", ReadRegistry::MIN_ROLE),
    ("/settings/projects/{id}", "/settings/projects/1", ReadRegistry::MIN_ROLE),
    ("/settings/machines", "/settings/machines", ReadRegistry::MIN_ROLE),
    ("/settings/machines/import", "/settings/machines/import", WriteRegistry::MIN_ROLE),
    ("/settings/machines/{id}", "/settings/machines/1", ReadRegistry::MIN_ROLE),
    ("/settings/people", "/settings/people", ReadRegistry::MIN_ROLE),
    ("/settings/people/import", "/settings/people/import", WriteRegistry::MIN_ROLE),
    ("/settings/people/{id}", "/settings/people/1", ReadRegistry::MIN_ROLE),
    ("/settings/people/{id}/erase", "/settings/people/1/erase", ErasePeople::MIN_ROLE),
    ("/settings/tags", "/settings/tags", ReadRegistry::MIN_ROLE),
    ("/settings/tags/import", "/settings/tags/import", WriteRegistry::MIN_ROLE),
    ("/settings/tags/{id}", "/settings/tags/1", ReadRegistry::MIN_ROLE),
    ("/settings/base-stations", "/settings/base-stations", ReadRegistry::MIN_ROLE),
    ("/settings/base-stations/import", "/settings/base-stations/import", ManageDevices::MIN_ROLE),
    ("/settings/base-stations/{id}", "/settings/base-stations/1", ReadRegistry::MIN_ROLE),
    ("/settings/gateways", "/settings/gateways", ManageDevices::MIN_ROLE),
    ("/settings/gateways/{id}", "/settings/gateways/{gateway}", ManageDevices::MIN_ROLE),
    ("/settings/tester-devices", "/settings/tester-devices", ManageDevices::MIN_ROLE),
    ("/settings/tester-devices/{id}", "/settings/tester-devices/{tester_device}", ManageDevices::MIN_ROLE),
    ("/settings/users", "/settings/users", ManageUsers::MIN_ROLE),
    ("/settings/users/{id}", "/settings/users/{user}", ManageUsers::MIN_ROLE),
    ("/settings/service-accounts", "/settings/service-accounts", ManageUsers::MIN_ROLE),
    (
        "/settings/service-accounts/{id}",
        "/settings/service-accounts/{service_account}",
        ManageUsers::MIN_ROLE,
    ),
    ("/settings/webhooks", "/settings/webhooks", ManageBrand::MIN_ROLE),
    ("/settings/webhooks/{id}", "/settings/webhooks/{webhook}", ManageBrand::MIN_ROLE),
    ("/settings/brand", "/settings/brand", ManageBrand::MIN_ROLE),
    ("/settings/audit-log", "/settings/audit-log", ReadAudit::MIN_ROLE),
];

/// The pages that need no session, with their addresses.
pub const OPEN_PAGES: &[(&str, &str)] = &[
    ("/sign-in", "/sign-in"),
    ("/sign-in", "/sign-in?next=%2Fmachines"),
    ("/password-resets", "/password-resets"),
    ("/password-resets", "/password-resets?sent=1"),
    ("/password-resets/{token}", "/password-resets/{reset}"),
    ("/invitations/{token}", "/invitations/{invitation}"),
];

/// What is fetched by pages or saved as a file, and is no page itself.
const NO_PAGES: [&str; 11] = [
    "/alerts/dry-run/chart",
    "/assets/{file}",
    "/charts/site-map/{id}",
    "/charts/track/{id}",
    "/charts/{kind}",
    "/explore/exports/{id}/file",
    "/incursions/suggestions",
    "/machines/{id}/clips/{clip_id}/video",
    "/reports/{id}/file",
    "/settings/brand/logo",
    "/sign-in/session",
];

/// Returns the elements that make a page wider than its window. A phone zooms out until a page fits, so that its own width tells nothing.
const TOO_WIDE: &str = "
    const [width] = arguments;
    const found = document.scrollingElement.scrollWidth;
    if (found <= width) return [];
    const isCut = (element) => {
      for (let above = element.parentElement; above && above !== document.body; above = above.parentElement) {
        if (getComputedStyle(above).overflowX !== 'visible') return true;
      }
      return false;
    };
    const isWide = (element) => element.getBoundingClientRect().right > width + 0.5 && !isCut(element);
    const wide = [...document.body.querySelectorAll('*')].filter(isWide);
    return [`is ${found} px wide`, ...wide.slice(-3).map((element) => element.outerHTML.slice(0, 200).toWellFormed())];
";

/// Opens a page and returns what is wrong with it: another status, errors, or that it is wider than the window.
pub async fn faults_of(browser: &Browser, path: &str, status: u64, width: u32) -> Vec<String> {
    browser.open(path).await;
    let mut faults = Vec::new();
    let (found, place) = (browser.status().await, browser.place().await);
    if found != status {
        faults.push(format!("is {found} instead of {status}: {}", browser.text().await));
    }
    if place.starts_with("/sign-in") != path.starts_with("/sign-in") {
        faults.push(format!("leads to {place}"));
    }
    // A page that is refused is an error by itself.
    let own = format!("{path} - Failed to load resource: the server responded with a status of {status}");
    faults.extend(browser.errors().await.into_iter().filter(|error| status < 400 || !error.contains(&own)));
    faults.extend(too_wide(browser, width).await);
    faults.into_iter().map(|fault| format!("{path} {fault}")).collect()
}

/// Returns how wide the page is that is shown, and why, unless it fits the window.
pub async fn too_wide(browser: &Browser, width: u32) -> Vec<String> {
    let found = browser.run(TOO_WIDE, &[width.into()]).await;
    found.as_array().unwrap().iter().map(|line| line.as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_page_opens_for_viewers() {
    open_every_page(|seed| &seed.viewer);
}

#[test]
fn every_page_opens_for_members() {
    open_every_page(|seed| &seed.member);
}

#[test]
fn every_page_opens_for_admins() {
    open_every_page(|seed| &seed.admin);
}

#[test]
fn every_page_opens_for_those_who_see_one_project() {
    open_every_page(|seed| &seed.restricted);
}

/// Opens every page on a phone.
fn open_every_page(of: impl FnOnce(&Seed) -> &Reader) {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let reader = of(&seed);
        let browser = browse(&seed.world.app, Look { window: PHONE, ..Look::default() }).await;
        browser.take_session(&reader.cookie).await;
        let mut faults = Vec::new();
        for (_, address, least) in PAGES {
            let status = if reader.role < *least { 403 } else { 200 };
            faults.extend(faults_of(&browser, &seed.fill(reader, address), status, PHONE.0).await);
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    });
}

#[test]
fn pages_before_signing_in_open_for_everybody() {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let browser = browse(&seed.world.app, Look { window: PHONE, ..Look::default() }).await;
        let mut faults = Vec::new();
        for (_, address) in OPEN_PAGES {
            faults.extend(faults_of(&browser, &seed.fill(&seed.viewer, address), 200, PHONE.0).await);
        }
        // All others ask to sign in.
        for (_, address, _) in PAGES {
            let path = seed.fill(&seed.admin, address);
            browser.open(&path).await;
            if !browser.place().await.starts_with("/sign-in") {
                faults.push(format!("{path} is shown to nobody"));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    });
}

#[test]
fn no_page_is_missing_here() {
    let known =
        PAGES.iter().map(|(pattern, ..)| *pattern).chain(OPEN_PAGES.iter().map(|(pattern, _)| *pattern));
    let known: BTreeSet<String> = known.chain(NO_PAGES).map(str::to_owned).collect();
    let routed = routed_patterns();
    let missing: Vec<_> = routed.difference(&known).collect();
    let gone: Vec<_> = known.difference(&routed).collect();
    assert!(missing.is_empty(), "add these to the pages: {missing:?}");
    assert!(gone.is_empty(), "these pages are gone: {gone:?}");
}

/// Returns the patterns that the console's router answers GET for. They are read from its source, because a router does not tell them.
fn routed_patterns() -> BTreeSet<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../console/src")];
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.extend(patterns_in(&path));
            }
        }
    }
    found
}

fn patterns_in(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let calls = text.split(".route(").skip(1).filter_map(|call| call.split_once(','));
    let gets = calls.filter(|(_, handler)| handler.trim_start().starts_with("get("));
    gets.map(|(pattern, _)| pattern_of(pattern.trim(), &text, file)).collect()
}

/// Returns a pattern that is written as a literal or as a constant of the same file or of a module beside it.
fn pattern_of(written: &str, text: &str, file: &Path) -> String {
    if let Some(literal) = written.strip_prefix('"') {
        return literal.trim_end_matches('"').to_owned();
    }
    let (text, name) = match written.split_once("::") {
        Some((module, name)) => {
            (std::fs::read_to_string(file.with_file_name(format!("{module}.rs"))).unwrap(), name)
        }
        None => (text.to_owned(), written),
    };
    let declared = text.split_once(&format!("const {name}: &str = \""));
    let (_, rest) = declared.unwrap_or_else(|| panic!("{} does not tell what {written} is", file.display()));
    rest.split('"').next().unwrap_or_default().to_owned()
}
