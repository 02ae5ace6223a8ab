//! Submitted forms: reading their fields with the readers of the API, and showing them again with their faults.

mod convert;
mod upload;
mod view;

use app::{Error, ErrorKind, IfMatch};
use axum::extract::{FromRequest, Request};
use domain::IdempotencyKey;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use web::{DeferredBody, Failure, Fields};

use crate::frame::Frame;

pub use convert::{Kind, local_instant};
pub use upload::Upload;
pub use view::{FormView, sentence as fault_sentence};

pub const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";
/// The maximum size of a form in bytes. Sign-in carries a form that was sent when the session was over, escaped once more.
const MAX_BYTES: usize = 256 * 1024;
/// The same for the other forms that strangers send.
const MAX_OPEN_BYTES: usize = 64 * 1024;
/// The code of the error by which [`Form::read`] refuses to act upon a form that was brought back after signing in.
const RESUMED: &str = "form_resumed";

/// A submitted form.
#[derive(Clone)]
pub struct Form {
    pairs: Vec<(String, String)>,
    /// Method and path of the request.
    operation: String,
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let operation = operation_of(&request);
        let limit = max_bytes(request.uri().path());
        let body = DeferredBody::from_request(request, state).await?;
        let bytes = body.read_bytes(MEDIA_TYPE, limit).await?;
        Ok(Self::parse(&bytes, operation))
    }
}

fn max_bytes(path: &str) -> usize {
    let is_open = ["/invitations/", "/password-resets"].iter().any(|start| path.starts_with(start));
    if is_open { MAX_OPEN_BYTES } else { MAX_BYTES }
}

/// Method and path, to which a key of idempotency belongs.
fn operation_of(request: &Request) -> String {
    format!("{} {}", request.method(), request.uri().path())
}

impl Form {
    fn parse(bytes: &[u8], operation: String) -> Self {
        // Browsers send line breaks as two characters; texts have one.
        let pairs = form_urlencoded::parse(bytes)
            .map(|(name, value)| (name.into_owned(), value.replace("\r\n", "\n")))
            .collect();
        Self { pairs, operation }
    }

    /// The same fields from an address, for a picture of what a form says.
    pub fn of_pairs(pairs: Vec<(String, String)>) -> Self {
        Self { pairs, operation: String::new() }
    }

    /// Reads the fields with the readers that the API uses. Fields that `kinds` does not name are unknown; names that begin with `_` are
    /// ours. A form that was brought back after signing in is never acted upon: it gets an error without faults.
    pub fn read<T>(
        &self,
        kinds: &[(&str, Kind)],
        read: impl FnOnce(&mut Fields) -> Option<T>,
    ) -> Result<T, Error> {
        if self.has("_resumed") {
            return Err(Error::new(
                ErrorKind::Conflict,
                RESUMED,
                "The form was brought back after signing in.",
            ));
        }
        let mut object = Map::new();
        for (name, kind) in kinds {
            if let Some(value) = kind.convert(self, name) {
                object.insert((*name).to_owned(), value);
            }
        }
        for (name, value) in &self.pairs {
            let is_zone = |(known, kind): &(&str, Kind)| {
                matches!(kind, Kind::LocalTime) && name.strip_suffix("_zone") == Some(*known)
            };
            if !name.starts_with('_') && !object.contains_key(name) && !kinds.iter().any(is_zone) {
                object.insert(name.clone(), Value::String(value.clone()));
            }
        }
        web::read_fields(object, read)
    }

