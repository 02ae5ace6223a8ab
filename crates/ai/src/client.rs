//! Asks a language model over HTTP. The operator sets the address, so that a private one is fine; redirects are never followed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Proxy, Response, StatusCode};
use serde_json::Value;

use crate::answer::read_answer;
use crate::config::PROXY_OF_ENVIRONMENT;
use crate::parameters::{Parameters, Question};
use crate::{AskError, Config};

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 1_024 * 1_024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A language model.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    endpoint: String,
    model: String,
    key: String,
    timeout: Duration,
    /// Those that the service accepted last.
    parameters: Arc<Mutex<Parameters>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.endpoint)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Returns the configured model; none if no address is configured. An error holds the key that is wrong and the reason.
    pub fn new(config: &Config) -> Result<Option<Self>, (&'static str, String)> {
        if config.url.is_empty() {
            return Ok(None);
        }
        tls::install_provider();
        let builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(concat!("Keepclear/", env!("CARGO_PKG_VERSION")));
        let builder = match config.proxy.0.as_str() {
            "" => builder.no_proxy(),
            PROXY_OF_ENVIRONMENT => builder,
            address => {
                let proxy = Proxy::all(address);
                // The address may contain a password.
                builder.proxy(proxy.map_err(|error| ("ai.proxy", error.without_url().to_string()))?)
            }
        };
        Ok(Some(Self {
            http: builder.build().map_err(|error| ("ai.url", error.to_string()))?,
            endpoint: format!("{}/chat/completions", config.url.trim_end_matches('/')),
            model: config.model.clone(),
            key: config.key.0.clone(),
            timeout: Duration::from_secs(u64::from(config.timeout_s)),
            parameters: Arc::new(Mutex::new(Parameters::new(config.max_tokens, config.temperature))),
        }))
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// Asks the model and returns the text of its answer: at most 1 MiB, within the timeout.
    pub async fn complete(&self, system: &str, user: &str, schema: &Value) -> Result<String, AskError> {
        let question = Question { model: &self.model, system, user, schema };
        let answered = tokio::time::timeout(self.timeout, self.ask(&question)).await;
        read_answer(&answered.map_err(|_| AskError::TimedOut)??)
    }

    /// Asks until the service refuses no parameter by its name any more. Each that it refuses is replaced or left out, so that this ends.
    async fn ask(&self, question: &Question<'_>) -> Result<Vec<u8>, AskError> {
        let mut parameters = *self.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let response = self.send(&parameters.body(question)).await?;
            let status = response.status();
            if status.is_success() {
                *self.parameters.lock().unwrap_or_else(PoisonError::into_inner) = parameters;
                return read_body(response).await;
            }
            if status.is_redirection() {
                return Err(AskError::Redirected(status.as_u16()));
            }
            let refused = AskError::Refused(status.as_u16());
            if status != StatusCode::BAD_REQUEST && status != StatusCode::UNPROCESSABLE_ENTITY {
                return Err(refused);
            }
            let reason = read_body(response).await.unwrap_or_default();
            let Some(accepted) = parameters.after_refusal(&reason) else { return Err(refused) };
            parameters = accepted;
        }
    }

    async fn send(&self, body: &Value) -> Result<Response, AskError> {
        let request = self.http.post(&self.endpoint).header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, "application/json").body(body.to_string());
        let request = if self.key.is_empty() { request } else { request.bearer_auth(&self.key) };
        request.send().await.map_err(network_error)
    }
}

/// Reads the body of a response, up to the limit.
async fn read_body(mut response: Response) -> Result<Vec<u8>, AskError> {
    if response.content_length().is_some_and(|length| length > MAX_ANSWER as u64) {
        return Err(AskError::TooLong);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(network_error)? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(AskError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn network_error(error: reqwest::Error) -> AskError {
    // The address may contain what the log must not.
    let error = error.without_url();
    if error.is_timeout() && !error.is_connect() {
        return AskError::TimedOut;
    }
    let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    AskError::Unreachable([vec![error.to_string()], causes].concat().join(": "))
}

#[cfg(test)]
mod tests {
    use domain::Secret;

    use super::*;

    fn config(url: &str, proxy: &str) -> Config {
        Config {
            url: url.to_owned(),
            model: "m".to_owned(),
            key: Secret(String::new()),
            timeout_s: 60,
            max_tokens: 8_000,
            temperature: Some(0.0),
            proxy: Secret(proxy.to_owned()),
        }
    }

    #[test]
    fn there_is_no_client_without_an_address() {
        assert!(Client::new(&config("", "")).is_ok_and(|client| client.is_none()));
    }

    #[test]
    fn a_proxy_is_an_address_or_that_of_the_environment() {
        for proxy in ["", PROXY_OF_ENVIRONMENT, "http://proxy.example.com:3128", "http://a:b@10.0.0.1:8080"] {
            let client = Client::new(&config("http://127.0.0.1:1/v1", proxy));
            assert!(client.is_ok_and(|client| client.is_some()), "{proxy}");
        }
    }
}
