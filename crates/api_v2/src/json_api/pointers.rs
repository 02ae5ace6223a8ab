//! Maps the field names of use-case errors to JSON pointers into a JSON:API document.

use app::{Error, ErrorKind, FieldError};
use store::WindowPosition;

use super::resource::ResourceDefinition;

/// Replaces field names in an error by pointers into a document of this resource. A related resource that does not exist becomes 404.
pub fn with_pointers(shape: &ResourceDefinition, mut error: Error) -> Error {
    if error.kind == ErrorKind::BadRequest {
        return error;
    }
    let mut missing = None;
    for fault in &mut error.fields {
        if fault.field.starts_with('/') {
            continue;
        }
        let relationship = shape.relationships.iter().find(|one| one.field == Some(&*fault.field));
        fault.field = match relationship {
            Some(relationship) => {
                if fault.invalid.code.starts_with("unknown_") {
                    missing = Some(fault.invalid.code);
                }
                format!("/data/relationships/{}/data", relationship.name)
            }
            None => format!("/data/attributes/{}", escape_pointer(&fault.field).replace('.', "/")),
        };
    }
    if let Some(code) = missing {
        (error.kind, error.code) = (ErrorKind::NotFound, code);
    }
    error
}

/// Adds pointers to an error about the body of a relationship. A resource that does not exist becomes 404.
pub fn with_linkage_pointers(mut error: Error) -> Error {
    let missing =
        error.fields.iter().map(|fault| fault.invalid.code).find(|code| code.starts_with("unknown_"));
    for fault in &mut error.fields {
        fault.field = match fault.field.parse::<usize>() {
            Ok(place) => format!("/data/{place}"),
            Err(_) => "/data".to_owned(),
        };
    }
    if let Some(code) = missing {
        (error.kind, error.code) = (ErrorKind::NotFound, code);
    }
    error
}

/// Attributes the error of an invalid cursor to the query parameter that carried it.
pub fn with_cursor_parameter(mut error: Error, place: &WindowPosition) -> Error {
    let parameter = if matches!(place, WindowPosition::Before(_)) { "page[before]" } else { "page[after]" };
    let is_cursor = |fault: &&mut FieldError| fault.field == "cursor";
    for fault in error.fields.iter_mut().filter(is_cursor) {
        fault.field = parameter.to_owned();
    }
    error
}

/// Escapes a name for a JSON pointer (RFC 6901).
pub(super) fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
