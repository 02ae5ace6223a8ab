//! /reports

mod lifecycle;
mod ordering;
mod schedules;
mod site_reports;

use serde_json::Value;
use testkit::Account;

use crate::console::{Page, submit};
use crate::v1::insights::Yard;

/// The name of a record that would be markup.
const HOSTILE: &str = "<b onclick=\"x()\">'Yard' & \"Co\"</b>";

/// Orders a report about worksite 1 in February, and returns the answer.
async fn order_site_safety(yard: &Yard, user: &Account) -> Page {
    let fields = [
        ("worksite_id", "1"),
        ("format", "pdf"),
        ("filters.from", "2026-02-01"),
        ("filters.to", "2026-02-28"),
    ];
    submit(&yard.app, &user.cookie, "/reports/new?kind=site_safety", &fields).await
}

/// Returns what the API shows.
async fn get(yard: &Yard, path: &str) -> Value {
    yard.app.get(path).cookie(&yard.admin.cookie).send().await.expect(200).json()
}

/// Returns which of our sentences the next page says.
fn done(page: &Page) -> &str {
    let cookie = page.reply.header("set-cookie");
    let value = cookie.strip_prefix("keepclear_done=").unwrap_or_default();
    value.split([';', ':']).next().unwrap_or_default()
}

/// Gives a worksite another name.
async fn rename_site(yard: &Yard, name: &str) {
    let change = yard.app.patch("/api/v1/worksites/1").cookie(&yard.admin.cookie);
    change.json(&serde_json::json!({ "name": name })).send().await.expect(200);
}
