//! Records that are found by part of their name, with what distinguishes them and nothing else.

use crate::{BaseStationId, PersonId, PersonName, TagId};

#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct FoundPerson {
    pub id: PersonId,
    pub name: String,
    pub company: Option<String>,
    pub employee_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct FoundTag {
    pub id: TagId,
    pub serial: String,
    /// The current wearer.
    #[row(columns("person_id", "person_name", "person_kind"))]
    pub person: Option<PersonName>,
}

#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct FoundBaseStation {
    pub id: BaseStationId,
    pub serial: String,
    pub name: Option<String>,
}

/// The records that fit a text best, those first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    pub records: Vec<T>,
    /// Whether there are more.
    pub has_more: bool,
}
