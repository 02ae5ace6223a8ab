//! The schemas of `kind` in the variants of a timeline entry. No kind is in two of them, so an entry matches one variant only.

use domain::TimelineKind;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

pub fn incursion() -> Schema {
    one_of([TimelineKind::Incursion])
}

pub fn log_entry() -> Schema {
    one_of([TimelineKind::Alarm, TimelineKind::Log])
}

pub fn status() -> Schema {
    one_of([TimelineKind::Status])
}

pub fn tag_battery() -> Schema {
    one_of([TimelineKind::TagBattery])
}

pub fn tag_test() -> Schema {
    one_of([TimelineKind::TagTest])
}

pub fn message() -> Schema {
    one_of([TimelineKind::Message])
}

pub fn video_clip() -> Schema {
    one_of([TimelineKind::VideoClip])
}

pub fn runtime() -> Schema {
    one_of([TimelineKind::Runtime])
}

fn one_of<const N: usize>(kinds: [TimelineKind; N]) -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("Kind of entry."))
        .enum_values(Some(kinds.map(TimelineKind::as_str)))
        .build()
        .into()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use utoipa::{PartialSchema, ToSchema};

    use super::*;
    use crate::shapes::timeline::TimelineEntry;

    #[test]
    fn each_kind_leads_to_the_only_variant_that_lists_it() {
        let entry = serde_json::to_value(TimelineEntry::schema()).unwrap();
        assert_eq!(entry["discriminator"]["propertyName"], "kind");
        let mapping = entry["discriminator"]["mapping"].as_object().unwrap();
        assert_eq!(mapping.len(), TimelineKind::ALL.len());

        let mut variants = Vec::new();
        TimelineEntry::schemas(&mut variants);
        for kind in TimelineKind::ALL {
            let lists_kind = |part: &Value| {
                let words = part["properties"]["kind"]["enum"].as_array();
                words.is_some_and(|words| words.contains(&kind.as_str().into()))
            };
            let mut listing: Vec<String> = variants
                .iter()
                .filter(|(_, schema)| {
                    let schema = serde_json::to_value(schema).unwrap();
                    schema["allOf"].as_array().is_some_and(|parts| parts.iter().any(lists_kind))
                })
                .map(|(name, _)| format!("#/components/schemas/{name}"))
                .collect();
            listing.dedup();
            assert_eq!(listing, [mapping[kind.as_str()].as_str().unwrap()], "{}", kind.as_str());
        }
    }
}
