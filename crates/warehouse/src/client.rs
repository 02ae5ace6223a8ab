//! Speaks HTTP with one node. Errors come with a status, because answers are sent when they are complete.

use std::time::Duration;

use bytes::Bytes;
use domain::Secret;
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};
use serde::de::DeserializeOwned;

use crate::schema::quoted;
use crate::{Config, Error, result_rows};

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 512 * 1_024 * 1_024;
/// An answer of this many bytes takes so long to read that others would wait for its thread.
const LONG_ANSWER: usize = 256 * 1_024;
/// As much of the text of an exception is read.
const MAX_EXCEPTION: usize = 64 * 1_024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Connections that ClickHouse has closed meanwhile would fail; it keeps them for longer than this.
const IDLE_CONNECTIONS: Duration = Duration::from_secs(8);

/// Settings of a statement.
pub(crate) type Settings<'a> = &'a [(&'static str, String)];

/// The interface of one node.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    /// Without anything after the host.
    url: Url,
    /// For messages.
    name: String,
    database: String,
    user: String,
    password: Secret,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Makes the connections that the clients of all nodes share.
pub(crate) fn connections() -> Result<reqwest::Client, String> {
    tls::install_provider();
    let builder = reqwest::Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_CONNECTIONS)
        .user_agent(concat!("Keepclear/", env!("CARGO_PKG_VERSION")));
    builder.build().map_err(|error| error.to_string())
}

impl Client {
    pub fn new(http: reqwest::Client, url: &str, config: &Config) -> Result<Self, String> {
        Ok(Self {
            http,
            url: Url::parse(url).map_err(|error| format!("{url}: {error}"))?,
            name: url.to_owned(),
            database: config.database.clone(),
            user: config.user.clone(),
            password: config.password.clone(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the error that this node failed.
    pub fn fault(&self, reason: impl Into<String>) -> Error {
        Error::node(&self.name, reason)
    }

    /// Runs a statement and reads its rows, which it must write as `JSONCompact`.
    pub async fn rows<T: DeserializeOwned + Send + 'static>(
        &self,
        statement: String,
        settings: Settings<'_>,
        timeout: Duration,
    ) -> Result<Vec<T>, Error> {
        let body = self.run(statement, settings, timeout).await?;
        let read = match body.len() {
            ..LONG_ANSWER => result_rows::read(&body),
            _ => tokio::task::spawn_blocking(move || result_rows::read(&body))
                .await
                .unwrap_or_else(|error| Err(error.to_string())),
        };
        read.map_err(|reason| self.fault(reason))
    }

    /// Runs a statement.
    pub async fn run(
        &self,
        statement: String,
        settings: Settings<'_>,
        timeout: Duration,
    ) -> Result<Vec<u8>, Error> {
        let url = self.address(settings);
        self.post(url, Bytes::from(statement), timeout).await
    }

    /// Runs a statement after which data follow.
    pub async fn send(
        &self,
        statement: &str,
        settings: Settings<'_>,
        data: Bytes,
        timeout: Duration,
    ) -> Result<(), Error> {
        let mut url = self.address(settings);
        url.query_pairs_mut().append_pair("query", statement);
        self.post(url, data, timeout).await.map(drop)
    }

    /// Whether the node answers at all.
    pub async fn ping(&self) -> bool {
        let mut url = self.url.clone();
        url.set_path("/ping");
        let answered = self.http.get(url).send().await;
        answered.is_ok_and(|response| response.status() == StatusCode::OK)
    }

    fn address(&self, settings: Settings<'_>) -> Url {
        let mut url = self.url.clone();
        url.set_path("/");
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("database", &self.database).append_pair("wait_end_of_query", "1");
        pairs.append_pair("output_format_json_quote_64bit_integers", "0");
        // Whatever the profile of the user says: an answer of before is not one of now.
        pairs.append_pair("use_query_cache", "0");
        for (name, value) in settings {
            pairs.append_pair(name, value);
        }
        drop(pairs);
        url
    }

    async fn post(&self, url: Url, body: Bytes, timeout: Duration) -> Result<Vec<u8>, Error> {
        let answered = tokio::time::timeout(timeout, async {
            let request = self.http.post(url).body(body);
            let request = request.header("X-ClickHouse-User", self.user.as_str());
            let request = request.header("X-ClickHouse-Key", self.password.0.as_str());
            let response = request.send().await.map_err(|error| self.network_error(error))?;
            self.read(response).await
        });
        answered.await.map_err(|_| self.fault("it did not answer in time"))?
    }

    async fn read(&self, response: Response) -> Result<Vec<u8>, Error> {
        let status = response.status();
        let exception = response.headers().get("X-ClickHouse-Exception-Code");
        let exception: Option<u32> = exception.and_then(|code| code.to_str().ok()?.parse().ok());
        let limit = if status.is_success() && exception.is_none() { MAX_ANSWER } else { MAX_EXCEPTION };
        let body = self.read_body(response, limit).await;
        match exception {
            Some(code) => {
                let reason = body.unwrap_or_default();
                let reason = without_password(&String::from_utf8_lossy(&reason), &self.password);
                Err(Error::of_exception(&self.name, code, &reason))
            }
            None if status.is_success() => body,
            None => Err(self.fault(format!("status {}", status.as_u16()))),
        }
    }

    async fn read_body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.network_error(error))? {
            if body.len() + chunk.len() > limit {
                return Err(self.fault(format!("the answer is longer than {limit} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn network_error(&self, error: reqwest::Error) -> Error {
        // The address contains the statement.
        let error = error.without_url();
        let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
        let causes: Vec<String> = causes.map(ToString::to_string).collect();
        self.fault([vec![error.to_string()], causes].concat().join(": "))
    }
}

/// Exceptions can quote a statement, and those that ask other nodes contain the password.
fn without_password(text: &str, password: &Secret) -> String {
    match password.0.as_str() {
        "" => text.to_owned(),
        password => text.replace(&quoted(password), "'[password]'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_logged() {
        let password = Secret("it's".to_owned());
        let text = r"Syntax error near remote('10.0.0.1:9000', 'keepclear', 't', 'keepclear', 'it\'s')";
        assert!(!without_password(text, &password).contains("it"));
        assert_eq!(without_password("'' is empty", &Secret(String::new())), "'' is empty");
    }
}
