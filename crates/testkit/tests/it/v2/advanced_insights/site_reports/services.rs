//! Services that call themselves compatible with OpenAI, and differ: in parameters, in how they show thoughts, and in the way to them.

use serde_json::{Value, json};
use testbed::{ModelReply, ModelRequest, ModelServer};
use testkit::{Engine, TestApp, on_both_engines};

use super::model::{site_with_model, start};
use super::{lively_site, write};

on_both_engines!(
    a_service_that_refuses_parameters_is_asked_without_them,
    a_service_without_schemas_gets_the_schema_in_the_prompt,
    what_a_model_thinks_is_not_its_answer,
    parameters_can_be_set_and_left_out,
    a_proxy_is_used_if_it_is_configured,
);

/// The error of a service that does not know a parameter.
fn refusal(parameter: &str, instead: &str) -> ModelReply {
    let message = format!("Unsupported parameter: '{parameter}' is not supported with this model. {instead}");
    let error = json!({
        "message": message, "type": "invalid_request_error", "param": parameter, "code": "unsupported_parameter",
    });
    ModelReply::Error(400, json!({ "error": error }))
}

/// Returns whether a request has a parameter.
fn has(request: &ModelRequest, parameter: &str) -> bool {
    !request.body[parameter].is_null()
}

async fn a_service_that_refuses_parameters_is_asked_without_them(engine: Engine) {
    let server = start(|request, _| {
        if has(request, "max_tokens") {
            refusal("max_tokens", "Use 'max_completion_tokens' instead.")
        } else if has(request, "temperature") {
            refusal("temperature", "Only the default (1) value is supported.")
        } else {
            ModelReply::honest(request)
        }
    });
    let yard = site_with_model(engine, &server).await;
    let report = write(&yard, &yard.admin, "en").await;
    assert_eq!((&report["generator"], &report["fallback_reason"]), (&json!("model"), &Value::Null));
    assert_eq!(report["checks"]["attempts"].as_array().unwrap().len(), 1, "it is one answer");
    let asked = server.requests();
    let limits: Vec<[&Value; 2]> = asked
        .iter()
        .map(|request| [&request.body["max_tokens"], &request.body["max_completion_tokens"]])
        .collect();
    let (none, limit) = (&Value::Null, &json!(8_000));
    assert_eq!(limits, [[limit, none], [none, limit], [none, limit]]);
    assert_eq!(asked.iter().filter(|request| has(request, "temperature")).count(), 2);
    // What the service accepts is known from then on.
    write(&yard, &yard.admin, "de").await;
    assert_eq!(server.requests().len(), 4);
}

async fn a_service_without_schemas_gets_the_schema_in_the_prompt(engine: Engine) {
    let server = start(|request, _| match request.body["response_format"]["type"].as_str() {
        Some("json_schema") => {
            ModelReply::Error(422, json!({ "detail": "This response_format type is unavailable now" }))
        }
        _ => ModelReply::honest(request),
    });
    let yard = site_with_model(engine, &server).await;
    assert_eq!(write(&yard, &yard.admin, "en").await["generator"], "model");
    let asked = server.requests();
    let system = |request: &ModelRequest| request.body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert_eq!(asked.len(), 2);
    let has_schema = |request| system(request).contains("\"additionalProperties\"");
    assert!(!has_schema(&asked[0]) && has_schema(&asked[1]));
}

async fn what_a_model_thinks_is_not_its_answer(engine: Engine) {
    let server = start(|request, _| {
        let answer = json!({ "sentences": request.honest_sentences() });
        ModelReply::Text(format!("<think>The facts {{f1}} matter.</think>\n\n```json\n{answer}\n```"))
    });
    let yard = site_with_model(engine, &server).await;
    let report = write(&yard, &yard.admin, "en").await;
    assert_eq!(report["generator"], "model", "{:#}", report["checks"]);
    assert!(!report["sentences"].to_string().contains("matter"));
}

/// Starts an application with other parameters than the usual ones, and has the model write a report.
async fn write_with(engine: Engine, server: &ModelServer, max_tokens: u32, temperature: Option<f64>) {
    let app = TestApp::start_with(engine, |config| {
        config.ai.url = server.url();
        config.ai.model = "test-model".to_owned();
        config.ai.max_tokens = max_tokens;
        config.ai.temperature = temperature;
    });
    let yard = lively_site(app.await).await;
    assert_eq!(write(&yard, &yard.admin, "en").await["generator"], "model");
}

async fn parameters_can_be_set_and_left_out(engine: Engine) {
    let server = start(|request, _| ModelReply::honest(request));
    write_with(engine, &server, 0, None).await;
    write_with(engine, &server, 900, Some(0.5)).await;
    let asked = server.requests();
    assert!(["max_tokens", "max_completion_tokens", "temperature"].iter().all(|name| !has(&asked[0], name)));
    assert_eq!((&asked[1].body["max_tokens"], &asked[1].body["temperature"]), (&json!(900), &json!(0.5)));
    assert_eq!(asked[1].authorization, None, "without a key none is sent");
}

async fn a_proxy_is_used_if_it_is_configured(engine: Engine) {
    // The server stands for the proxy; nobody has the name of the address.
    let server = start(|request, _| ModelReply::honest(request));
    let proxy = server.url().trim_end_matches("/v1").to_owned();
    let app = TestApp::start_with(engine, |config| {
        config.ai.url = "http://models.invalid/v1".to_owned();
        config.ai.model = "test-model".to_owned();
        config.ai.proxy.0 = proxy;
    });
    let yard = lively_site(app.await).await;
    assert_eq!(write(&yard, &yard.admin, "en").await["generator"], "model");
    assert_eq!(server.requests()[0].target, "POST http://models.invalid/v1/chat/completions");
}
