//! What webhooks are sent, for the part `webhooks` of the OpenAPI document.

use domain::AlertEvent;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::path::{Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::{
    ContentBuilder, HttpMethod, KnownFormat, ObjectBuilder, PathItem, Paths, PathsBuilder, Ref, Required,
    Response, ResponseBuilder, SchemaFormat, SecurityRequirement, Type,
};
use web::enum_schemas;

use crate::alerts::firings::AlertFiring;

/// Returns the calls that webhooks get. Their schemas are written out, except for parts that answers have as well: the document must not
/// have components that no operation refers to.
pub fn documented_events() -> Paths {
    let paths = AlertEvent::ALL.into_iter().fold(PathsBuilder::new(), |paths, event| {
        paths.path(name(event), PathItem::new(HttpMethod::Post, operation(event)))
    });
    paths.build()
}

/// Returns the type of an event, as calls have it.
fn name(event: AlertEvent) -> String {
    format!("alert.{}", event.as_str())
}

fn operation(event: AlertEvent) -> Operation {
    let (summary, description) = match event {
        AlertEvent::Fired => (
            "Receive the firing of an alert",
            "An alert has fired. Outside the active hours of the alert, the call is made when they begin, \
             unless the alarm has cleared by then.",
        ),
        AlertEvent::Cleared => (
            "Receive the clearing of an alert",
            "An alarm of which people were notified is over, and its alert has `notify_on_clear`.",
        ),
        AlertEvent::Test => (
            "Receive a test",
            "Someone tests an alert or the webhook. The firing, of now or an example, never happened.",
        ),
    };
    OperationBuilder::new()
        .tag("webhooks")
        .operation_id(Some(format!("receive_alert_{}", event.as_str())))
        .summary(Some(summary))
        .description(Some(description))
        .parameters(Some(headers()))
        .request_body(Some(request_body(event)))
        .response("2XX", answer("The event was received; the body of the answer is ignored"))
        .response("410", answer("The webhook is to be disabled at once"))
        .response("default", answer("The call is repeated later, for a day"))
        .securities(Some(Vec::<SecurityRequirement>::new()))
        .build()
}

fn answer(description: &str) -> Response {
    ResponseBuilder::new().description(description).build()
}

/// The headers of Standard Webhooks.
fn headers() -> Vec<Parameter> {
    let header = |name: &str, text: &str, example: &str| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(text))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .example(Some(json!(example)))
            .build()
    };
    vec![
        header(
            "webhook-id",
            "Identifier of the event, the same for all attempts. A receiver ignores one that it has handled.",
            "evt_q1w2e3r4t5y6u7i8o9p0aa",
        ),
        header(
            "webhook-timestamp",
            "Time of the attempt, in seconds since 1970. A receiver refuses times that are minutes away.",
            "1772366430",
        ),
        header(
            "webhook-signature",
            "`v1,` and the HMAC-SHA-256 of id, timestamp and body, joined by dots, in base64. While a secret \
             is being replaced there are two, separated by a blank.",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
    ]
}

fn request_body(event: AlertEvent) -> RequestBody {
    let content = ContentBuilder::new().schema(Some(schema(event))).example(Some(example(event))).build();
    RequestBodyBuilder::new()
        .description(Some("The event."))
        .required(Some(Required::True))
        .content("application/json", content)
        .build()
}

fn schema(event: AlertEvent) -> ObjectBuilder {
    let kind = text("Type of the event.").enum_values(Some([name(event)]));
    let at = text("Time at which it happened, RFC 3339 in UTC.");
    let at = at.format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
    ObjectBuilder::new()
        .property("type", kind)
        .required("type")
        .property("timestamp", at)
        .required("timestamp")
        .property("data", data_schema())
        .required("data")
}

fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description))
}

