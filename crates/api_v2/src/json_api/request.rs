//! Request documents of JSON:API: resource objects and resource linkage that clients send.

use app::{Error, ErrorKind, FieldError};
use domain::Invalid;
use serde_json::{Map, Value};
use web::{BodyFormat, Fields, FixedMembers, FromFields, read_fields};

use super::included::MAX_INCLUDED;
use super::object::Linkage;
use super::pointers::escape_pointer;
use super::resource::{Relationship, ResourceDefinition};

/// Maximum number of identifiers in the body of a relationship.
const MAX_LINKS: usize = 100;

/// Maximum number of faults that one error response lists.
const MAX_FAULTS: usize = 20;

/// The primary data of a document. Unknown top-level members are ignored, as JSON:API requires.
pub struct Payload(Value);

impl FromFields for Payload {
    const FORMAT: BodyFormat = BodyFormat::JsonApi;

    fn read(fields: &mut Fields) -> Option<Self> {
        let data = fields.take("data");
        fields.ignore_unknown();
        match data {
            Some(data) => Some(Self(data)),
            None => fields.add_fault("data", required()),
        }
    }
}

/// Whether a document creates a resource or changes an existing one.
#[derive(Clone, Debug)]
pub enum Target {
    New,
    Existing(StoredResource),
}

/// What is stored of the resource that a document changes, as far as the document may repeat it.
#[derive(Clone, Debug)]
pub struct StoredResource {
    /// The id of the path.
    id: i64,
    fixed: FixedMembers,
    linkages: Vec<(&'static str, Linkage)>,
}

impl StoredResource {
    /// `fixed` are the attributes that never change.
    pub fn new(id: i64, fixed: FixedMembers) -> Self {
        Self { id, fixed, linkages: Vec::new() }
    }

    /// Adds the linkage of a relationship that is changed at its own link only.
    #[must_use]
    pub fn with_linkage(mut self, relationship: &'static str, linkage: Linkage) -> Self {
        self.linkages.push((relationship, linkage));
        self
    }

    fn has_linkage(&self, relationship: &str, data: &Value) -> bool {
        let stored = self.linkages.iter().find(|(name, _)| *name == relationship);
        stored.is_some_and(|(_, linkage)| linkage.has_same_members(data))
    }
}

impl Payload {
    /// Returns how many members the document names in a to-many relationship of its resource. `None` without such a relationship, and for
    /// more members than any document shows.
    pub fn count_members(&self, relationship: &str) -> Option<usize> {
        let items = self.0["relationships"][relationship]["data"].as_array()?;
        (items.len() <= MAX_INCLUDED).then_some(items.len())
    }

