//! JSON as devices send it, without copying what need not be copied.
//!
//! Events come by the thousand, and each must be told apart when it is wrong: so a batch is first read as what it is, whatever
//! the types, and then event by event as what it should be.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

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
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
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
        while let Some(value) = list.next_element()? {
            all.push(value);
        }
        Ok(Json::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::with_capacity(12);
        while let Some((Key(key), value)) = map.next_entry()? {
            all.push((key, value));
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

/// The elements of an array, up to a limit: one more than that is read, so that the caller can tell.
pub struct Elements<'a>(pub Vec<Json<'a>>);

impl<'a> Elements<'a> {
    /// Reads an array of at most `limit` elements; `Ok(None)` if there are more, or if it is no array.
    pub fn read(bytes: &'a [u8], limit: usize) -> Result<Option<Self>, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let elements = deserializer.deserialize_seq(Bounded { limit })?;
        if elements.0.len() > limit {
            return Ok(None);
        }
        deserializer.end()?;
        Ok(Some(elements))
    }
}

struct Bounded {
    limit: usize,
}

impl<'de> Visitor<'de> for Bounded {
    type Value = Elements<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::with_capacity(list.size_hint().unwrap_or(1_000).min(self.limit));
        while let Some(value) = list.next_element()? {
            all.push(value);
            if all.len() > self.limit {
                // The rest is not looked at, so it need not be right.
                while list.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            }
        }
        Ok(Elements(all))
    }
}
