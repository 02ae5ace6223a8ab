//! /settings

mod audit_log;
mod base_stations;
mod brand;
mod gateways;
mod imports;
mod index;
mod machines;
mod password;
mod people;
mod preferences;
mod projects;
mod second_factor;
mod service_accounts;
mod sessions;
mod tags;
mod tester_devices;
mod tokens;
mod users;
mod webhooks;

use super::Page;

/// Returns the token that a page shows, which begins like this.
fn token_on(page: &Page, prefix: &str) -> String {
    let text = page.text();
    let token = text.split_whitespace().find(|word| word.starts_with(prefix) && word.len() == 47);
    token.unwrap().to_owned()
}

/// Returns what the next page will say was done: its code, and the record if it can be undone.
fn done(page: &Page) -> String {
    let cookies = page.reply.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let value = cookies.filter_map(|cookie| cookie.strip_prefix("keepclear_done=")).next().unwrap();
    value.split(';').next().unwrap_or_default().to_owned()
}