    /// Reads a resource object: its attributes, and its relationships under the field names of the use case. Faults of fields have
    /// these names too; [`with_pointers`](super::with_pointers) replaces them.
    ///
    /// What was read can be sent back to an existing resource. Ignored are attributes that are shown and cannot be set, relationships
    /// without data, derived relationships, which may have changed since, and relationships that are changed at their own link if they
    /// are as stored.
    pub fn resource<T>(
        self,
        shape: &ResourceDefinition,
        target: &Target,
        read: impl FnOnce(&mut Fields) -> Option<T>,
    ) -> Result<T, Error> {
        let mut faults = Faults::default();
        let Value::Object(mut data) = self.0 else {
            return Err(faults.add("/data", wrong_type("must be a resource object")).take_error());
        };
        check_type(data.get("type"), "/data", shape.kind, &mut faults)?;
        check_id(data.get("id"), target, &mut faults)?;
        if data.get("lid").is_some_and(|lid| !lid.is_string()) {
            faults.add("/data/lid", wrong_type("must be a string"));
        }
        let mut fields = members(&mut data, "attributes", &mut faults);
        for relationship in shape.relationships {
            if let Some(field) = relationship.field
                && fields.remove(field).is_some()
            {
                let message =
                    format!("is not a field of this body; see the relationship {}", relationship.name);
                let place = format!("/data/attributes/{field}");
                faults.add(&place, Invalid::new("unknown_field", message));
            }
        }
        let mut missing = None;
        for (name, value) in members(&mut data, "relationships", &mut faults) {
            let place = format!("/data/relationships/{}", escape_pointer(&name));
            let Some(relationship) = shape.relationship(&name) else {
                faults.add(&place, Invalid::new("unknown_field", "is not a relationship of this resource"));
                continue;
            };
            let data = value.as_object().and_then(|object| object.get("data"));
            if let Target::Existing(stored) = target
                && value.is_object()
            {
                let is_stored =
                    |data: &Value| relationship.field.is_none() && stored.has_linkage(&name, data);
                if relationship.is_derived || data.is_none_or(is_stored) {
                    continue;
                }
            }
            let Some(field) = relationship.field else {
                return Err(forbidden(&place, relationship));
            };
            let Some(data) = data else {
                match value.is_object() {
                    true => faults.add(&format!("{place}/data"), required()),
                    false => faults.add(&place, wrong_type("must be a relationship object")),
                };
                continue;
            };
            let place = format!("{place}/data");
            match data {
                Value::Null => {
                    fields.insert(field.to_owned(), Value::Null);
                }
                data => match identifier(data, &place, relationship.kind, &mut faults)? {
                    Some(Ok(id)) => {
                        fields.insert(field.to_owned(), id.into());
                    }
                    Some(Err(UnknownId)) => {
                        // It is given, though nothing has it: whoever requires it must not call it missing.
                        fields.insert(field.to_owned(), 0.into());
                        missing = Some(not_found(relationship.kind, &place));
                    }
                    None => {}
                },
            }
        }
        let read = |fields: &mut Fields| {
            let value = read(fields);
            if let Target::Existing(stored) = target {
                fields.accept_shown(&stored.fixed, |name| shape.attributes.contains(&name));
            }
            value
        };
        match read_fields(fields, read) {
            Ok(value) if faults.0.is_empty() => missing.map_or(Ok(value), Err),
            Ok(_) => Err(faults.take_error()),
            Err(error) if error.kind == ErrorKind::Invalid => {
                faults.0.extend(error.fields);
                Err(faults.take_error())
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the linkage of a to-one relationship.
    pub fn into_one(self, kind: &'static str) -> Result<Option<i64>, Error> {
        let mut faults = Faults::default();
        if self.0.is_null() {
            return Ok(None);
        }
        match identifier(&self.0, "/data", kind, &mut faults)? {
            Some(Ok(id)) => Ok(Some(id)),
            Some(Err(UnknownId)) => Err(not_found(kind, "/data")),
            None => Err(faults.take_error()),
        }
    }

    /// Reads the linkage of a to-many relationship, without duplicates.
    pub fn into_many(self, kind: &'static str) -> Result<Vec<i64>, Error> {
        let mut faults = Faults::default();
        let Value::Array(items) = self.0 else {
            return Err(faults
                .add("/data", wrong_type("must be a list of resource identifiers"))
                .take_error());
        };
        if items.len() > MAX_LINKS {
            let message = format!("must have at most {MAX_LINKS} items; send them in several calls");
            return Err(faults.add("/data", Invalid::new("too_many", message)).take_error());
        }
        let (mut ids, mut missing) = (Vec::with_capacity(items.len()), None);
        for (index, item) in items.iter().enumerate() {
            let place = format!("/data/{index}");
            match identifier(item, &place, kind, &mut faults)? {
                Some(Ok(id)) if !ids.contains(&id) => ids.push(id),
                Some(Err(UnknownId)) => missing = missing.or_else(|| Some(not_found(kind, &place))),
                Some(Ok(_)) | None => {}
            }
        }
        if !faults.0.is_empty() {
            return Err(faults.take_error());
        }
        missing.map_or(Ok(ids), Err)
    }
}

/// An id that no record can have.
struct UnknownId;

/// The faults of a document, collected so that all are reported together.
#[derive(Default)]
struct Faults(Vec<FieldError>);

impl Faults {
    fn add(&mut self, place: &str, invalid: Invalid) -> &mut Self {
        if self.0.len() >= MAX_FAULTS {
            return self;
        }
        self.0.push(FieldError { field: place.to_owned(), invalid });
        self
    }

    fn take_error(&mut self) -> Error {
        Error::invalid(std::mem::take(&mut self.0))
    }
}

/// Takes a member object of a resource object. Members whose names begin with `@` are ignored, as JSON:API requires.
fn members(data: &mut Map<String, Value>, name: &str, faults: &mut Faults) -> Map<String, Value> {
    match data.remove(name) {
        None => Map::new(),
        Some(Value::Object(mut members)) => {
            members.retain(|name, _| !name.starts_with('@'));
            members
        }
        Some(_) => {
            faults.add(&format!("/data/{name}"), wrong_type("must be an object"));
            Map::new()
        }
    }
}

fn check_type(given: Option<&Value>, place: &str, expected: &str, faults: &mut Faults) -> Result<(), Error> {
    let place = format!("{place}/type");
    match given {
        Some(Value::String(kind)) if kind == expected => {}
        Some(Value::String(_)) => {
            return Err(conflict(&place, "wrong_resource_type", format!("must be {expected:?} here")));
        }
        None => {
            faults.add(&place, required());
        }
        Some(_) => {
            faults.add(&place, wrong_type("must be a string"));
        }
    }
    Ok(())
}

fn check_id(given: Option<&Value>, target: &Target, faults: &mut Faults) -> Result<(), Error> {
    match (given, target) {
        (Some(Value::String(_)), Target::New) => {
            let invalid =
                Invalid::new("client_generated_id", "is assigned by the server and must be left out");
            Err(Error::for_field(ErrorKind::Forbidden, "/data/id", invalid))
        }
        (Some(Value::String(id)), Target::Existing(own)) if *id == own.id.to_string() => Ok(()),
        (Some(Value::String(_)), Target::Existing(_)) => {
            Err(conflict("/data/id", "wrong_resource_id", "must be the id of the path".to_owned()))
        }
        (Some(_), _) => {
            faults.add("/data/id", wrong_type("must be a string"));
            Ok(())
        }
        (None, Target::Existing(_)) => {
            faults.add("/data/id", required());
            Ok(())
        }
        (None, Target::New) => Ok(()),
    }
}

/// Reads a resource identifier. `None` means that a fault was added.
fn identifier(
    value: &Value,
    place: &str,
    kind: &'static str,
    faults: &mut Faults,
) -> Result<Option<Result<i64, UnknownId>>, Error> {
    let Value::Object(object) = value else {
        faults.add(place, wrong_type("must be a resource identifier"));
        return Ok(None);
    };
    let before = faults.0.len();
    check_type(object.get("type"), place, kind, faults)?;
    let id = match (object.get("id"), object.get("lid")) {
        (Some(Value::String(text)), None) => Some(parse_canonical_id(text)),
        (Some(Value::String(_)), Some(_)) => {
            faults
                .add(&format!("{place}/lid"), Invalid::new("ambiguous", "cannot be given together with id"));
            None
        }
        (Some(_), _) => {
            faults.add(&format!("{place}/id"), wrong_type("must be a string"));
            None
        }
        (None, Some(_)) => {
            let invalid = Invalid::new("unknown_lid", "does not name a resource that this request creates");
            faults.add(&format!("{place}/lid"), invalid);
            None
        }
        (None, None) => {
            faults.add(&format!("{place}/id"), required());
            None
        }
    };
    Ok(id.filter(|_| faults.0.len() == before))
}

/// Parses an id in the form in which this API writes it. Any other form cannot be the id of a record.
fn parse_canonical_id(text: &str) -> Result<i64, UnknownId> {
    let id: i64 = text.parse().map_err(|_| UnknownId)?;
    if id.to_string() == text { Ok(id) } else { Err(UnknownId) }
}

fn not_found(kind: &str, place: &str) -> Error {
    // The same texts as in the use cases, so that an error does not reveal whether an id exists.
    let (code, what) = match kind {
        "projects" => ("unknown_project", "is not a project that you see"),
        "worksites" => ("unknown_worksite", "is not a worksite that you see"),
        "machines" => ("unknown_machine", "is not a machine that you see"),
        "people" => ("unknown_person", "is not a person that you see"),
        "saved_views" => ("unknown_saved_view", "is not a saved view that you see"),
        _ => ("unknown_resource", "does not exist"),
    };
    Error::for_field(ErrorKind::NotFound, place, Invalid::new(code, what))
}

fn forbidden(place: &str, relationship: &Relationship) -> Error {
    let message = match relationship.is_derived {
        false => "cannot be changed with its resource; change it at its own link",
        true => "cannot be changed",
    };
    Error::for_field(ErrorKind::Forbidden, place, Invalid::new("relationship_read_only", message))
}

fn conflict(place: &str, code: &'static str, message: String) -> Error {
    Error::for_field(ErrorKind::Conflict, place, Invalid::new(code, message))
}

fn required() -> Invalid {
    Invalid::new("required", "must be given")
}

fn wrong_type(message: &'static str) -> Invalid {
    Invalid::new("wrong_type", message)
}
