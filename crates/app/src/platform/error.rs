//! The error type of all use cases. Only the web layer maps it to an HTTP status.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use domain::Invalid;

/// The category of an error, as documented in docs/errors.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be parsed: an invalid parameter or malformed JSON.
    BadRequest,
    /// Credentials are missing or invalid.
    Unauthenticated,
    /// The caller is known but lacks the permission.
    Forbidden,
    /// The entry does not exist, or not for this caller.
    NotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// No available representation is acceptable to the caller.
    NotAcceptable,
    /// The current state does not allow the change.
    Conflict,
    /// The entry has changed since the caller read it.
    PreconditionFailed,
    /// The requested byte range is not available.
    RangeNotSatisfiable,
    /// The body is too large.
    TooLarge,
    /// The media type of the body is not supported.
    UnsupportedMediaType,
    /// The body was parsed, but its content is invalid.
    Invalid,
    /// The body refers to an entry that does not exist, or not for this caller. Where JSON:API documents are written it becomes
    /// [`ErrorKind::NotFound`]; elsewhere the response is that of [`ErrorKind::Invalid`].
    MissingRelation,
    /// Too many requests.
    RateLimited,
    /// Temporarily impossible, for example because the database is busy or unreachable.
    Unavailable,
    /// A fault of the service.
    Internal,
}

/// The location of invalid fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FieldLocation {
    #[default]
    Body,
    /// In the query string.
    Query,
}

/// An invalid field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The path in the body, or the name of the parameter.
    pub field: String,
    /// A code for programs and a sentence for people.
    pub invalid: Invalid,
}

/// An error with separate information for the caller and for the log.
#[derive(Debug)]
pub struct Error {
    pub kind: ErrorKind,
    /// Stable, in snake_case; documented in docs/errors.md.
    pub code: &'static str,
    /// One sentence for the caller.
    pub detail: Cow<'static, str>,
    /// All invalid fields.
    pub fields: Vec<FieldError>,
    pub field_location: FieldLocation,
    /// Seconds after which the caller may retry.
    pub retry_after_s: Option<i64>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// The code of an error for a missing installation key.
    pub(crate) const KEY_MISSING: &str = "installation_key_missing";
    /// The code of an error of work that needs the whole history, while that is being loaded.
    pub const HISTORY_LOADING: &str = "history_loading";
    /// The code of an error that leaves open whether the change was made.
    pub(crate) const OUTCOME_UNKNOWN: &str = "outcome_unknown";

