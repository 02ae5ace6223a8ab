//! Records that can be sent back as they were read.

use domain::Timestamp;
use serde_json::Value;

/// A record as it is shown, which a PATCH changes. `#[web::answer(record)]` implements it.
pub trait Record {
    /// Returns whether the record is shown with a member of this name.
    fn has_member(name: &str) -> bool;
}

/// Members of a stored record that never change. The body of a change may repeat them, but must not alter them.
#[derive(Clone, Debug, Default)]
pub struct FixedMembers(Vec<FixedMember>);

#[derive(Clone, Debug)]
struct FixedMember {
    name: &'static str,
    value: FixedValue,
    /// Text for callers who send another value.
    refusal: &'static str,
}

#[derive(Clone, Debug)]
enum FixedValue {
    Id(i64),
    Time(Timestamp),
    Text(String),
    /// Any of these words.
    Words(&'static [&'static str]),
}

impl FixedMembers {
    /// The identifier and the time of creation, which every record of V1 has.
    pub fn new(id: i64, created_at: Timestamp) -> Self {
        Self(vec![
            FixedMember::new("id", FixedValue::Id(id)),
            FixedMember::new("created_at", FixedValue::Time(created_at)),
        ])
    }

    /// The time of creation alone, for JSON:API, where the id is not an attribute.
    pub fn created_at(created_at: Timestamp) -> Self {
        Self(vec![FixedMember::new("created_at", FixedValue::Time(created_at))])
    }

    /// Adds a text that cannot be changed.
    #[must_use]
    pub fn with_text(mut self, name: &'static str, text: &str) -> Self {
        self.0.push(FixedMember::new(name, FixedValue::Text(text.to_owned())));
        self
    }

    /// Adds a word that operations of its own change, which `refusal` names. `words` are those that do not ask for such a change.
    #[must_use]
    pub fn with_words(
        mut self,
        name: &'static str,
        words: &'static [&'static str],
        refusal: &'static str,
    ) -> Self {
        self.0.push(FixedMember { name, value: FixedValue::Words(words), refusal });
        self
    }

    /// Returns each name with the text for callers who send another value.
    pub(crate) fn refusals(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().map(|member| (member.name, member.refusal))
    }

    /// Returns whether a value is the stored one. Times are equal if they are the same instant, however they are written.
    pub(crate) fn is_stored(&self, name: &str, given: &Value) -> bool {
        let stored = self.0.iter().find(|member| member.name == name);
        stored.is_some_and(|stored| match &stored.value {
            FixedValue::Id(id) => given.as_i64() == Some(*id),
            FixedValue::Time(at) => {
                given.as_str().and_then(|text| Timestamp::parse(text).ok()).is_some_and(|given| given == *at)
            }
            FixedValue::Text(text) => given.as_str() == Some(text.as_str()),
            FixedValue::Words(words) => given.as_str().is_some_and(|given| words.contains(&given)),
        })
    }
}

impl FixedMember {
    fn new(name: &'static str, value: FixedValue) -> Self {
        Self { name, value, refusal: "cannot be changed; leave it out" }
    }
}
