//! Reads settings into their types, and says in which key a value cannot be used.
//!
//! All sections are compiled for this reader alone. It asks each value for the kind that its type wants instead of offering all kinds to
//! all types, so that few functions are made.

use std::fmt;

use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;
use toml::{Table, Value};

/// Reads a table of settings.
pub fn read<'de, T: Deserialize<'de>>(settings: &'de Table) -> Result<T, Fault> {
    T::deserialize(Section(settings))
}

/// Why a value cannot be used, and its key. Values are left out, since they may be passwords.
#[derive(Debug)]
pub struct Fault {
    key: String,
    reason: String,
}

impl Fault {
    /// Returns the key, unless all settings together are at fault, and the reason.
    pub fn into_parts(self) -> (Option<String>, String) {
        (Some(self.key).filter(|key| !key.is_empty()), self.reason)
    }

    fn within(mut self, key: &str) -> Self {
        let separator = if self.key.is_empty() || self.key.starts_with('[') { "" } else { "." };
        self.key = format!("{key}{separator}{}", self.key);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.reason)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { key: String::new(), reason: reason.to_string() }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("invalid type: {}, expected {expected}", kind(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("invalid value: {}, expected {expected}", kind(found)))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        let expected: Vec<String> = expected.iter().map(|name| format!("`{name}`")).collect();
        let one_of = if expected.len() > 2 { "one of " } else { "" };
        let separator = if expected.len() > 2 { ", " } else { " or " };
        Self::custom(format_args!("unknown variant, expected {one_of}{}", expected.join(separator)))
    }
}

/// Says what kind of value was found, without the value.
fn kind(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(_) => "boolean".to_owned(),
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "integer".to_owned(),
        Unexpected::Float(_) => "floating point".to_owned(),
        Unexpected::Char(_) => "character".to_owned(),
        Unexpected::Str(_) => "string".to_owned(),
        Unexpected::Other(kind) => kind.to_owned(),
        // What is left has no value in its text.
        kind => kind.to_string(),
    }
}

/// A value, which is asked for one kind.
struct Reader<'de>(&'de Value);

impl Reader<'_> {
    fn fault(&self, expected: &dyn Expected) -> Fault {
        let found = match self.0 {
            Value::Boolean(value) => Unexpected::Bool(*value),
            Value::Integer(value) => Unexpected::Signed(*value),
            Value::Float(value) => Unexpected::Float(*value),
            Value::String(_) => Unexpected::Str(""),
            Value::Datetime(_) => Unexpected::Other("datetime"),
            Value::Array(_) => Unexpected::Seq,
            Value::Table(_) => Unexpected::Map,
        };
        Fault::invalid_type(found, expected)
    }

    fn integer(&self, expected: &dyn Expected) -> Result<i64, Fault> {
        self.0.as_integer().ok_or_else(|| self.fault(expected))
    }
}

macro_rules! integers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let value = self.integer(&visitor)?;
            visitor.visit_i64(value)
        }
    )*};
}

macro_rules! texts {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.0 {
                Value::String(text) => visitor.visit_str(text),
                Value::Datetime(date) => visitor.visit_str(&date.to_string()),
                _ => Err(self.fault(&visitor)),
            }
        }
    )*};
}

