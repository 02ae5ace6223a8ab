//! Reading a body field by field, so that all invalid fields are reported together.

use std::ops::RangeInclusive;

use app::{Error, FieldError};
use domain::{Change, Invalid, Percent, Year};
use serde_json::{Map, Value};

use crate::request::record::FixedMembers;

/// The fields of an object that is being read.
pub struct Fields {
    remaining: Map<String, Value>,
    faults: Vec<FieldError>,
}

impl Fields {
    pub(crate) fn new(object: Map<String, Value>) -> Self {
        Self { remaining: object, faults: Vec::new() }
    }

    /// Removes and returns a field, without reading it.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.remaining.remove(name)
    }

    /// Reads a required field. `None` means that an error was recorded.
    pub fn required<T>(&mut self, name: &str, read: impl FnOnce(&Value) -> Result<T, Invalid>) -> Option<T> {
        match self.remaining.remove(name) {
            None | Some(Value::Null) => self.add_fault(name, Invalid::new("required", "must be given")),
            Some(value) => self.read(name, &value, read),
        }
    }

    /// Reads a field that may be left out or null. The outer `None` means that an error was recorded.
    pub fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Value) -> Result<T, Invalid>,
    ) -> Option<Option<T>> {
        match self.remaining.remove(name) {
            None | Some(Value::Null) => Some(None),
            Some(value) => self.read(name, &value, read).map(Some),
        }
    }

    /// Reads a field of a change that may be left out but not set to null. `None` means that an error was recorded.
    pub fn change<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Value) -> Result<T, Invalid>,
    ) -> Option<Change<T>> {
        if !self.remaining.contains_key(name) {
            return Some(Change::Keep);
        }
        self.required(name, read).map(Change::Set)
    }

    /// Reads a field of a change that may be left out, or removed with null. `None` means that an error was recorded.
    pub fn change_optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Value) -> Result<T, Invalid>,
    ) -> Option<Change<Option<T>>> {
        if !self.remaining.contains_key(name) {
            return Some(Change::Keep);
        }
        self.optional(name, read).map(Change::Set)
    }

    /// Reads a list of a change. `read` gets the path of each item, such as `zones.0`. `None` means that an error was recorded.
    pub fn change_list<T>(
        &mut self,
        name: &str,
        max_items: usize,
        mut read: impl FnMut(&mut Self, &str, Value) -> Option<T>,
    ) -> Option<Change<Vec<T>>> {
        let items = match self.remaining.remove(name) {
            None => return Some(Change::Keep),
            Some(Value::Null) => return self.add_fault(name, Invalid::new("required", "must be given")),
            Some(Value::Array(items)) => items,
            Some(_) => return self.add_fault(name, Invalid::new("wrong_type", "must be a list")),
        };
        if items.len() > max_items {
            return self
                .add_fault(name, Invalid::new("too_many", format!("must have at most {max_items} items")));
        }
        let mut values = Some(Vec::with_capacity(items.len()));
        for (index, item) in items.into_iter().enumerate() {
            let value = read(self, &format!("{name}.{index}"), item);
            values = values.zip(value).map(|(mut values, value)| {
                values.push(value);
                values
            });
        }
        values.map(Change::Set)
    }

    /// Reads an object inside the body field by field. Its errors are recorded under its path.
    pub fn object<T>(
        &mut self,
        path: &str,
        value: Value,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let Value::Object(object) = value else {
            return self.add_fault(path, Invalid::new("wrong_type", "must be an object"));
        };
        let mut inner = Self::new(object);
        let value = read(&mut inner);
        inner.reject_unknown();
        let is_sound = inner.faults.is_empty();
        self.faults.extend(
            inner
                .faults
                .into_iter()
                .map(|fault| FieldError { field: format!("{path}.{}", fault.field), ..fault }),
        );
        value.filter(|_| is_sound)
    }

    /// Reads a value inside the body. An error is recorded under its path.
    pub fn item<T>(
        &mut self,
        path: &str,
        value: &Value,
        read: impl FnOnce(&Value) -> Result<T, Invalid>,
    ) -> Option<T> {
        self.read(path, value, read)
    }

    fn read<T>(
        &mut self,
        name: &str,
        value: &Value,
        read: impl FnOnce(&Value) -> Result<T, Invalid>,
    ) -> Option<T> {
        read(value).map_or_else(|invalid| self.add_fault(name, invalid), Some)
    }

    /// Records an error that only shows when several fields are seen together.
    pub fn add_fault<T>(&mut self, name: &str, invalid: Invalid) -> Option<T> {
        self.faults.push(FieldError { field: name.to_owned(), invalid });
        None
    }

    /// Ignores all fields that have not been read.
    pub fn ignore_unknown(&mut self) {
        self.remaining.clear();
    }

    /// Accepts what a caller has read and sends back, after the fields that can be changed have been read: members that never change
    /// must be equal to the stored ones, and other members that are shown are ignored.
    pub fn accept_shown(&mut self, fixed: &FixedMembers, is_shown: impl Fn(&str) -> bool) {
        for (name, refusal) in fixed.refusals() {
            if self.remaining.remove(name).is_some_and(|given| !fixed.is_stored(name, &given)) {
                let _: Option<()> = self.add_fault(name, Invalid::new("read_only", refusal));
            }
        }
        self.remaining.retain(|name, _| !is_shown(name));
    }

    /// Finishes reading. Fields that have not been read are errors.
    pub(crate) fn finish<T>(mut self, value: Option<T>) -> Result<T, Error> {
        self.reject_unknown();
        match value {
            Some(value) if self.faults.is_empty() => Ok(value),
            _ => Err(Error::invalid(self.faults)),
        }
    }

    fn reject_unknown(&mut self) {
        for name in std::mem::take(&mut self.remaining).keys().take(20) {
            let shown: String = name.chars().take(64).collect();
            let _: Option<()> =
                self.add_fault(&shown, Invalid::new("unknown_field", "is not a field of this body"));
        }
    }
}

