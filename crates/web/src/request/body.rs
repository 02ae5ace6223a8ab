//! Reading the body of a request.

use std::error::Error as StdError;

use app::{ClipStream, Error, ErrorKind, ImportLine};
use axum::extract::{FromRequest, Request};
use domain::{IdempotencyKey, Invalid};
use futures_util::StreamExt;
use http::header;
use http_body::Body as _;
use http_body_util::{BodyExt, BodyStream, LengthLimitError, Limited};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::IntoParams;
use crate::auth::auth_outcome::caller_label;
use crate::connection::body_budget::ReceivedBody;
use crate::connection::body_timeout::BodyTooSlow;
use crate::request::csv_lines::{FromLine, read_csv};
use crate::request::fields::Fields;
use crate::request::from_fields::{BodyFormat, FromFields};
use crate::request::json;
use crate::request::record::FixedMembers;
use crate::response::error::Failure;

/// The media type of JSON:API.
pub const JSON_API: &str = "application/vnd.api+json";

/// The body of a request, parsed and validated.
pub struct Body<T>(pub T);

/// The header of an idempotent write, for OpenAPI. [`IdempotentBody`] reads it.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the header for OpenAPI")]
pub struct IdempotencyKeyHeader {
    /// Key that makes a write idempotent: a repeat with the same key and body gets the same answer.
    #[param(rename = "Idempotency-Key", max_length = 255)]
    idempotency_key: Option<String>,
}

/// A body that is read later, so that 404 comes before errors in the body.
pub struct DeferredBody(Request);

impl DeferredBody {
    pub async fn read<T: FromFields>(self) -> Result<T, Failure> {
        let (value, _) = read::<T>(self.0).await?;
        Ok(value)
    }

    /// Reads the change of a record that has been found. What was read can be sent back: members that are shown and cannot be set are
    /// ignored, and those that never change must be equal to the stored ones.
    pub async fn read_change<T: FromFields>(self, fixed: &FixedMembers) -> Result<T, Failure> {
        let (object, _charged) = receive_object::<T>(self.0).await?;
        let mut fields = Fields::new(object);
        let value = T::read(&mut fields);
        fields.accept_shown(fixed, T::is_shown_member);
        Ok(fields.finish(value)?)
    }

    /// Reads the body, together with its idempotency key.
    pub async fn read_idempotent<T: FromFields>(self) -> Result<IdempotentBody<T>, Failure> {
        Ok(read_idempotent_body(self.0).await?)
    }

    /// Reads the body, or returns the default if none was sent.
    pub async fn read_or_default<T: FromFields + Default>(self) -> Result<T, Failure> {
        let is_none = self.0.body().is_end_stream() && !self.0.headers().contains_key(header::CONTENT_TYPE);
        if is_none { Ok(T::default()) } else { self.read().await }
    }

    /// Returns a header of the request, which must be text.
    pub fn header(&self, name: &header::HeaderName) -> Result<Option<String>, Failure> {
        let Some(value) = self.0.headers().get(name) else { return Ok(None) };
        match value.to_str() {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => {
                let invalid = Invalid::new("invalid_header", "must be printable ASCII");
                Err(Error::bad_parameter(name.as_str(), invalid).into())
            }
        }
    }

