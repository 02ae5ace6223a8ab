//! An HTTP client that calls the application's router in process, through all layers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use crate::event_reader::EventReader;

/// Builds a client for servers on this host, which no proxy of the environment stands before.
pub fn http_client() -> reqwest::ClientBuilder {
    tls::install_provider();
    reqwest::Client::builder().no_proxy()
}

/// A request under construction.
pub struct Request {
    router: Router,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Body,
    peer_address: IpAddr,
}

/// A response with its whole body.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(router: Router, method: Method, path: &str) -> Self {
        let from = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self {
            router,
            method,
            path: path.to_owned(),
            headers: HeaderMap::new(),
            body: Body::empty(),
            peer_address: from,
        }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        self.headers.append(name, HeaderValue::from_str(value).expect("a header's value"));
        self
    }

    pub fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub fn cookie(self, value: &str) -> Self {
        self.header("cookie", &format!("{}={value}", web::SESSION_COOKIE))
    }

    pub fn json(self, value: &Value) -> Self {
        self.bytes("application/json", value.to_string())
    }

    pub fn bytes(mut self, media_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = Body::from(bytes.into());
        self.header("content-type", media_type)
    }

    /// Sends a streaming body.
    pub fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// Sends a body that never ends, one byte per interval.
    pub fn endless_body(mut self, media_type: &str, interval: Duration) -> Self {
        let bytes = futures_util::stream::unfold((), move |()| async move {
            tokio::time::sleep(interval).await;
            Some((Ok::<_, std::convert::Infallible>(" "), ()))
        });
        self.body = Body::from_stream(bytes);
        self.header("content-type", media_type)
    }

    /// Sets the peer address.
    pub fn with_address(mut self, address: &str) -> Self {
        self.peer_address = address.parse().expect("an address");
        self
    }

    /// Sends the request and reads the whole response. A live stream is read up to its first facts, which come after the current state.
    pub async fn send(self) -> Reply {
        let (parts, body) = self.respond().await.into_parts();
        let is_live = parts.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
        let body = match is_live {
            true => read_first_events(body).await,
            false => body.collect().await.expect("a whole body").to_bytes().to_vec(),
        };
        Reply { status: parts.status, headers: parts.headers, body }
    }

    /// Sends the request and returns its live stream.
    pub async fn open(self) -> EventReader {
        EventReader::new(self.respond().await)
    }

    async fn respond(self) -> http::Response<Body> {
        let mut request = http::Request::new(self.body);
        *request.method_mut() = self.method;
        *request.uri_mut() = self.path.parse().expect("a path");
        *request.headers_mut() = self.headers;
        request.headers_mut().entry(header::HOST).or_insert(HeaderValue::from_static("127.0.0.1:8080"));
        request.extensions_mut().insert(web::Peer(SocketAddr::new(self.peer_address, 40_000)));
        self.router.oneshot(request).await.unwrap_or_else(|never| match never {})
    }
}

async fn read_first_events(mut body: Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        bytes.extend(frame.expect("a frame").into_data().expect("data"));
        if bytes.windows(FACTS.len()).any(|part| part == FACTS) {
            break;
        }
    }
    bytes
}

/// The line that begins an event with facts.
const FACTS: &[u8] = b"event: facts\n";

impl Reply {
    /// Panics with the body unless the status is as expected.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", String::from_utf8_lossy(&self.body));
        self
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns the value of a header, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the stable error code, in either error format.
    #[track_caller]
    pub fn code(&self) -> String {
        let body = self.json();
        let code = body.get("code").or_else(|| body["errors"][0].get("code"));
        code.and_then(Value::as_str).unwrap_or_else(|| panic!("no code in {body}")).to_owned()
    }

    /// Returns the value of the session cookie that the response sets.
    #[track_caller]
    pub fn session_cookie(&self) -> String {
        let line = self.header("set-cookie");
        let value = line.strip_prefix(web::SESSION_COOKIE).and_then(|rest| rest.strip_prefix('='));
        value
            .and_then(|rest| rest.split(';').next())
            .unwrap_or_else(|| panic!("no session in {line:?}"))
            .to_owned()
    }
}