fn data_schema() -> ObjectBuilder {
    let id = ObjectBuilder::new().schema_type(Type::Integer).description(Some("Identifier of the alert."));
    let alert = ObjectBuilder::new()
        .description(Some("The alert."))
        .property("id", id)
        .required("id")
        .property("name", text("Name of the alert."))
        .required("name")
        .property("metric", Ref::from_schema_name(enum_schemas::AlertMetric::name()))
        .required("metric")
        .property("unit", Ref::from_schema_name(enum_schemas::AlertUnit::name()))
        .required("unit")
        .property("severity", Ref::from_schema_name(enum_schemas::AlertSeverity::name()))
        .required("severity");
    let test = ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .description(Some("Whether someone tests the alert or the webhook."));
    ObjectBuilder::new()
        .description(Some("What happened, as it is when the call is made."))
        .property("firing", Ref::from_schema_name(AlertFiring::name()))
        .required("firing")
        .property("alert", alert)
        .required("alert")
        .property("url", text("Address of the page about the firing; for a test, about the alert."))
        .required("url")
        .property("test", test)
        .required("test")
}

fn example(event: AlertEvent) -> Value {
    let (fired_at, cleared_at) = ("2026-03-01T08:00:00Z", "2026-03-01T08:40:00Z");
    let url = "https://keepclear.example.com/alerts/4/firings/31";
    let is_test = event == AlertEvent::Test;
    let is_cleared = event == AlertEvent::Cleared;
    let (value, worksite) = (12, json!({ "id": 1, "name": "North quay" }));
    let mut firing = json!({
        "id": 31, "alert": { "id": 4, "name": "Yard, too many" }, "state": "fired", "metric": "incursions",
        "unit": "count", "comparison": "above", "threshold": 10, "severity": "warning", "value": value,
        "numerator": value, "denominator": 1,
        "peak": { "value": value, "numerator": value, "denominator": 1 },
        "window": { "from": "2026-03-01T07:00:00Z", "to": fired_at }, "time_zone": "Europe/Berlin",
        "project": null, "worksite": worksite, "machine": null, "base_station": null, "person": null,
        "tag": null, "visitor_session_id": null, "incursion_ids": [907, 903], "details": {}, "seq": 4711,
    });
    let further = json!({
        "fired_at": fired_at, "held_until": null, "not_notified_reason": null,
        "cleared_at": is_cleared.then_some(cleared_at), "clear_reason": is_cleared.then_some("recovered"),
        "cleared_value": is_cleared.then(|| json!({ "value": 3, "numerator": 3, "denominator": 1 })),
        "url": url, "created_at": fired_at, "updated_at": fired_at,
    });
    if let (Value::Object(firing), Value::Object(further)) = (&mut firing, further) {
        firing.extend(further);
    }
    if is_cleared {
        firing["state"] = json!("cleared");
        firing["updated_at"] = json!(cleared_at);
    }
    json!({
        "type": name(event),
        "timestamp": if is_cleared { cleared_at } else { fired_at },
        "data": {
            "firing": firing,
            "alert": {
                "id": 4, "name": "Yard, too many", "metric": "incursions", "unit": "count",
                "severity": "warning",
            },
            "url": url,
            "test": is_test,
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use utoipa::PartialSchema;

    use super::*;

    fn members(value: &Value) -> BTreeSet<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn examples_have_every_member_of_a_firing() {
        let shown = serde_json::to_value(AlertFiring::schema()).unwrap();
        for event in AlertEvent::ALL {
            let example = example(event);
            assert_eq!(members(&example["data"]["firing"]), members(&shown["properties"]));
            assert_eq!(example["type"], name(event));
            assert_eq!(example["data"]["test"], event == AlertEvent::Test);
        }
    }

    #[test]
    fn every_event_is_documented_by_its_type() {
        let documented = serde_json::to_value(documented_events()).unwrap();
        let expected = ["alert.cleared", "alert.fired", "alert.test"];
        assert_eq!(members(&documented), BTreeSet::from(expected));
        for name in expected {
            let schema = &documented[name]["post"]["requestBody"]["content"]["application/json"]["schema"];
            assert_eq!(schema["properties"]["type"]["enum"], json!([name]));
            let mut required = members(&schema["properties"]["data"]["properties"]);
            for member in schema["properties"]["data"]["required"].as_array().unwrap() {
                assert!(required.remove(member.as_str().unwrap()), "{member}");
            }
            assert!(required.is_empty(), "{required:?}");
        }
    }
}
