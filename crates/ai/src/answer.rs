//! Reads the text of an answer, without what the model thought before it.

use reqwest::StatusCode;
use serde::Deserialize;

use crate::AskError;

/// What ends the thoughts of models whose service does not separate them. Some leave out what begins them.
const ENDS_OF_THOUGHTS: [&str; 3] = ["</think>", "</thinking>", "[/THINK]"];

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

/// Thoughts that a service separates are in other members, which are not read.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A part of an answer; one that is a thought has no text.
#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

impl Content {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect(),
        }
    }
}

/// Returns the text of an answer.
pub(crate) fn read_answer(body: &[u8]) -> Result<String, AskError> {
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
        return Err(AskError::Broken("it was cut off; ai.max_tokens may be too small".to_owned()));
    }
    let text = choice.message.content.map(Content::into_text).unwrap_or_default();
    match without_thoughts(&text) {
        "" => Err(AskError::Empty),
        text => Ok(text.to_owned()),
    }
}

/// Returns a text without the thoughts before it, and without the marks of a code block around it.
fn without_thoughts(text: &str) -> &str {
    let text = text.trim();
    if text.starts_with('{') {
        return text;
    }
    let after = |end: &str| text.rsplit_once(end).map(|(_, answer)| answer.trim());
    let answer = ENDS_OF_THOUGHTS.iter().find_map(|end| after(end)).unwrap_or(text);
    let block = answer.strip_prefix("```json").or_else(|| answer.strip_prefix("```"));
    block.and_then(|block| block.strip_suffix("```")).map_or(answer, str::trim)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(body: &Value) -> Result<String, AskError> {
        read_answer(body.to_string().as_bytes())
    }

    fn choice(message: &Value) -> Value {
        json!({ "choices": [{ "message": message, "finish_reason": "stop" }] })
    }

    #[test]
    fn the_text_of_the_first_choice_is_the_answer() {
        assert_eq!(read(&choice(&json!({ "content": "{}" }))), Ok("{}".to_owned()));
        assert_eq!(read(&choice(&json!({ "content": " " }))), Err(AskError::Empty));
        assert_eq!(read(&choice(&json!({ "content": null }))), Err(AskError::Empty));
        assert_eq!(read(&choice(&json!({ "content": "{}", "refusal": "no" }))), Err(AskError::Refused(200)));
        assert_eq!(read(&json!({ "choices": [] })), Err(AskError::Empty));
        let cut = json!({ "choices": [{ "message": { "content": "{" }, "finish_reason": "length" }] });
        assert_eq!(read(&cut).map_err(|error| error.reason()), Err("answer_broken"));
        assert_eq!(read_answer(b"<html>").map_err(|error| error.reason()), Err("answer_broken"));
        let number = read(&choice(&json!({ "content": 7 })));
        assert_eq!(number.map_err(|error| error.reason()), Err("answer_broken"));
    }

    #[test]
    fn thoughts_are_no_part_of_the_answer() {
        for content in [
            "<think>First {a}, then b.</think>\n\n{\"a\": 1}",
            "First {a}, then b.\n</think>{\"a\": 1}",
            "[THINK]Hm.[/THINK] ```json\n{\"a\": 1}\n```",
            "```\n{\"a\": 1}\n```",
        ] {
            assert_eq!(read(&choice(&json!({ "content": content }))), Ok("{\"a\": 1}".to_owned()));
        }
        let separate = json!({ "content": "{}", "reasoning": "Hm.", "reasoning_content": "Hm." });
        assert_eq!(read(&choice(&separate)), Ok("{}".to_owned()));
        let parts = json!([{ "type": "thinking", "thinking": [] }, { "type": "text", "text": "{}" }]);
        assert_eq!(read(&choice(&json!({ "content": parts }))), Ok("{}".to_owned()));
        assert_eq!(read(&choice(&json!({ "content": "<think>Hm.</think>" }))), Err(AskError::Empty));
        // A tag within the answer is a part of it.
        let within = "{\"a\": \"</think>\"}";
        assert_eq!(read(&choice(&json!({ "content": within }))), Ok(within.to_owned()));
    }
}
