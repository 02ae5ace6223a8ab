//! Maps the field names of use-case errors to JSON pointers into a JSON:API document.

use app::{Error, ErrorKind};
use domain::WindowPosition;

use super::query::AFTER_VERSION;
use super::resource::ResourceDefinition;

/// Runs what a handler does with a document of this resource: reading its fields and calling the use case. This is the only place
/// that replaces field names in an error by pointers into the document. A related resource that does not exist becomes 404.
pub async fn with_pointers<T>(
    definition: &ResourceDefinition,
    outcome: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    outcome.await.map_err(|error| point_into_document(definition, error))
}

fn point_into_document(definition: &ResourceDefinition, mut error: Error) -> Error {
    if error.kind == ErrorKind::BadRequest {
        return error;
    }
    for fault in &mut error.fields {
        // The faults of the document itself are pointers from the start.
        if fault.field.starts_with('/') {
            continue;
        }
        let relationship = definition.relationships.iter().find(|one| one.field == Some(&*fault.field));
        fault.field = match relationship {
            Some(relationship) => format!("/data/relationships/{}/data", relationship.name),
            None => format!("/data/attributes/{}", escape_pointer(&fault.field).replace('.', "/")),
        };
    }
    missing_relation_as_not_found(error)
}

/// Adds pointers to an error of a use case about the body of a relationship. A resource that does not exist becomes 404.
pub fn with_linkage_pointers(mut error: Error) -> Error {
    for fault in &mut error.fields {
        fault.field = match fault.field.parse::<usize>() {
            Ok(place) => format!("/data/{place}"),
            Err(_) => "/data".to_owned(),
        };
    }
    missing_relation_as_not_found(error)
}

/// JSON:API requires 404 for a request that refers to a related resource that does not exist.
fn missing_relation_as_not_found(mut error: Error) -> Error {
    if error.kind == ErrorKind::MissingRelation {
        error.kind = ErrorKind::NotFound;
        error.code = error.fields.first().map_or(error.code, |fault| fault.invalid.code);
    }
    error
}

/// Attributes the error of an invalid cursor or version to the query parameter that carried it.
pub fn with_cursor_parameter(mut error: Error, place: &WindowPosition) -> Error {
    let parameter = if matches!(place, WindowPosition::Before(_)) { "page[before]" } else { "page[after]" };
    for fault in &mut error.fields {
        match fault.field.as_str() {
            "cursor" => fault.field = parameter.to_owned(),
            "after_version" => fault.field = AFTER_VERSION.to_owned(),
            _ => {}
        }
    }
    error
}

/// Escapes a name for a JSON pointer (RFC 6901).
pub(super) fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
