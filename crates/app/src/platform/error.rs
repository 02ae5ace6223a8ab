//! The one error of all use cases. Only the edge knows which status it becomes.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use domain::Invalid;

/// What went wrong, in the terms of docs/errors.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be understood: a bad parameter, broken JSON.
    BadRequest,
    /// No or no good credentials.
    Unauthenticated,
    /// Known, but not allowed.
    Forbidden,
    /// Not there, or not for this caller.
    NotFound,
    /// The path exists, the method does not.
    MethodNotAllowed,
    /// None of the forms that the caller takes is one that there is.
    NotAcceptable,
    /// The state of the thing does not allow it.
    Conflict,
    /// The thing was changed since the caller read it.
    PreconditionFailed,
    /// No byte of what is asked for is there.
    RangeNotSatisfiable,
    /// The body is too large.
    TooLarge,
    /// The body's media type is not understood.
    UnsupportedMediaType,
    /// Understood, and wrong.
    Invalid,
    /// Too often.
    RateLimited,
    /// Not now: the store is away or busy.
    Unavailable,
    /// A fault of ours.
    Internal,
}

/// Where the fields of a failure stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FieldLocation {
    /// In the body.
    #[default]
    Body,
    /// In the query: they are parameters.
    Query,
}

/// A field that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Its path in the body, or the parameter's name.
    pub field: String,
    /// Why: a code for programs, a sentence for people.
    pub invalid: Invalid,
}

/// A failure with what the caller may know and, apart from it, what the log should.
#[derive(Debug)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Stable, snake_case; documented in docs/errors.md.
    pub code: &'static str,
    /// One sentence for the caller.
    pub detail: Cow<'static, str>,
    /// The fields at fault, all of them.
    pub fields: Vec<FieldError>,
    /// Where they stand.
    pub field_location: FieldLocation,
    /// When to try again, in seconds.
    pub retry_after_s: Option<i64>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// The code of a process that lacks the installation key.
    pub(crate) const KEY_MISSING: &str = "installation_key_missing";

    /// A failure of that kind.
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

    /// A body that is JSON but wrong, with every field that is.
    pub fn invalid(fields: Vec<FieldError>) -> Self {
        let detail = match fields.as_slice() {
            [one] => format!("{}: {}", one.field, one.invalid.message),
            many => format!("{} fields are wrong", many.len()),
        };
        Self { fields, ..Self::new(ErrorKind::Invalid, "invalid_body", detail) }
    }

    /// A field that turned out wrong only when it was looked up.
    pub fn invalid_field(field: &str, invalid: Invalid) -> Self {
        Self::invalid(vec![FieldError { field: field.to_owned(), invalid }])
    }

    /// A refusal of that kind for the sake of one field, whose code is its own.
    pub fn for_field(kind: ErrorKind, field: &str, invalid: Invalid) -> Self {
        let mut error = Self::new(kind, invalid.code, format!("{field}: {}", invalid.message));
        error.fields.push(FieldError { field: field.to_owned(), invalid });
        error
    }

    /// A query parameter that is unknown, malformed or out of range.
    pub fn bad_parameter(name: &str, invalid: Invalid) -> Self {
        Self::for_parameter(ErrorKind::BadRequest, name, invalid)
    }

    /// A query parameter by which the answer would be larger than anyone reads.
    pub fn range_too_wide(name: &str, invalid: Invalid) -> Self {
        Self::for_parameter(ErrorKind::Invalid, name, invalid)
    }

    fn for_parameter(kind: ErrorKind, name: &str, invalid: Invalid) -> Self {
        Self { field_location: FieldLocation::Query, ..Self::for_field(kind, name, invalid) }
    }

    /// The same, about a header of the request, which is named.
    pub fn for_header(mut self, header: &'static str) -> Self {
        let invalid = Invalid { code: self.code, message: self.detail.clone() };
        self.fields = vec![FieldError { field: header.to_owned(), invalid }];
        self
    }

    /// The same, of a body that stands inside a field.
    pub(crate) fn inside_field(mut self, field: &str) -> Self {
        let inside = |fault: FieldError| FieldError { field: format!("{field}.{}", fault.field), ..fault };
        self.fields = self.fields.into_iter().map(inside).collect();
        self
    }

    /// Nothing there, as far as this caller may know.
    pub fn not_found(what: &'static str) -> Self {
        Self::new(ErrorKind::NotFound, "not_found", format!("There is no such {what}."))
    }

    /// Known, but without the permission.
    pub fn forbidden(permission: &'static str) -> Self {
        Self::new(
            ErrorKind::Forbidden,
            "permission_missing",
            format!("This needs the permission {permission}, which your role does not have."),
        )
    }

    /// A fault of ours; the caller learns nothing but the request id.
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::new(
            ErrorKind::Internal,
            "internal_error",
            "Something went wrong on our side. The request id finds it in the log.",
        );
        error.source = Some(source.into());
        error
    }

    /// The installation key that the database is sealed with is not here. Why is for the log.
    /// Its code is [`Error::KEY_MISSING`].
    pub(crate) fn key_missing(reason: String) -> Self {
        let detail = "The installation key was changed, and this process does not have the new one yet.";
        let mut error = Self::new(ErrorKind::Unavailable, Self::KEY_MISSING, detail).retry_after(5);
        error.source = Some(reason.into());
        error
    }

    /// The whole of it in a sentence, for whoever runs a command: what the log would have, without the code, which is for programs.
    pub fn operator_message(&self) -> String {
        let text = match &self.source {
            Some(source) => source.to_string(),
            None => self.detail.clone().into_owned(),
        };
        let mut letters = text.chars();
        // Settings and paths are written as they are.
        let word = text.split_whitespace().next().unwrap_or_default();
        let first = match letters.next() {
            Some(first) if word.chars().all(char::is_alphabetic) => first.to_uppercase().to_string(),
            first => first.map(String::from).unwrap_or_default(),
        };
        let stop = if text.ends_with(['.', '!', '?', '\n']) { "" } else { "." };
        format!("{first}{}{stop}", letters.as_str())
    }

    /// Not now, for a reason that the log should have.
    fn unavailable(
        code: &'static str,
        detail: &'static str,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        let mut error = Self::new(ErrorKind::Unavailable, code, detail).retry_after(5);
        error.source = Some(source.into());
        error
    }

    /// The same, to be tried again after so many seconds.
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
            store::Error::Storage(store::StorageFault { is_full: true, .. }) => {
                Self::unavailable("storage_full", "There is no room left on the disk of the database.", error)
            }
            store::Error::Storage(_) => {
                Self::unavailable("store_unavailable", "The storage of the database failed.", error)
            }
            store::Error::Busy => {
                let detail =
                    "Too many of your requests are under way, or of your brand's; send fewer at once.";
                Self::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(1)
            }
            store::Error::TimedOut => {
                Self::unavailable("took_too_long", "The answer took longer than it may.", error)
            }
            store::Error::TooManyGroups(most) => {
                let detail = format!("There are more than {most} groups; ask for fewer.");
                Self::new(ErrorKind::Invalid, "too_many_groups", detail)
            }
            // Where a duplicate is the caller's doing, the use case says so before it gets here.
            store::Error::Duplicate(_) | store::Error::Unusable(_) | store::Error::Engine(_) => {
                Self::internal(error)
            }
        }
    }
}

impl From<blobs::Error> for Error {
    fn from(error: blobs::Error) -> Self {
        Self::unavailable("objects_unavailable", "Where large objects are kept cannot be reached.", error)
    }
}
