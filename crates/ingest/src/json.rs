//! JSON as devices send it, without copying what need not be copied.
//!
//! Events come by the thousand, and each must be told apart when it is wrong: so an event is first read as what it is, whatever
//! the types, and then as what it should be. Of a batch one such event is in memory at a time, and none of more values than any
//! event has: a body can hold millions of them.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// The most values of one event: the largest are an hour of positions, of seven values each.
const MAX_VALUES: u32 = 40_000;

/// A value. Text points into the body where it can.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
    /// More values than any event has; they were passed over.
    TooManyValues,
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let room = Cell::new(MAX_VALUES);
        let value = BoundedValue(&room).deserialize(deserializer)?;
        Ok(if room.get() == 0 { Json::TooManyValues } else { value })
    }
}

/// Reads a value while there is room for more.
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
        // What no i64 holds is out of every range here.
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

/// A name of a field; serde's own `Cow` is always copied.
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