    /// Returns the first value of a field, as it was sent.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn values(&self, name: &str) -> Vec<&str> {
        self.pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }

    /// Whether a field was sent, such as the button that was pressed.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns all fields in the order in which they were sent.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// Returns the key that makes a repeat of this form have no further effect, from its hidden field `_once`.
    pub fn once(&self, frame: &Frame) -> Option<IdempotencyKey> {
        let is_key =
            |text: &&str| (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        let key = self.value("_once").filter(is_key)?;
        Some(IdempotencyKey {
            caller: format!("user {}", frame.identity()?.user),
            operation: self.operation.clone(),
            key: key.to_owned(),
            body_hash: self.hash(),
        })
    }

    /// The hash of the fields without the proof, which may differ between two attempts at the same thing.
    fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for (name, value) in &self.pairs {
            if !matches!(name.as_str(), "_password" | "_otp") {
                // With lengths, so that different fields never make the same text.
                hash.update(format!("{}:{name}={}:{value};", name.len(), value.len()));
            }
        }
        hash.finalize().into()
    }

    /// Returns the version that the form was filled from, in its hidden field `_version`; any without it.
    pub fn if_match(&self) -> IfMatch {
        match self.value("_version").map(str::parse) {
            Some(Ok(version)) => IfMatch::Versions(vec![version]),
            // A version that is not a number is none that there ever was.
            Some(Err(_)) => IfMatch::Versions(Vec::new()),
            None => IfMatch::Any,
        }
    }

    /// Returns the form again as it was sent, after something that saves nothing.
    pub fn again(&self) -> FormView {
        FormView::of_sent(&self.pairs)
    }

    /// Returns the form again with its faults: 422 for invalid fields, 409, 412; 200 if it was brought back. Other errors are passed on.
    pub fn view(&self, frame: &Frame, error: Error) -> Result<FormView, Failure> {
        FormView::of_refused(frame, &self.pairs, error)
    }
}

#[cfg(test)]
mod tests {
    use domain::{Change, Name, Timestamp};
    use web::BodyField;

    use super::*;

    fn form(body: &str) -> Form {
        Form::parse(body.as_bytes(), "POST /x".to_owned())
    }

    #[test]
    fn fields_are_read_with_the_readers_of_the_api() {
        const KINDS: &[(&str, Kind)] =
            &[("name", Kind::Text), ("at", Kind::LocalTime), ("open", Kind::Flag), ("sites", Kind::Numbers)];
        let read = |body: &str| {
            form(body).read(KINDS, |fields| {
                let name = fields.required("name", Name::from_json);
                let at = fields.change_optional("at", Timestamp::from_json);
                let open = fields.required("open", bool::from_json);
                let sites = fields.take("sites");
                Some((name?.as_str().to_owned(), at?, open?, sites?))
            })
        };
        let body =
            "name=+Crane+3+&at=2026-07-01T08%3A30&at_zone=Europe%2FBerlin&open=true&sites=1&sites=2&_once=x";
        let (name, at, open, sites) = read(body).unwrap();
        assert_eq!((name.as_str(), open, sites), ("Crane 3", true, serde_json::json!([1, 2])));
        assert_eq!(at, Change::Set(Some(Timestamp::parse("2026-07-01T06:30:00Z").unwrap())));
        let (_, at, open, sites) = read("name=x").unwrap();
        assert_eq!((at, open, sites), (Change::Keep, false, serde_json::json!([])));
        let faults = read("name=+&at=yesterday&colour=red").unwrap_err().fields;
        let faults: Vec<_> = faults.iter().map(|fault| (fault.field.as_str(), fault.invalid.code)).collect();
        assert_eq!(faults, [("name", "required"), ("at", "invalid_time"), ("colour", "unknown_field")]);
    }

    #[test]
    fn a_form_that_was_brought_back_is_not_acted_upon() {
        let error = form("name=x&_resumed=1").read(&[("name", Kind::Text)], |_| Some(())).unwrap_err();
        assert_eq!((error.code, error.fields.len()), (RESUMED, 0));
    }

    #[test]
    fn the_proof_is_not_a_part_of_what_is_asked_for() {
        let (first, second) = (form("name=x&_password=a"), form("name=x&_password=b&_otp=1"));
        assert_eq!(first.hash(), second.hash());
        assert_ne!(first.hash(), form("name=y").hash());
        assert_ne!(form("a=1&b=2").hash(), form("a=1%3B1%3Ab%3D1%3A2").hash());
    }

    #[test]
    fn a_version_is_matched_if_it_was_sent() {
        assert_eq!(form("_version=7").if_match(), IfMatch::Versions(vec![7]));
        assert_eq!(form("_version=x").if_match(), IfMatch::Versions(vec![]));
        assert_eq!(form("").if_match(), IfMatch::Any);
        assert_eq!(form("a=1%0D%0A2").value("a"), Some("1\n2"));
    }
}
