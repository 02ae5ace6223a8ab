//! Documents that clients send.

use app::{Error, FieldError, Kind};
use domain::Invalid;
use serde_json::{Map, Value};
use web::{Fields, Format, FromFields, read_fields};

use super::pointers::{escaped, pointed};
use super::resource::{Arity, Relationship, Shape};

/// How many identifiers a relationship's body may have.
const MOST_LINKS: usize = 100;

/// How many faults are told of at once.
const MOST_FAULTS: usize = 20;

/// The primary data of a document. Members beside it that are not known are passed over, as JSON:API wants it.
pub struct Payload(Value);

impl FromFields for Payload {
    const FORMAT: Format = Format::JsonApi;

    fn read(fields: &mut Fields) -> Option<Self> {
        let data = fields.take("data");
        fields.ignore_the_rest();
        match data {
            Some(data) => Some(Self(data)),
            None => fields.fault("data", required()),
        }
    }
}

/// Which resource a document is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One that is to be made.
    New,
    /// The one of the path.
    Existing(i64),
}

impl Payload {
    /// Reads a resource object: its attributes, and its relationships as the fields they are written as.
    pub fn resource<T>(
        self,
        shape: &Shape,
        target: Target,
        read: impl FnOnce(&mut Fields) -> Option<T>,
    ) -> Result<T, Error> {
        let mut faults = Faults::default();
        let Value::Object(mut data) = self.0 else {
            return Err(faults.note("/data", wrong_type("must be a resource object")).refusal());
        };
        check_type(data.get("type"), "/data", shape.kind, &mut faults)?;
        check_id(data.get("id"), target, &mut faults)?;
        if data.get("lid").is_some_and(|lid| !lid.is_string()) {
            faults.note("/data/lid", wrong_type("must be a string"));
        }
        let mut fields = members(&mut data, "attributes", &mut faults);
        for relationship in shape.relationships {
            if let Some(field) = relationship.field
                && fields.remove(field).is_some()
            {
                let message =
                    format!("is not a field of this body; see the relationship {}", relationship.name);
                let place = format!("/data/attributes/{field}");
                faults.note(&place, Invalid::new("unknown_field", message));
            }
        }
        let mut missing = None;
        for (name, value) in members(&mut data, "relationships", &mut faults) {
            let place = format!("/data/relationships/{}", escaped(&name));
            let Some(relationship) = shape.relationship(&name) else {
                faults.note(&place, Invalid::new("unknown_field", "is not a relationship of this resource"));
                continue;
            };
            let Some(field) = relationship.field else {
                return Err(forbidden(&place, relationship));
            };
            let Some(data) = value.as_object().and_then(|object| object.get("data")) else {
                match value.is_object() {
                    true => faults.note(&format!("{place}/data"), required()),
                    false => faults.note(&place, wrong_type("must be a relationship object")),
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
                    Some(Err(NoSuch)) => missing = Some(no_such(relationship.kind, &place)),
                    None => {}
                },
            }
        }
        let value = read_fields(fields, read).map_err(|error| pointed(shape, error));
        match value {
            Ok(value) if faults.0.is_empty() => missing.map_or(Ok(value), Err),
            Ok(_) => Err(faults.refusal()),
            Err(error) if error.kind == Kind::Invalid => {
                faults.0.extend(error.fields);
                Err(faults.refusal())
            }
            Err(error) => Err(error),
        }
    }

    /// Reads what a to-one relationship is to lead to.
    pub fn into_one(self, kind: &'static str) -> Result<Option<i64>, Error> {
        let mut faults = Faults::default();
        if self.0.is_null() {
            return Ok(None);
        }
        match identifier(&self.0, "/data", kind, &mut faults)? {
            Some(Ok(id)) => Ok(Some(id)),
            Some(Err(NoSuch)) => Err(no_such(kind, "/data")),
            None => Err(faults.refusal()),
        }
    }

    /// Reads the members that are added to a to-many relationship, taken out of it, or all it is to have; each once.
    pub fn into_many(self, kind: &'static str) -> Result<Vec<i64>, Error> {
        let mut faults = Faults::default();
        let Value::Array(items) = self.0 else {
            return Err(faults.note("/data", wrong_type("must be a list of resource identifiers")).refusal());
        };
        if items.len() > MOST_LINKS {
            let message = format!("must have at most {MOST_LINKS} items; send them in several calls");
            return Err(faults.note("/data", Invalid::new("too_many", message)).refusal());
        }
        let (mut ids, mut missing) = (Vec::with_capacity(items.len()), None);
        for (index, item) in items.iter().enumerate() {
            let place = format!("/data/{index}");
            match identifier(item, &place, kind, &mut faults)? {
                Some(Ok(id)) if !ids.contains(&id) => ids.push(id),
                Some(Err(NoSuch)) => missing = missing.or_else(|| Some(no_such(kind, &place))),
                Some(Ok(_)) | None => {}
            }
        }
        if !faults.0.is_empty() {
            return Err(faults.refusal());
        }
        missing.map_or(Ok(ids), Err)
    }
}

