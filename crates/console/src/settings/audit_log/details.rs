//! The details of an entry as one line: what changed from which value to which, and what else was recorded.

use serde_json::{Map, Value};
use texts::console::settings::audit_log as t;

use crate::frame::Frame;

/// Writes the details, and those that name people, which may have been erased. Both are JSON that the service wrote.
pub fn describe(frame: &Frame, details: &str, personal: Option<&str>) -> String {
    let nothing = frame.text(t::NOTHING);
    let mut parts = Vec::new();
    for text in [Some(details), personal].into_iter().flatten() {
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => add_object(&mut parts, object, nothing),
            Ok(Value::Null) | Err(_) => {}
            Ok(other) => parts.push(write(&other, nothing)),
        }
    }
    parts.join("; ")
}

fn add_object(parts: &mut Vec<String>, mut object: Map<String, Value>, nothing: &str) {
    match (object.remove("before"), object.remove("after")) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for (name, to) in &after {
                let from = before.get(name).unwrap_or(&Value::Null);
                if from != to {
                    parts.push(format!("{name}: {} → {}", write(from, nothing), write(to, nothing)));
                }
            }
        }
        (None, Some(Value::Object(after))) => add_values(parts, &after, nothing),
        (before, after) => {
            let both = [("before", before), ("after", after)];
            let both = both.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            add_values(parts, &both.collect(), nothing);
        }
    }
    add_values(parts, &object, nothing);
}

fn add_values(parts: &mut Vec<String>, object: &Map<String, Value>, nothing: &str) {
    parts.extend(object.iter().map(|(name, value)| format!("{name}: {}", write(value, nothing))));
}

/// Writes a value without the signs of JSON.
fn write(value: &Value, nothing: &str) -> String {
    match value {
        Value::Null => nothing.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => nothing.to_owned(),
        Value::Array(items) => items.iter().map(|item| write(item, nothing)).collect::<Vec<_>>().join(", "),
        Value::Object(object) => {
            let mut parts = Vec::new();
            add_values(&mut parts, object, nothing);
            format!("({})", parts.join(", "))
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;
    use crate::frame::sample;

    #[test]
    fn only_what_changed_is_written() {
        let frame = sample(Language::English, "/");
        let written = |details: &str, personal: Option<&str>| describe(&frame, details, personal);
        let changed = r#"{"before": {"role": "viewer", "projects": null}, "after": {"role": "member", "projects": null}}"#;
        let names = r#"{"before": {"name": "Ada"}, "after": {"name": "Grace"}}"#;
        assert_eq!(written(changed, Some(names)), "role: viewer → member; name: Ada → Grace");
        let added = r#"{"after": {"role": "member", "project_ids": [1, 2]}, "tokens_ended": 0}"#;
        assert_eq!(written(added, None), "project_ids: 1, 2; role: member; tokens_ended: 0");
        assert_eq!(written("{}", None), "");
        assert_eq!(written(r#"{"before": ["a"], "after": []}"#, None), "after: none; before: a");
        assert_eq!(written("not JSON", Some(r#"{"a": {"b": true}}"#)), "a: (b: true)");
    }
}