    /// Returns the bytes as they are if the media type is one of the expected ones, together with that type.
    pub async fn read_bytes_of(
        self,
        expected: &[&'static str],
        limit: usize,
    ) -> Result<(&'static str, ReceivedBody), Failure> {
        let given = media_type(&self.0);
        let Some(given) = expected.iter().find(|one| given.as_deref() == Some(**one)) else {
            let detail = format!("The body must be {}.", expected.join(" or "));
            return Err(Error::new(ErrorKind::UnsupportedMediaType, "unsupported_media_type", detail).into());
        };
        Ok((given, receive(self.0, limit).await?))
    }

    /// Reads the body, together with its idempotency key.
    pub async fn into_idempotent<T: FromFields>(self) -> Result<IdempotentBody<T>, Failure> {
        IdempotentBody::from_request(self.0, &()).await
    }

    /// Returns the bytes as they arrive, up to the limit. The stream ends at the first error. A body with a larger `Content-Length` is
    /// refused immediately.
    pub fn into_stream(self, limit: u64) -> Result<ClipStream, Failure> {
        if content_length(&self.0).is_some_and(|length| length > limit) {
            return Err(too_large(limit).into());
        }
        let body = Limited::new(self.0.into_body(), usize::try_from(limit).unwrap_or(usize::MAX));
        let pieces = BodyStream::new(body).map(move |frame| match frame {
            Ok(frame) => Ok(frame.into_data().unwrap_or_default()),
            Err(error) => Err(body_read_error(error.as_ref(), limit)),
        });
        Ok(Box::pin(pieces.scan(false, |has_failed, piece| {
            let next = (!*has_failed).then_some(piece);
            *has_failed = next.as_ref().is_some_and(Result::is_err);
            std::future::ready(next)
        })))
    }

    /// Returns the bytes as they are if the media type is the expected one.
    pub async fn read_bytes(self, expected: &'static str, limit: usize) -> Result<ReceivedBody, Failure> {
        Ok(self.read_bytes_of(&[expected], limit).await?.1)
    }
}

impl<S: Send + Sync> FromRequest<S> for DeferredBody {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        Ok(Self(request))
    }
}

/// The body of a write, together with its idempotency key.
pub struct IdempotentBody<T> {
    /// The parsed body.
    pub value: T,
    /// The key from the header `Idempotency-Key`, if it was sent.
    pub key: Option<IdempotencyKey>,
}

impl<T: FromFields, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        let (value, _) = read::<T>(request).await?;
        Ok(Self(value))
    }
}

impl<T: FromFields, S: Send + Sync> FromRequest<S> for IdempotentBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        Ok(read_idempotent_body(request).await?)
    }
}

async fn read_idempotent_body<T: FromFields>(request: Request) -> Result<IdempotentBody<T>, Error> {
    let key = idempotency_key(&request)?;
    let (value, bytes) = read::<T>(request).await?;
    let key = key.map(|key| IdempotencyKey { body_hash: Sha256::digest(&*bytes).into(), ..key });
    Ok(IdempotentBody { value, key })
}

/// A CSV file of rows to import, together with its idempotency key.
pub struct CsvFile<T> {
    pub lines: Vec<ImportLine<T>>,
    /// The key from the header `Idempotency-Key`, if it was sent.
    pub key: Option<IdempotencyKey>,
}

impl<T: FromLine, S: Send + Sync> FromRequest<S> for CsvFile<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        let key = idempotency_key(&request)?;
        let bytes = DeferredBody(request).read_bytes("text/csv", T::MAX_BYTES).await?;
        let lines = read_csv::<T>(&bytes)?;
        let key = key.map(|key| IdempotencyKey { body_hash: Sha256::digest(&*bytes).into(), ..key });
        Ok(Self { lines, key })
    }
}

/// Reads the idempotency key, without the hash of the body.
fn idempotency_key(request: &Request) -> Result<Option<IdempotencyKey>, Error> {
    let Some(value) = request.headers().get("idempotency-key") else { return Ok(None) };
    let fits =
        |text: &&str| (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    let Some(key) = value.to_str().ok().filter(fits) else {
        let invalid =
            Invalid::new("invalid_header", "must have 1 to 255 printable ASCII characters without blanks");
        return Err(Error::bad_parameter("Idempotency-Key", invalid));
    };
    let Some(caller) = caller_label(request.extensions()) else { return Ok(None) };
    Ok(Some(IdempotencyKey {
        caller,
        operation: format!("{} {}", request.method(), request.uri().path()),
        key: key.to_owned(),
        body_hash: [0; 32],
    }))
}

/// Receives the whole body, up to the limit. Memory is charged as bytes arrive, not as announced by `Content-Length`, so an unfinished
/// body costs its caller only what has arrived.
async fn receive(request: Request, limit: usize) -> Result<ReceivedBody, Error> {
    let content_length = content_length(&request);
    if content_length.is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit as u64));
    }
    let max_bytes = content_length.and_then(|length| usize::try_from(length).ok()).unwrap_or(limit);
    let mut received = ReceivedBody::begin(request.extensions())?;
    let mut body = Limited::new(request.into_body(), limit);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| body_read_error(error.as_ref(), limit as u64))?;
        if let Ok(bytes) = frame.into_data() {
            received.add(&bytes, max_bytes)?;
        }
    }
    Ok(received)
}