/// An id that no record can have.
struct NoSuch;

/// What is wrong with a document, all of it.
#[derive(Default)]
struct Faults(Vec<FieldError>);

impl Faults {
    fn note(&mut self, place: &str, invalid: Invalid) -> &mut Self {
        if self.0.len() >= MOST_FAULTS {
            return self;
        }
        self.0.push(FieldError { field: place.to_owned(), invalid });
        self
    }

    fn refusal(&mut self) -> Error {
        Error::invalid(std::mem::take(&mut self.0))
    }
}

/// An object inside a resource object; what begins with `@` is not looked at, as JSON:API wants it.
fn members(data: &mut Map<String, Value>, name: &str, faults: &mut Faults) -> Map<String, Value> {
    match data.remove(name) {
        None => Map::new(),
        Some(Value::Object(mut members)) => {
            members.retain(|name, _| !name.starts_with('@'));
            members
        }
        Some(_) => {
            faults.note(&format!("/data/{name}"), wrong_type("must be an object"));
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
            faults.note(&place, required());
        }
        Some(_) => {
            faults.note(&place, wrong_type("must be a string"));
        }
    }
    Ok(())
}

fn check_id(given: Option<&Value>, target: Target, faults: &mut Faults) -> Result<(), Error> {
    match (given, target) {
        (Some(Value::String(_)), Target::New) => {
            let invalid = Invalid::new("client_generated_id", "is given by the server; leave it out");
            Err(Error::about_field(Kind::Forbidden, "/data/id", invalid))
        }
        (Some(Value::String(id)), Target::Existing(own)) if *id == own.to_string() => Ok(()),
        (Some(Value::String(_)), Target::Existing(_)) => {
            Err(conflict("/data/id", "wrong_resource_id", "must be the id of the path".to_owned()))
        }
        (Some(_), _) => {
            faults.note("/data/id", wrong_type("must be a string"));
            Ok(())
        }
        (None, Target::Existing(_)) => {
            faults.note("/data/id", required());
            Ok(())
        }
        (None, Target::New) => Ok(()),
    }
}

/// Reads a resource identifier; none if a fault was noted.
fn identifier(
    value: &Value,
    place: &str,
    kind: &'static str,
    faults: &mut Faults,
) -> Result<Option<Result<i64, NoSuch>>, Error> {
    let Value::Object(object) = value else {
        faults.note(place, wrong_type("must be a resource identifier"));
        return Ok(None);
    };
    let before = faults.0.len();
    check_type(object.get("type"), place, kind, faults)?;
    let id = match (object.get("id"), object.get("lid")) {
        (Some(Value::String(text)), None) => Some(own_id(text)),
        (Some(Value::String(_)), Some(_)) => {
            faults
                .note(&format!("{place}/lid"), Invalid::new("ambiguous", "cannot be given together with id"));
            None
        }
        (Some(_), _) => {
            faults.note(&format!("{place}/id"), wrong_type("must be a string"));
            None
        }
        (None, Some(_)) => {
            let invalid = Invalid::new("unknown_lid", "names nothing that this request makes");
            faults.note(&format!("{place}/lid"), invalid);
            None
        }
        (None, None) => {
            faults.note(&format!("{place}/id"), required());
            None
        }
    };
    Ok(id.filter(|_| faults.0.len() == before))
}

/// A number as we write it; what is written otherwise is the id of nothing.
fn own_id(text: &str) -> Result<i64, NoSuch> {
    let id: i64 = text.parse().map_err(|_| NoSuch)?;
    if id.to_string() == text { Ok(id) } else { Err(NoSuch) }
}

fn no_such(kind: &str, place: &str) -> Error {
    // The words of the use cases, so that an id tells nothing by the way it is refused.
    let (code, what) = match kind {
        "projects" => ("unknown_project", "is not a project that you see"),
        "worksites" => ("unknown_worksite", "is not a worksite that you see"),
        "machines" => ("unknown_machine", "is not a machine that you see"),
        "saved_views" => ("unknown_saved_view", "is not a saved view that you see"),
        _ => ("unknown_resource", "is not there"),
    };
    Error::about_field(Kind::NotFound, place, Invalid::new(code, what))
}

fn forbidden(place: &str, relationship: &Relationship) -> Error {
    let message = match relationship.arity {
        Arity::Many => "cannot be written with its resource; add to it and take out of it at its own link",
        Arity::One => "cannot be written",
    };
    Error::about_field(Kind::Forbidden, place, Invalid::new("relationship_read_only", message))
}

fn conflict(place: &str, code: &'static str, message: String) -> Error {
    Error::about_field(Kind::Conflict, place, Invalid::new(code, message))
}

fn required() -> Invalid {
    Invalid::new("required", "must be given")
}

fn wrong_type(message: &'static str) -> Invalid {
    Invalid::new("wrong_type", message)
}
