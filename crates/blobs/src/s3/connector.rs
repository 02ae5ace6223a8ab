//! Sends the requests of `object_store`. Its own client would bring HTTP/2, which it does not use, and a second implementation of TLS.

use std::error::Error as StdError;
use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use futures_util::future::BoxFuture;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use reqwest::redirect::Policy;
use reqwest::{Body, Client, Request};

/// Timeouts for connecting to the server and for pauses while it answers. A whole clip may take longer than any fixed timeout, so only
/// the time without progress is limited.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Makes the client of a bucket.
#[derive(Debug)]
pub(super) struct Connector {
    pub allow_http: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        tls::install_provider();
        let builder = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            .https_only(!self.allow_http)
            .user_agent(concat!("Keepclear/", env!("CARGO_PKG_VERSION")));
        let client = builder
            .build()
            .map_err(|error| object_store::Error::Generic { store: "S3", source: Box::new(error) })?;
        Ok(HttpClient::new(Service(client)))
    }
}

#[derive(Debug)]
struct Service(Client);

impl Service {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        // A body in one piece stays one, so that reqwest can send it again on another connection.
        let request = request.map(|body| match body.as_bytes() {
            Some(bytes) => Body::from(bytes.clone()),
            None => Body::wrap(body),
        });
        let request = Request::try_from(request).map_err(to_http_error)?;
        let response = self.0.execute(request).await.map_err(to_http_error)?;
        let response = http::Response::<Body>::from(response);
        Ok(response.map(|body| HttpResponseBody::new(body.map_err(to_http_error))))
    }
}

impl HttpService for Service {
    // `object_store` declares it with `async_trait`.
    fn call<'a, 'f>(&'a self, request: HttpRequest) -> BoxFuture<'f, Result<HttpResponse, HttpError>>
    where
        'a: 'f,
        Self: 'f,
    {
        Box::pin(self.send(request))
    }
}

/// Says what kind of error it is, because `object_store` repeats a request only after some. The address is left out, since it names the
/// bucket and the object, and whoever logs the error knows them.
fn to_http_error(error: reqwest::Error) -> HttpError {
    let error = error.without_url();
    HttpError::new(kind_of(&error), WithCause(error))
}

/// An error with its innermost cause, because the text of reqwest says only that sending failed.
#[derive(Debug)]
struct WithCause(reqwest::Error);

impl fmt::Display for WithCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(deeper) = cause.and_then(StdError::source) {
            cause = Some(deeper);
        }
        cause.map_or(Ok(()), |cause| write!(f, ": {cause}"))
    }
}

impl StdError for WithCause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

fn kind_of(error: &reqwest::Error) -> HttpErrorKind {
    if error.is_timeout() {
        return HttpErrorKind::Timeout;
    }
    if error.is_connect() {
        return HttpErrorKind::Connect;
    }
    if error.is_decode() {
        return HttpErrorKind::Decode;
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(kind) = kind_of_cause(error) {
            return kind;
        }
        cause = error.source();
    }
    HttpErrorKind::Unknown
}

/// Returns the kind of error that a cause is the reason of, if it is the last word.
fn kind_of_cause(cause: &(dyn StdError + 'static)) -> Option<HttpErrorKind> {
    if let Some(error) = cause.downcast_ref::<hyper::Error>() {
        return if error.is_closed() || error.is_incomplete_message() || error.is_body_write_aborted() {
            Some(HttpErrorKind::Request)
        } else if error.is_timeout() {
            Some(HttpErrorKind::Timeout)
        } else {
            None
        };
    }
    match cause.downcast_ref::<std::io::Error>()?.kind() {
        ErrorKind::TimedOut => Some(HttpErrorKind::Timeout),
        ErrorKind::ConnectionAborted
        | ErrorKind::ConnectionReset
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Some(HttpErrorKind::Interrupted),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_error_names_its_cause_and_not_the_object() {
        tls::install_provider();
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let error = Client::new().get(format!("http://{closed}/bucket/object")).send().await.unwrap_err();
        let error = to_http_error(error);
        assert_eq!(error.kind(), HttpErrorKind::Connect);
        let text = error.to_string();
        assert!(text.contains("refused") && !text.contains("bucket"), "{text}");
    }
}
