//! Validation by the part of JSON Schema that the OpenAPI documents use.

use domain::{EmailAddress, Timestamp};
use serde_json::{Map, Value, json};

/// A schema and the document that contains it.
#[derive(Clone, Copy)]
pub struct Schema<'a> {
    document: &'a Value,
    node: &'a Value,
}

impl<'a> Schema<'a> {
    pub fn new(document: &'a Value, node: &'a Value) -> Self {
        Self { document, node }.resolved()
    }

    fn with_node(self, node: &'a Value) -> Self {
        Self::new(self.document, node)
    }

    fn resolved(self) -> Self {
        let Some(reference) = self.node["$ref"].as_str() else { return self };
        let pointer = reference.strip_prefix('#').unwrap();
        let node = self.document.pointer(pointer).unwrap_or_else(|| panic!("{reference} does not exist"));
        Self { node, ..self }.resolved()
    }

    fn subschemas(self, name: &str) -> Vec<Self> {
        let parts = self.node[name].as_array().map(Vec::as_slice).unwrap_or_default();
        parts.iter().map(|part| self.with_node(part)).collect()
    }

    /// Returns the other alternative of a choice with null.
    pub fn without_null(self) -> Self {
        let choices = self.subschemas("oneOf");
        choices.into_iter().find(|choice| choice.node["type"] != "null").unwrap_or(self)
    }

    fn types(self) -> Vec<&'a str> {
        match &self.node["type"] {
            Value::String(one) => vec![one],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn properties(self) -> Vec<(&'a str, Self)> {
        let mut all: Vec<_> = self.subschemas("allOf").into_iter().flat_map(Self::properties).collect();
        if let Some(own) = self.node["properties"].as_object() {
            all.extend(own.iter().map(|(name, node)| (name.as_str(), self.with_node(node))));
        }
        all
    }

    /// Returns the required fields of an object.
    pub fn required(self) -> Vec<&'a str> {
        let own = self.node["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        own.iter().filter_map(Value::as_str).collect()
    }

    /// Returns whether it is a secret that people type, for which any text is valid.
    pub fn is_password(self) -> bool {
        self.node["format"] == "password"
    }

    /// Returns whether it, or each item of an array, is a word of an enumeration.
    pub fn is_enumeration(self) -> bool {
        let items = self.node.get("items").map(|items| self.with_node(items));
        items.unwrap_or(self).node.get("enum").is_some()
    }

    /// Returns the documented example, or the first value of an enumeration.
    pub fn example(self) -> Option<Value> {
        let given = self.node.get("example").or_else(|| self.node["examples"].get(0));
        let given = given.or_else(|| self.node["enum"].get(0)).cloned();
        // An array is built from the example of its items.
        given.or_else(|| match self.node.get("items") {
            Some(items) => Some(json!([self.with_node(items).without_null().example()?])),
            None => Some(self.example_object()).filter(|object| !object.is_empty()).map(Value::Object),
        })
    }

    /// Builds an object from the examples of its fields.
    pub fn example_object(self) -> Map<String, Value> {
        let fields = self.properties().into_iter();
        fields.filter_map(|(name, of)| Some((name.to_owned(), of.without_null().example()?))).collect()
    }

    /// Returns the violations of a value against this schema, as sentences. With `requires_all_fields`, every documented field of an
    /// object must be present, except those in `except`.
    pub fn violations(self, value: &Value, requires_all_fields: bool, except: &[&str]) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(value, "", (requires_all_fields, except), &mut faults);
        faults
    }

    fn check(self, value: &Value, pointer: &str, mode: (bool, &[&str]), faults: &mut Vec<String>) {
        let mut fault = |what: &str| faults.push(format!("{pointer}: {what}: {value}"));
        let choices = [self.subschemas("oneOf"), self.subschemas("anyOf")].concat();
        if !choices.is_empty() {
            let fits = |choice: &Self| choice.violations(value, mode.0, mode.1).is_empty();
            if !choices.iter().any(fits) {
                // The violations of the alternative that is not null say more than "none matches".
                self.without_null().check(value, pointer, mode, faults);
            }
            return;
        }
        let types = self.types();
        let fits = types.is_empty() || types.iter().any(|name| is_of_type(value, name));
        if !fits {
            return fault(&format!("is not {types:?}"));
        }
        if let Some(words) = self.node["enum"].as_array()
            && !words.contains(value)
        {
            fault(&format!("is not one of {words:?}"));
        }
        self.check_node(value, pointer, mode, faults);
    }

