//! JSON values as devices send them, borrowed from the body where possible.
//!
//! An event is first read as a plain JSON value, and its fields are checked afterwards, so that an event with wrong types is rejected by
//! itself. Only one event of a batch is in memory as a JSON value at a time, and the number of its values is limited, because a body can
//! hold millions of them.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// The maximum number of values in one event. The largest event is an hour of fixes, with seven values each.
const MAX_VALUES: u32 = 40_000;

/// A JSON value. Text is borrowed from the body where possible.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
    /// The event has more values than any valid event. The excess was skipped.
    TooManyValues,
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let room = Cell::new(MAX_VALUES);
        let value = BoundedValue(&room).deserialize(deserializer)?;
        Ok(if room.get() == 0 { Json::TooManyValues } else { value })
    }
}

/// Reads a value while the remaining number of values allows it.
#[derive(Clone, Copy)]
struct BoundedValue<'r>(&'r Cell<u32>);

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        match self.0.get().checked_sub(1) {
            Some(room) if room > 0 => {
                self.0.set(room);
                deserializer.deserialize_any(self)
            }
            _ => {
                self.0.set(0);
                deserializer.deserialize_ignored_any(IgnoredAny)?;
                Ok(Json::Null)
            }
        }
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        // An integer that does not fit into i64 is out of range for every field.
        Ok(i64::try_from(value).map_or(Json::Float(f64::INFINITY), Json::Int))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Json::Float(value))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            if self.0.get() > 0 {
                all.push(value);
            }
        }
        Ok(Json::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::with_capacity(12);
        while let Some(Key(key)) = map.next_key()? {
            let value = map.next_value_seed(self)?;
            if self.0.get() > 0 {
                all.push((key, value));
            }
        }
        Ok(Json::Object(all))
    }
}

/// A field name that is borrowed where possible; serde always copies a `Cow`.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(value)))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(value.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_too_many_values_is_passed_over() {
        let text = format!("[{}1]", "1,".repeat(100_000));
        assert_eq!(serde_json::from_str::<Json<'_>>(&text).unwrap(), Json::TooManyValues);
        let list = [Json::Int(1), Json::Float(2.5), Json::Text("x\n".into()), Json::Null];
        let found: Json<'_> = serde_json::from_str("{\"a\": [1, 2.5, \"x\\n\", null]}").unwrap();
        assert_eq!(found, Json::Object(vec![("a".into(), Json::List(list.to_vec()))]));
    }
}