/// Reads an object field by field. All errors are reported together.
pub fn read_fields<T>(
    object: Map<String, Value>,
    read: impl FnOnce(&mut Fields) -> Option<T>,
) -> Result<T, Error> {
    let mut fields = Fields::new(object);
    let value = read(&mut fields);
    fields.finish(value)
}

/// Reads a string and passes it to a parser of the domain.
pub fn text<T>(parse: impl FnOnce(&str) -> Result<T, Invalid>) -> impl FnOnce(&Value) -> Result<T, Invalid> {
    |value| match value {
        // Refused here for all fields: PostgreSQL cannot store NUL in a text.
        Value::String(text) if text.contains('\0') => {
            Err(Invalid::new("control_character", "must not contain control characters"))
        }
        Value::String(text) => parse(text),
        _ => Err(Invalid::new("wrong_type", "must be a string")),
    }
}

pub fn id(value: &Value) -> Result<i64, Invalid> {
    value.as_i64().ok_or_else(|| Invalid::new("wrong_type", "must be an id, which is a whole number"))
}

pub fn percent(value: &Value) -> Result<Percent, Invalid> {
    match value.as_i64() {
        Some(number) => Percent::new(number),
        None => Err(Invalid::new("wrong_type", "must be a whole number")),
    }
}

pub fn year(value: &Value) -> Result<Year, Invalid> {
    match value.as_i64() {
        Some(number) => Year::new(number),
        None => Err(Invalid::new("wrong_type", "must be a whole number")),
    }
}

pub fn integer_within(range: RangeInclusive<i64>) -> impl FnOnce(&Value) -> Result<i64, Invalid> {
    move |value| match value.as_i64() {
        Some(number) if range.contains(&number) => Ok(number),
        Some(_) => {
            let (min, max) = (range.start(), range.end());
            Err(Invalid::new("out_of_range", format!("must be a whole number from {min} to {max}")))
        }
        None => Err(Invalid::new("wrong_type", "must be a whole number")),
    }
}