async fn read<T: FromFields>(request: Request) -> Result<(T, ReceivedBody), Error> {
    let (object, bytes) = receive_object::<T>(request).await?;
    let mut fields = Fields::new(object);
    let value = T::read(&mut fields);
    Ok((fields.finish(value)?, bytes))
}

/// Receives a body and parses it as an object, in a format that the type accepts.
async fn receive_object<T: FromFields>(
    request: Request,
) -> Result<(Map<String, Value>, ReceivedBody), Error> {
    let media_type = media_type(&request);
    match media_type.as_deref() {
        Some("application/json") if T::FORMAT != BodyFormat::JsonApi => {
            let bytes = receive(request, T::MAX_BYTES).await?;
            Ok((json_object(&bytes)?, bytes))
        }
        Some(JSON_API) if T::FORMAT == BodyFormat::JsonApi => {
            let bytes = receive(request, T::MAX_BYTES).await?;
            Ok((json_object(&bytes)?, bytes))
        }
        Some("application/x-www-form-urlencoded") if T::FORMAT == BodyFormat::JsonOrForm => {
            let bytes = receive(request, T::MAX_BYTES).await?;
            Ok((form_object(&bytes)?, bytes))
        }
        _ => Err(unsupported(T::FORMAT)),
    }
}

fn media_type(request: &Request) -> Option<String> {
    let value = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
    // JSON is UTF-8. A body that declares another charset would be misread.
    let parameters = parameters.to_ascii_lowercase();
    let mut charsets = parameters.split(';').filter_map(|one| one.trim().strip_prefix("charset="));
    if charsets.any(|charset| !charset.trim_matches('"').starts_with("utf-8")) {
        return None;
    }
    Some(essence.trim().to_ascii_lowercase())
}

fn unsupported(format: BodyFormat) -> Error {
    let detail = match format {
        BodyFormat::Json => "The body must be application/json.",
        BodyFormat::JsonOrForm => "The body must be application/json or application/x-www-form-urlencoded.",
        BodyFormat::JsonApi => "The body must be application/vnd.api+json.",
    };
    let error = Error::new(ErrorKind::UnsupportedMediaType, "unsupported_media_type", detail);
    if format == BodyFormat::JsonApi { error.for_header("Content-Type") } else { error }
}

/// Returns the announced length of the body.
fn content_length(request: &Request) -> Option<u64> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Returns the reason why a body was not received completely.
fn body_read_error(error: &(dyn StdError + Send + Sync + 'static), limit: u64) -> Error {
    if error.is::<LengthLimitError>() {
        too_large(limit)
    } else if BodyTooSlow::is_cause_of(error) {
        Error::new(ErrorKind::BadRequest, "body_too_slow", "The body arrived too slowly.")
    } else {
        Error::new(ErrorKind::BadRequest, "body_incomplete", "The body ended too early.")
    }
}

fn too_large(limit: u64) -> Error {
    Error::new(ErrorKind::TooLarge, "body_too_large", format!("The body must have at most {limit} bytes."))
}

fn json_object(bytes: &[u8]) -> Result<Map<String, Value>, Error> {
    let value = json::parse(bytes).map_err(|reason| {
        Error::new(ErrorKind::BadRequest, "broken_json", format!("The body is not JSON: {reason}."))
    })?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(Error::new(ErrorKind::Invalid, "wrong_type", "The body must be a JSON object.")),
    }
}

fn form_object(bytes: &[u8]) -> Result<Map<String, Value>, Error> {
    let mut object = Map::new();
    for (name, value) in form_urlencoded::parse(bytes) {
        if object.insert(name.to_string(), Value::String(value.into_owned())).is_some() {
            let shown: String = name.chars().take(64).collect();
            let detail = format!("The form contains the field {shown:?} twice.");
            return Err(Error::new(ErrorKind::BadRequest, "broken_form", detail));
        }
    }
    Ok(object)
}
