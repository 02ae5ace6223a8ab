//! The body of a question, and what is left out of it if a service does not accept it.
//!
//! Services that call themselves compatible differ: models that think want `max_completion_tokens` instead of `max_tokens` and choose
//! their temperature themselves, others do not know that name, and some know no schemas. What is refused by name is replaced or left out.

use serde::Deserialize;
use serde_json::{Value, json};

/// What is asked, of which model.
pub(crate) struct Question<'a> {
    pub model: &'a str,
    pub system: &'a str,
    pub user: &'a str,
    /// The JSON schema of the answer.
    pub schema: &'a Value,
}

/// The parameters that not every service accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parameters {
    limit: Option<Limit>,
    temperature: Option<f64>,
    form: Form,
}

/// The maximum number of tokens, and the parameter by which it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limit {
    tokens: u32,
    name: &'static str,
}

const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";
const TEMPERATURE: &str = "temperature";
const RESPONSE_FORMAT: &str = "response_format";

/// How the form of the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// By its schema, which the service enforces.
    Schema,
    /// As any JSON, with the schema in the prompt.
    Json,
    /// In the prompt alone.
    Prompt,
}

impl Parameters {
    /// No tokens means no limit.
    pub fn new(max_tokens: u32, temperature: Option<f64>) -> Self {
        let limit = (max_tokens > 0).then_some(Limit { tokens: max_tokens, name: MAX_TOKENS });
        Self { limit, temperature, form: Form::Schema }
    }

    /// Returns the body of a request.
    pub fn body(&self, question: &Question<'_>) -> Value {
        let Question { model, system, user, schema } = question;
        let system = match self.form {
            Form::Schema => (*system).to_owned(),
            Form::Json | Form::Prompt => {
                format!("{system}\nAnswer with one JSON object of this schema, and nothing else: {schema}")
            }
        };
        let mut body = json!({
            "model": model,
            "messages": [{ "role": "system", "content": system }, { "role": "user", "content": user }],
            "stream": false,
        });
        if let Some(limit) = self.limit {
            body[limit.name] = json!(limit.tokens);
        }
        if let Some(temperature) = self.temperature {
            body[TEMPERATURE] = json!(temperature);
        }
        match self.form {
            Form::Schema => {
                let schema = json!({ "name": "site_report", "strict": true, "schema": schema });
                body[RESPONSE_FORMAT] = json!({ "type": "json_schema", "json_schema": schema });
            }
            Form::Json => body[RESPONSE_FORMAT] = json!({ "type": "json_object" }),
            Form::Prompt => {}
        }
        body
    }

    /// Returns the parameters without the one that a service refused; none if its response names none that was sent.
    pub fn after_refusal(self, response: &[u8]) -> Option<Self> {
        let refusal = Refusal::read(response);
        if let Some(limit) = self.limit.filter(|limit| refusal.names(limit.name)) {
            let other = Limit { name: MAX_COMPLETION_TOKENS, ..limit };
            return Some(Self { limit: (limit.name == MAX_TOKENS).then_some(other), ..self });
        }
        if self.temperature.is_some() && refusal.names(TEMPERATURE) {
            return Some(Self { temperature: None, ..self });
        }
        let form = match self.form {
            Form::Schema => Form::Json,
            Form::Json => Form::Prompt,
            Form::Prompt => return None,
        };
        refusal.names(RESPONSE_FORMAT).then_some(Self { form, ..self })
    }
}

/// Why a service refused a request.
struct Refusal {
    /// The parameter that is wrong, if the service says so.
    parameter: Option<String>,
    text: String,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorDetail,
}

#[derive(Deserialize)]
struct ErrorDetail {
    #[serde(default)]
    param: Option<String>,
}

impl Refusal {
    fn read(response: &[u8]) -> Self {
        let body: Option<ErrorBody> = serde_json::from_slice(response).ok();
        Self {
            parameter: body.and_then(|body| body.error.param).filter(|name| !name.is_empty()),
            text: String::from_utf8_lossy(response).into_owned(),
        }
    }

    fn names(&self, parameter: &str) -> bool {
        match &self.parameter {
            // A part of it has a name such as `response_format.json_schema`.
            Some(name) => name.split(['.', '[']).next() == Some(parameter),
            None => self.text.contains(parameter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(parameters: Parameters) -> Value {
        let schema = json!({ "type": "object" });
        parameters.body(&Question { model: "m", system: "write", user: "{}", schema: &schema })
    }

    #[test]
    fn everything_is_sent_at_first() {
        let sent = body(Parameters::new(8_000, Some(0.0)));
        assert_eq!((&sent["max_tokens"], &sent["temperature"]), (&json!(8_000), &json!(0.0)));
        assert_eq!(sent["response_format"]["json_schema"]["schema"], json!({ "type": "object" }));
        assert_eq!(sent["messages"][0]["content"], "write");
        let sent = body(Parameters::new(0, None));
        assert_eq!((sent.get("max_tokens"), sent.get("temperature")), (None, None));
    }

    #[test]
    fn what_is_refused_by_name_is_replaced_or_left_out() {
        let openai = |param: &str| {
            let error = json!({ "message": "Use 'max_completion_tokens' instead.", "param": param });
            json!({ "error": error }).to_string()
        };
        let first = Parameters::new(8_000, Some(0.0));
        let second = first.after_refusal(openai("max_tokens").as_bytes()).unwrap();
        let sent = body(second);
        assert_eq!((sent.get("max_tokens"), &sent["max_completion_tokens"]), (None, &json!(8_000)));
        let third = second.after_refusal(openai("temperature").as_bytes()).unwrap();
        let sent = body(third);
        assert_eq!((sent.get("temperature"), &sent["max_completion_tokens"]), (None, &json!(8_000)));
        assert_eq!(third.after_refusal(openai("temperature").as_bytes()), None);
        assert_eq!(third.after_refusal(openai("messages").as_bytes()), None);
        let last = third.after_refusal(b"{\"message\": \"max_completion_tokens is too large\"}").unwrap();
        assert_eq!(body(last).get("max_completion_tokens"), None);
    }

    #[test]
    fn a_service_without_schemas_gets_the_schema_in_the_prompt() {
        let refusal = br#"{ "error": { "message": "no", "param": "response_format.type" } }"#;
        let second = Parameters::new(0, None).after_refusal(refusal).unwrap();
        let sent = body(second);
        assert_eq!(sent["response_format"], json!({ "type": "json_object" }));
        assert!(sent["messages"][0]["content"].as_str().unwrap().ends_with("{\"type\":\"object\"}"));
        let third = second.after_refusal(b"response_format is not supported").unwrap();
        assert_eq!(body(third).get("response_format"), None);
        assert_eq!(third.after_refusal(b"response_format is not supported"), None);
        assert_eq!(Parameters::new(0, None).after_refusal(b""), None);
    }
}