    fn check_node(self, value: &Value, place: &str, mode: (bool, &[&str]), faults: &mut Vec<String>) {
        let mut fault = |what: String| faults.push(format!("{place}: {what}: {value}"));
        match value {
            Value::String(text) => {
                let length = text.chars().count() as u64;
                if self.node["maxLength"].as_u64().is_some_and(|most| length > most) {
                    fault("is too long".to_owned());
                }
                if self.node["minLength"].as_u64().is_some_and(|least| length < least) {
                    fault("is too short".to_owned());
                }
                let well_formed = match self.node["format"].as_str() {
                    Some("date-time") => Timestamp::parse(text).is_ok(),
                    Some("email") => EmailAddress::parse(text).is_ok(),
                    _ => true,
                };
                if !well_formed {
                    fault(format!("is not a {}", self.node["format"]));
                }
            }
            Value::Number(number) => {
                let number = number.as_f64().unwrap();
                if self.node["maximum"].as_f64().is_some_and(|most| number > most)
                    || self.node["minimum"].as_f64().is_some_and(|least| number < least)
                {
                    fault("is out of range".to_owned());
                }
            }
            Value::Array(values) => {
                if let Some(items) = self.node.get("items") {
                    for (index, value) in values.iter().enumerate() {
                        self.with_node(items).check(value, &format!("{place}/{index}"), mode, faults);
                    }
                }
            }
            Value::Object(object) => self.check_object(object, place, mode, faults),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn check_object(
        self,
        object: &Map<String, Value>,
        place: &str,
        (whole, but): (bool, &[&str]),
        faults: &mut Vec<String>,
    ) {
        let properties = self.properties();
        if properties.is_empty() {
            return;
        }
        // The linkage of a to-many relationship is left out unless the relationship is included.
        let is_relationship = place.rsplit('/').nth(1) == Some("relationships");
        let optional = |name: &str| is_relationship && !self.required().contains(&name);
        for (name, of) in &properties {
            match object.get(*name) {
                Some(value) => of.check(value, &format!("{place}/{name}"), (whole, but), faults),
                None if whole && !but.contains(name) && !optional(name) => {
                    faults.push(format!("{place}/{name}: is missing"));
                }
                None => {}
            }
        }
        for name in object.keys().filter(|name| !properties.iter().any(|(known, _)| known == name)) {
            faults.push(format!("{place}/{name}: is not documented"));
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("{name} is not a type of JSON Schema"),
    }
}

#[test]
fn the_checker_finds_what_does_not_fit() {
    let document =
        json!({ "components": { "schemas": { "Kind": { "type": "string", "enum": ["a", "b"] } } } });
    let node = json!({
        "type": "object",
        "properties": {
            "kind": { "$ref": "#/components/schemas/Kind" },
            "at": { "type": ["string", "null"], "format": "date-time" },
            "by": { "oneOf": [{ "$ref": "#/components/schemas/Kind" }, { "type": "null" }] },
            "list": { "type": "array", "items": { "type": "integer", "maximum": 9 } },
        },
    });
    let schema = Schema::new(&document, &node);
    let good = json!({ "kind": "a", "at": null, "by": "b", "list": [1, 9] });
    assert_eq!(schema.violations(&good, true, &[]), Vec::<String>::new());
    assert_eq!(schema.violations(&json!({ "kind": "a" }), false, &[]), Vec::<String>::new());
    for bad in [
        json!({ "kind": "a", "at": null, "by": "b" }),
        json!({ "kind": "c", "at": null, "by": "b", "list": [] }),
        json!({ "kind": "a", "at": "noon", "by": "b", "list": [] }),
        json!({ "kind": "a", "at": null, "by": 7, "list": [] }),
        json!({ "kind": "a", "at": null, "by": null, "list": [10] }),
        json!({ "kind": "a", "at": null, "by": null, "list": [], "more": 1 }),
        json!([]),
    ] {
        assert_eq!(schema.violations(&bad, true, &[]).len(), 1, "{bad}");
    }
}