    pub fn new(kind: ErrorKind, code: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            code,
            detail: detail.into(),
            fields: Vec::new(),
            field_location: FieldLocation::Body,
            retry_after_s: None,
            source: None,
        }
    }

    /// Rejects a body that is valid JSON with all its invalid fields.
    pub fn invalid(fields: Vec<FieldError>) -> Self {
        let detail = match fields.as_slice() {
            [one] => format!("{}: {}", one.field, one.invalid.message),
            many => format!("{} fields are invalid", many.len()),
        };
        Self { fields, ..Self::new(ErrorKind::Invalid, "invalid_body", detail) }
    }

    /// Rejects a field that turned out to be invalid only after a lookup.
    pub fn invalid_field(field: &str, invalid: Invalid) -> Self {
        Self::invalid(vec![FieldError { field: field.to_owned(), invalid }])
    }

    /// Rejects a field that refers to an entry that does not exist, as far as this caller may know.
    pub fn missing_relation(field: &str, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        let invalid = Invalid::new(code, message);
        Self { kind: ErrorKind::MissingRelation, ..Self::invalid_field(field, invalid) }
    }

    /// Creates an error of a kind for one field; the code of the field becomes the code of the error.
    pub fn for_field(kind: ErrorKind, field: &str, invalid: Invalid) -> Self {
        let mut error = Self::new(kind, invalid.code, format!("{field}: {}", invalid.message));
        error.fields.push(FieldError { field: field.to_owned(), invalid });
        error
    }

    /// Rejects a query parameter that is unknown, malformed or out of range.
    pub fn bad_parameter(name: &str, invalid: Invalid) -> Self {
        Self::for_parameter(ErrorKind::BadRequest, name, invalid)
    }

    /// Rejects a query parameter that would make the response too large.
    pub fn range_too_wide(name: &str, invalid: Invalid) -> Self {
        Self::for_parameter(ErrorKind::Invalid, name, invalid)
    }

    fn for_parameter(kind: ErrorKind, name: &str, invalid: Invalid) -> Self {
        Self { field_location: FieldLocation::Query, ..Self::for_field(kind, name, invalid) }
    }

    /// Attributes the error to a request header.
    pub fn for_header(mut self, header: &'static str) -> Self {
        let invalid = Invalid { code: self.code, message: self.detail.clone() };
        self.fields = vec![FieldError { field: header.to_owned(), invalid }];
        self
    }

    /// Prefixes the fields with the field that contains their body.
    pub(crate) fn inside_field(mut self, field: &str) -> Self {
        let inside = |fault: FieldError| FieldError { field: format!("{field}.{}", fault.field), ..fault };
        self.fields = self.fields.into_iter().map(inside).collect();
        self
    }

    /// The entry does not exist, as far as this caller may know.
    pub fn not_found(what: &'static str) -> Self {
        Self::new(ErrorKind::NotFound, "not_found", format!("There is no such {what}."))
    }

    /// The caller lacks a permission.
    pub fn forbidden(permission: &'static str) -> Self {
        Self::new(
            ErrorKind::Forbidden,
            "permission_missing",
            format!("This needs the permission {permission}, which your role does not have."),
        )
    }

    /// A fault of the service; the caller only learns the request id.
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::new(
            ErrorKind::Internal,
            "internal_error",
            "An internal error occurred. Its details are in the log under the request id.",
        );
        error.source = Some(source.into());
        error
    }

    /// The installation key that the database is sealed with is not available. The reason is for the log.
    /// Its code is [`Error::KEY_MISSING`].
    pub(crate) fn key_missing(reason: String) -> Self {
        let detail = "The installation key was changed, but this process does not have the new one yet.";
        let mut error = Self::new(ErrorKind::Unavailable, Self::KEY_MISSING, detail).retry_after(5);
        error.source = Some(reason.into());
        error
    }

    /// Returns the error as a sentence for someone who runs a command: the text of the log without the code.
    pub fn operator_message(&self) -> String {
        let text = match &self.source {
            Some(source) => source.to_string(),
            None => self.detail.clone().into_owned(),
        };
        let mut letters = text.chars();
        // Settings and paths keep their case.
        let word = text.split_whitespace().next().unwrap_or_default();
        let first = match letters.next() {
            Some(first) if word.chars().all(char::is_alphabetic) => first.to_uppercase().to_string(),
            first => first.map(String::from).unwrap_or_default(),
        };
        let stop = if text.ends_with(['.', '!', '?', '\n']) { "" } else { "." };
        format!("{first}{}{stop}", letters.as_str())
    }

    /// A temporary failure with a reason for the log.
    fn unavailable(
        code: &'static str,
        detail: &'static str,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        let mut error = Self::new(ErrorKind::Unavailable, code, detail).retry_after(5);
        error.source = Some(source.into());
        error
    }

    /// Whether a job that failed with it would fail with it again.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Invalid
                | ErrorKind::MissingRelation
                | ErrorKind::BadRequest
                | ErrorKind::NotFound
                | ErrorKind::Forbidden
        )
    }

    /// Sets the number of seconds after which the caller may retry.
    pub fn retry_after(mut self, seconds: i64) -> Self {
        self.retry_after_s = Some(seconds.max(1));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{}: {source}", self.code),
            None => f.write_str(&self.detail),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::InvalidCursor => {
                Self::bad_parameter("cursor", Invalid::new("invalid_cursor", "does not belong to this list"))
            }
            store::Error::Unavailable(_) | store::Error::Aborted => {
                Self::unavailable("store_unavailable", "The database cannot be reached.", error)
            }
            // Without a time to retry after: who sends it again without looking may make the change twice.
            store::Error::OutcomeUnknown(_) => {
                let detail = "The database did not confirm the change, so it is unknown whether it was made. \
                     Look before you send it again.";
                let unknown = Self::new(ErrorKind::Unavailable, Self::OUTCOME_UNKNOWN, detail);
                Self { source: Some(error.into()), ..unknown }
            }
            store::Error::Storage(store::StorageFault { is_full: true, .. }) => {
                Self::unavailable("storage_full", "There is no room left on the disk of the database.", error)
            }
            store::Error::Storage(_) => {
                Self::unavailable("store_unavailable", "The storage of the database failed.", error)
            }
            store::Error::Busy => {
                let detail =
                    "Too many requests of yours or of your brand are running; send fewer concurrently.";
                Self::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(1)
            }
            store::Error::TimedOut => Self::unavailable("took_too_long", "The query took too long.", error),
            store::Error::TooManyGroups(max) => {
                let detail = format!("There are more than {max} groups; ask for fewer.");
                Self::new(ErrorKind::Invalid, "too_many_groups", detail)
            }
            // If a duplicate is the caller's fault, the use case reports it before it gets here.
            store::Error::Duplicate(_) | store::Error::Unusable(_) | store::Error::Engine(_) => {
                Self::internal(error)
            }
        }
    }
}

impl From<blobs::Error> for Error {
    fn from(error: blobs::Error) -> Self {
        Self::unavailable("objects_unavailable", "The object store cannot be reached.", error)
    }
}
