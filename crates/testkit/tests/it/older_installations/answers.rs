//! Today's program answers as the older program did, apart from additional fields.

use serde_json::{Number, Value};
use testkit::TestApp;

use super::OlderInstallation;

/// Requests that are refused now: the caller, the path and the error code.
const NEWLY_REFUSED: &[(&str, &str, &str)] = &[
    // The audit log covers the whole brand.
    ("restricted.admin", "/api/v1/admin/audit_log", "restricted"),
];

/// Fields that may differ: prefixes of the caller and the path, and the fields.
const MAY_DIFFER: &[(&str, &str, &[&str])] = &[
    // Values of the call itself, and of calls since then.
    ("", "/", &["request_id", "instance", "detail", "last_used_at"]),
    // Members schedule reports.
    ("", "/api/v1/session", &["permissions"]),
    // Actors have a `type` in place of a `kind`, and messages a `body` in place of a `text`.
    ("", "/api/v1/admin/audit_log", &["kind"]),
    ("", "/api/v1/tag_assignments", &["kind"]),
    ("", "/api/v1/visitor_sessions", &["kind"]),
    ("", "/api/v1/base_stations/5/messages", &["text"]),
    // The name of an actor is null for those who may not see it, in place of a made-up one.
    ("viewer", "/api/", &["author", "by", "requested_by", "sent_by"]),
    // A cursor is tied to the parameters of its list, to which the sort order was added.
    ("", "/api/v1/incursions", &["next"]),
    // Texts for readers.
    ("", "/api/v2/insights/charts", &["description"]),
    // Periods end at the time of the call, which advanced while the older program was called.
    ("", "/api/v1/insights", &["from", "to"]),
    // The summary compares with a period without facts, which has the time zones of the worksites now, not the brand's.
    ("", "/api/v1/insights", &["time_zones"]),
    ("", "/api/v2/insights", &["from", "to"]),
    ("", "/api/v2/advanced_insights/pivot", &["from", "to"]),
    ("", "/api/v1/worksites", &["since"]),
    ("", "/api/v1/visitor_sessions", &["duration_s"]),
    // The last activity of people in other projects is no longer shown.
    ("restricted", "/api/v1/entities", &["last_seen_at", "activity"]),
    ("restricted", "/api/v1/tags", &["last_seen_at", "flags"]),
    // Users who see more than the caller are no longer shown.
    ("restricted.admin", "/api/v1/admin/users", &["data", "page"]),
    // Tester devices at worksites of other projects are no longer named, and are in the order of the names that are shown.
    ("restricted.admin", "/api/v1/admin/tester_devices", &["data"]),
];

/// Repeats every call made to the older program, as the same callers and in the same sessions.
pub async fn are_the_same(older: &OlderInstallation, app: &TestApp) {
    let mut differences = Vec::new();
    for (name, answers) in older.record["answers"].as_object().unwrap() {
        for (path, before) in answers.as_object().unwrap() {
            let call = app.get(&with_recorded_period(path, before));
            let call = match path.starts_with("/api/v2/") {
                true => call.bearer(older.recorded_account(name, "jwt")),
                false => call.cookie(older.recorded_account(name, "cookie")),
            };
            let reply = call.send().await;
            if let Some((_, _, code)) =
                NEWLY_REFUSED.iter().find(|(who, at, _)| who == name && path.starts_with(at))
            {
                assert_eq!(reply.expect(403).code(), *code, "{name} {path}");
                continue;
            }
            let mut now = reply.json();
            if path.starts_with("/api/v1/admin/audit_log") && before["data"].is_array() {
                remove_later_rows(before, &mut now);
            }
            let but = MAY_DIFFER.iter().filter(|(who, at, _)| name.starts_with(who) && path.starts_with(at));
            let but: Vec<&str> = but.flat_map(|(_, _, fields)| *fields).copied().collect();
            let mut found = Vec::new();
            compare(before, &now, &but, "", &mut found);
            differences.extend(found.into_iter().map(|found| format!("{name} {path} {found}")));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Adds the period of the older answer to a path of insights: without one, it is now 28 local days instead of 30 times 24 hours.
fn with_recorded_period(path: &str, before: &Value) -> String {
    // The summary names its period within.
    let of = Some(&before["totals"]).filter(|totals| totals["from"].is_string()).unwrap_or(before);
    match (of["from"].as_str(), of["to"].as_str()) {
        (Some(from), Some(to)) if path.starts_with("/api/v1/insights") => {
            let separator = if path.contains('?') { '&' } else { '?' };
            format!("{path}{separator}from={from}&to={to}")
        }
        _ => path.to_owned(),
    }
}

/// Removes rows added while the older program was still being called. They come first and pushed as many rows off the page.
fn remove_later_rows(before: &Value, now: &mut Value) {
    let newest = before["data"][0]["id"].as_i64().unwrap();
    let count = before["data"].as_array().unwrap().len();
    let rows = now["data"].as_array_mut().unwrap();
    rows.retain(|row| row["id"].as_i64().unwrap() <= newest);
    assert!(rows.len() + 5 > count, "{} of {count} rows", rows.len());
    rows.extend(before["data"].as_array().unwrap()[rows.len()..].to_vec());
    now["page"] = before["page"].clone();
}

fn compare(before: &Value, now: &Value, except: &[&str], place: &str, found: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(before), Value::Object(_)) => {
            // Each error has an id of its own.
            let is_own = |name: &str| name == "id" && place.starts_with("/errors/");
            let fields = before.iter().filter(|(name, _)| !except.contains(&&***name) && !is_own(name));
            for (name, value) in fields {
                compare(value, &now[name], except, &format!("{place}/{name}"), found);
            }
        }
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            for (index, (before, now)) in before.iter().zip(now).enumerate() {
                compare(before, now, except, &format!("{place}/{index}"), found);
            }
        }
        _ if before == now => {}
        // Whole numbers are now written without a decimal point, and rates are rounded once instead of twice.
        (Value::Number(before), Value::Number(now)) if are_equal(before, now) => {}
        _ => {
            let short = |value: &Value| value.to_string().chars().take(120).collect::<String>();
            found.push(format!("{place}: {} became {}", short(before), short(now)));
        }
    }
}

fn are_equal(before: &Number, now: &Number) -> bool {
    let (before, now) = (before.as_f64().unwrap(), now.as_f64().unwrap());
    (before - now).abs() <= 2.0 * f64::EPSILON * before.abs()
}
