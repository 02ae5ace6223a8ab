//! Asks a language model over HTTP. The operator sets the address, so that a private one is fine; redirects are never followed.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{AskError, Config};

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 1_024 * 1_024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest answer that is asked for.
const MAX_TOKENS: u32 = 2_000;

/// A language model.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    endpoint: String,
    model: String,
    key: String,
    timeout: Duration,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.endpoint)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

impl Client {
    /// Returns the configured model; none if no address is configured. An error holds the key that is wrong and the reason.
    pub fn new(config: &Config) -> Result<Option<Self>, (&'static str, String)> {
        if config.url.is_empty() {
            return Ok(None);
        }
        let http = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(concat!("Keepclear/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| ("ai.url", error.to_string()))?;
        Ok(Some(Self {
            http,
            endpoint: format!("{}/chat/completions", config.url.trim_end_matches('/')),
            model: config.model.clone(),
            key: config.key.0.clone(),
            timeout: Duration::from_secs(u64::from(config.timeout_s)),
        }))
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// Asks the model and returns the text of its answer: at most 1 MiB, within the timeout.
    pub async fn complete(&self, system: &str, user: &str, schema: &Value) -> Result<String, AskError> {
        let answered = tokio::time::timeout(self.timeout, self.ask(system, user, schema)).await;
        read_answer(&answered.map_err(|_| AskError::TimedOut)??)
    }

    async fn ask(&self, system: &str, user: &str, schema: &Value) -> Result<Vec<u8>, AskError> {
        let body = json!({
            "model": self.model,
            "messages": [{ "role": "system", "content": system }, { "role": "user", "content": user }],
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "stream": false,
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": "site_report", "strict": true, "schema": schema },
            },
        });
        let request = self.http.post(&self.endpoint).header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, "application/json").body(body.to_string());
        let request = if self.key.is_empty() { request } else { request.bearer_auth(&self.key) };
        let response = request.send().await.map_err(network_error)?;
        match response.status() {
            status if status.is_redirection() => Err(AskError::Redirected(status.as_u16())),
            status if !status.is_success() => Err(AskError::Refused(status.as_u16())),
            _ => read_body(response).await,
        }
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

/// Returns the text of an answer.
fn read_answer(body: &[u8]) -> Result<String, AskError> {
    // Only the position: what stands there may have names, which do not belong in the log.
    let broken = |error: serde_json::Error| {
        AskError::Broken(format!("line {}, column {}", error.line(), error.column()))
    };
    let completion: Completion = serde_json::from_slice(body).map_err(broken)?;
    let Some(choice) = completion.choices.into_iter().next() else { return Err(AskError::Empty) };
    if choice.message.refusal.is_some_and(|refusal| !refusal.is_empty()) {
        return Err(AskError::Refused(StatusCode::OK.as_u16()));
    }
    if choice.finish_reason.as_deref() == Some("length") {
        return Err(AskError::Broken("it was cut off".to_owned()));
    }
    let text = choice.message.content.unwrap_or_default();
    if text.trim().is_empty() { Err(AskError::Empty) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &Value) -> Result<String, AskError> {
        read_answer(body.to_string().as_bytes())
    }

    #[test]
    fn the_text_of_the_first_choice_is_the_answer() {
        let choice = |message: Value| json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
        assert_eq!(read(&choice(json!({ "content": "{}" }))), Ok("{}".to_owned()));
        assert_eq!(read(&choice(json!({ "content": " " }))), Err(AskError::Empty));
        assert_eq!(read(&choice(json!({ "content": null }))), Err(AskError::Empty));
        assert_eq!(read(&choice(json!({ "content": "{}", "refusal": "no" }))), Err(AskError::Refused(200)));
        assert_eq!(read(&json!({ "choices": [] })), Err(AskError::Empty));
        let cut = json!({ "choices": [{ "message": { "content": "{" }, "finish_reason": "length" }] });
        assert_eq!(read(&cut).map_err(|error| error.reason()), Err("answer_broken"));
        assert_eq!(read_answer(b"<html>").map_err(|error| error.reason()), Err("answer_broken"));
    }

    #[test]
    fn there_is_no_client_without_an_address() {
        let config = Config {
            url: String::new(),
            model: String::new(),
            key: domain::Secret(String::new()),
            timeout_s: 60,
        };
        assert!(Client::new(&config).is_ok_and(|client| client.is_none()));
    }
}
