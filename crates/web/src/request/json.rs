//! Strict JSON parsing: duplicate keys are refused, because parsers disagree on their meaning.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A JSON value without duplicate keys in any object.
struct Strict(Value);

/// Parses a whole document. The error is a sentence with the position.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, String> {
    // serde_json stops at a depth of 128, so no document can exhaust the stack.
    serde_json::from_slice::<Strict>(bytes).map(|Strict(value)| value).map_err(|error| error.to_string())
}

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if map.contains_key(&key) {
                let shown: String = key.chars().take(64).collect();
                return Err(A::Error::custom(format_args!("the key {shown:?} occurs twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ambiguous_is_refused() {
        assert!(parse(br#"{"a": {"b": [1, 2.5, null, true, "x"]}}"#).is_ok());
        assert!(parse(br#"{"a": 1, "a": 2}"#).unwrap_err().contains("twice"));
        assert!(parse(br#"{"a": {"b": 1, "b": 1}}"#).is_err());
        for broken in [&b"{"[..], b"{} x", b"", b"\xff", b"{\"a\": \"\x00\"}", b"nul"] {
            assert!(parse(broken).is_err(), "{broken:?} was taken");
        }
        assert!(parse("[".repeat(10_000).as_bytes()).is_err());
    }
}