macro_rules! floats {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.0 {
                Value::Float(value) => visitor.visit_f64(*value),
                _ => {
                    let value = self.integer(&visitor)?;
                    visitor.visit_i64(value)
                }
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Fault;

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }
    floats! { deserialize_f32 deserialize_f64 }
    texts! { deserialize_char deserialize_str deserialize_string deserialize_identifier }
    forward_to_deserialize_any! { bytes byte_buf unit unit_struct ignored_any }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Boolean(_) => self.deserialize_bool(visitor),
            Value::Integer(_) => self.deserialize_i64(visitor),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::String(_) | Value::Datetime(_) => self.deserialize_str(visitor),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Table(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Boolean(value) => visitor.visit_bool(*value),
            _ => Err(self.fault(&visitor)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Array(values) => visitor.visit_seq(Elements { values, next: 0 }),
            _ => Err(self.fault(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Table(table) => visitor.visit_map(Entries::new(table)),
            _ => Err(self.fault(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0 {
            Value::String(variant) => {
                let variant: StrDeserializer<'_, Fault> = variant.as_str().into_deserializer();
                visitor.visit_enum(variant)
            }
            _ => Err(self.fault(&"string")),
        }
    }
}

/// All settings.
struct Section<'de>(&'de Table);

impl<'de> Deserializer<'de> for Section<'de> {
    type Error = Fault;

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(Entries::new(self.0))
    }
}

/// The entries of a table that have not been read yet.
struct Entries<'de> {
    entries: toml::map::Iter<'de, String, Value>,
    current: Option<(&'de str, &'de Value)>,
}

impl<'de> Entries<'de> {
    fn new(table: &'de Table) -> Self {
        Self { entries: table.iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.current = self.entries.next().map(|(key, value)| (key.as_str(), value));
        let Some((key, _)) = self.current else { return Ok(None) };
        let name: StrDeserializer<'_, Fault> = key.into_deserializer();
        seed.deserialize(name).map(Some).map_err(|fault| fault.within(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let (key, value) = self.current.take().ok_or_else(|| Fault::custom("has no value"))?;
        seed.deserialize(Reader(value)).map_err(|fault| fault.within(key))
    }
}

/// The elements of a list that have not been read yet.
struct Elements<'de> {
    values: &'de [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Fault;

    fn next_element_seed<E: DeserializeSeed<'de>>(&mut self, seed: E) -> Result<Option<E::Value>, Fault> {
        let index = self.next;
        let Some(value) = self.values.get(index) else { return Ok(None) };
        self.next += 1;
        seed.deserialize(Reader(value)).map(Some).map_err(|fault| fault.within(&format!("[{index}]")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Settings {
        #[expect(dead_code, reason = "only read")]
        name: String,
        #[expect(dead_code, reason = "only read")]
        limits: Vec<Limit>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    struct Limit {
        #[expect(dead_code, reason = "only read")]
        most: u16,
        #[expect(dead_code, reason = "only read")]
        ratio: Option<f64>,
        #[expect(dead_code, reason = "only read")]
        mode: Mode,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Off,
        Soft,
        Hard,
    }

    fn fault(text: &str) -> (Option<String>, String) {
        let table: Table = text.parse().unwrap();
        read::<Settings>(&table).unwrap_err().into_parts()
    }

    #[test]
    fn what_can_be_used_is_read() {
        for text in [
            "name = \"a\"\nlimits = []",
            "name = \"a\"\nlimits = [{ most = 1, mode = \"soft\" }, { most = 65535, ratio = 1, mode = \"hard\" }]",
            "name = \"a\"\n[[limits]]\nmost = 1\nratio = 0.5\nmode = \"off\"",
        ] {
            let table: Table = text.parse().unwrap();
            read::<Settings>(&table).unwrap();
        }
    }

    #[test]
    fn faults_name_the_key_and_leave_the_value_out() {
        for (text, key, reason) in [
            ("name = 731731\nlimits = []", "name", "invalid type: integer, expected a string"),
            ("name = true\nlimits = []", "name", "invalid type: boolean, expected a string"),
            ("name = \"\"\nlimits = \"731731\"", "limits", "invalid type: string, expected a sequence"),
            ("name = \"\"\nlimits = [731731]", "limits[0]", "invalid type: integer, expected struct Limit"),
            (
                "name = \"\"\nlimits = [{ most = 731731, mode = \"off\" }]",
                "limits[0].most",
                "invalid value: integer, expected u16",
            ),
            (
                "name = \"\"\nlimits = [{ most = 731731.5, mode = \"off\" }]",
                "limits[0].most",
                "invalid type: floating point, expected u16",
            ),
            (
                "name = \"\"\nlimits = [{ most = 1, mode = \"731731\" }]",
                "limits[0].mode",
                "unknown variant, expected one of `off`, `soft`, `hard`",
            ),
            (
                "name = \"\"\nlimits = [{ most = 1, mode = 731731 }]",
                "limits[0].mode",
                "invalid type: integer, expected string",
            ),
            (
                "name = \"\"\nlimits = [{ most = 1, mode = \"off\", ratio = \"731731\" }]",
                "limits[0].ratio",
                "invalid type: string, expected f64",
            ),
            (
                "name = \"\"\nlimits = [{ most = 1, mode = \"off\" }, { mode = \"off\" }]",
                "limits[1]",
                "missing field `most`",
            ),
            ("name = \"\"\nlimit = 731731", "limit", "unknown field `limit`, expected `name` or `limits`"),
        ] {
            assert_eq!(fault(text), (Some(key.to_owned()), reason.to_owned()), "{text}");
        }
        assert_eq!(fault("name = \"\""), (None, "missing field `limits`".to_owned()));
    }

    #[test]
    fn a_list_of_two_variants_is_joined() {
        let fault = Fault::unknown_variant("731731, expected b", &["none", "tls"]);
        assert_eq!(fault.into_parts().1, "unknown variant, expected `none` or `tls`");
        let fault = Fault::invalid_type(Unexpected::Str("731731, expected b"), &"u16");
        assert_eq!(fault.into_parts().1, "invalid type: string, expected u16");
    }
}
