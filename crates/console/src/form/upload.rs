//! A form with a file.

use app::{Error, ErrorKind};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use bytes::Bytes;
use http::header;
use web::{DeferredBody, Failure};

use super::{Form, operation_of};

/// The maximum size of a form with its file in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A submitted form with a file. Without a chosen file it is empty.
pub struct Upload {
    pub fields: Vec<(String, String)>,
    pub file: Bytes,
    operation: String,
}

impl Upload {
    /// Returns the form without its file.
    pub fn form(&self) -> Form {
        Form { pairs: self.fields.clone(), operation: self.operation.clone() }
    }
}

impl<S: Send + Sync> FromRequest<S> for Upload {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let operation = operation_of(&request);
        let media_type = request.headers().get(header::CONTENT_TYPE).cloned();
        let body = DeferredBody::from_request(request, state).await?;
        // Received as a whole first, so that it counts against the memory for bodies.
        let bytes = body.read_bytes("multipart/form-data", MAX_BYTES).await?;
        let mut received = Request::new(Body::from(bytes.to_vec()));
        if let Some(media_type) = media_type {
            received.headers_mut().insert(header::CONTENT_TYPE, media_type);
        }
        DefaultBodyLimit::disable().apply(&mut received);
        let mut parts = Multipart::from_request(received, state).await.map_err(|_| broken())?;
        let (mut fields, mut file) = (Vec::new(), Bytes::new());
        while let Some(part) = parts.next_field().await.map_err(|_| broken())? {
            let name = part.name().unwrap_or_default().to_owned();
            if part.file_name().is_some() {
                file = part.bytes().await.map_err(|_| broken())?;
            } else {
                fields.push((name, part.text().await.map_err(|_| broken())?.replace("\r\n", "\n")));
            }
        }
        Ok(Self { fields, file, operation })
    }
}

fn broken() -> Error {
    Error::new(ErrorKind::BadRequest, "broken_form", "The form could not be read.")
}