pub fn boolean(value: &Value) -> Result<bool, Invalid> {
    value.as_bool().ok_or_else(|| Invalid::new("wrong_type", "must be true or false"))
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use serde_json::json;

    use super::*;

    type Faults = Vec<(String, &'static str)>;

    fn read(body: Value) -> Result<(String, Option<String>), Faults> {
        let Value::Object(object) = body else { panic!("an object") };
        let mut fields = Fields::new(object);
        let keep = |text: &str| Ok(text.to_owned());
        let name = fields.required("name", text(keep));
        let note = fields.optional("note", text(keep));
        let value = name.zip(note);
        fields.finish(value).map_err(|error| {
            error.fields.into_iter().map(|field| (field.field, field.invalid.code)).collect()
        })
    }

    #[test]
    fn what_was_read_can_be_sent_back() {
        let fixed = FixedMembers::new(7, Timestamp::parse("2026-03-01T08:00:00Z").unwrap())
            .with_text("serial", "T-1")
            .with_words("mode", &["new", "used"], "cannot be changed here");
        let faults = |body: Value| {
            let Value::Object(object) = body else { panic!("an object") };
            let mut fields = Fields::new(object);
            let name = fields.required("name", text(|text| Ok(text.to_owned())));
            fields.accept_shown(&fixed, |member| ["id", "name", "state"].contains(&member));
            let faults = fields.finish(name).map_err(|error| error.fields).err().unwrap_or_default();
            faults.iter().map(|fault| format!("{}: {}", fault.field, fault.invalid.code)).collect::<Vec<_>>()
        };
        let shown = json!({
            "id": 7, "name": "a", "state": "stock", "serial": "T-1", "created_at": "2026-03-01T09:00:00+01:00",
            "mode": "used",
        });
        assert_eq!(faults(shown), [""; 0]);
        let altered = json!({
            "id": 8, "name": 1, "state": 1, "serial": null, "created_at": "2026-03-01T09:00:00Z", "colour": 1,
            "mode": "gone",
        });
        let expected = [
            "name: wrong_type",
            "id: read_only",
            "created_at: read_only",
            "serial: read_only",
            "mode: read_only",
            "colour: unknown_field",
        ];
        assert_eq!(faults(altered), expected);
    }

    #[test]
    fn faults_inside_lists_are_named_by_their_place() {
        let read = |body: Value| {
            let Value::Object(object) = body else { panic!("an object") };
            let mut fields = Fields::new(object);
            let list = fields.change_list("list", 2, |fields, path, value| {
                fields.object(path, value, |fields| fields.required("name", text(|text| Ok(text.to_owned()))))
            });
            fields.finish(list).map_err(|error| {
                let faults = error.fields.iter();
                faults.map(|fault| format!("{}: {}", fault.field, fault.invalid.code)).collect::<Vec<_>>()
            })
        };
        assert_eq!(read(json!({})), Ok(Change::Keep));
        assert_eq!(read(json!({ "list": [] })), Ok(Change::Set(vec![])));
        assert_eq!(read(json!({ "list": [{ "name": "a" }] })), Ok(Change::Set(vec!["a".to_owned()])));
        let faults = read(json!({ "list": [{ "name": 7, "x": 1 }, "y"] })).unwrap_err();
        assert_eq!(faults, ["list.0.name: wrong_type", "list.0.x: unknown_field", "list.1: wrong_type"]);
        for (list, fault) in
            [(json!([1, 2, 3]), "too_many"), (json!("x"), "wrong_type"), (Value::Null, "required")]
        {
            assert_eq!(read(json!({ "list": list })).unwrap_err(), [format!("list: {fault}")]);
        }
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        assert_eq!(read(json!({ "name": "a" })), Ok(("a".to_owned(), None)));
        assert_eq!(read(json!({ "name": "a", "note": null })), Ok(("a".to_owned(), None)));
        let faults = read(json!({ "note": 7, "colour": "red" })).unwrap_err();
        let expected = [("name", "required"), ("note", "wrong_type"), ("colour", "unknown_field")];
        assert_eq!(faults, expected.map(|(field, code)| (field.to_owned(), code)));
        assert_eq!(read(json!({ "name": "a\0" })).unwrap_err()[0].1, "control_character");
    }
}
